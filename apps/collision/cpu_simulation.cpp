// SPDX-License-Identifier: Apache-2.0
// The engine for machines without a GPU: the same grid on all cores, by TBB. Candidates are tested
// where they are found; they are counted, because that is a number of the scene and not of the
// engine, and limited only where a limit is asked for. The list of pairs grows to what a step has
// counted.
#include "collision/simulation.hpp"

#include "base/resources.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

namespace ballot::app::collision {
namespace {

using clock = std::chrono::steady_clock;

template <class F>
void for_all(std::size_t n, const F& f) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 256), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) f(i);
  });
}

class cpu_simulation final : public simulation {
 public:
  cpu_simulation(const scene& what, const settings& how)
      : how_(how),
        spheres_(what.spheres),
        sorted_(what.spheres.size()),
        velocities_(what.velocities),
        pushes_(what.spheres.size(), push{}),
        keyed_(what.spheres.size()),
        starts_(how.grid.cells() + std::size_t{1}),
        candidates_before_(what.spheres.size() + 1),
        pairs_before_(what.spheres.size() + 1) {}

  void advance(std::uint64_t steps) override {
    for (; steps > 0; --steps) {
      const auto begin = clock::now();
      mark_ = begin;
      if (account_.steps > 0) move_all();
      end_phase(0);
      sort_into_cells();
      end_phase(1);
      count();
      end_phase(2);  // the tests are made once more where pairs are written
      write_pairs();
      enter_step(account_, {candidates_before_.back(), pairs_before_.back()}, how_.room);
      end_phase(3);
      spent_ += std::chrono::duration<double>(clock::now() - begin).count();
    }
  }
  step_account account() override { return account_; }
  std::vector<sphere> objects() override { return spheres_; }
  std::vector<object_pair> pairs() override {
    auto sorted = pairs_;
    tbb::parallel_sort(sorted.begin(), sorted.end(),
                       [](const object_pair& x, const object_pair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    return sorted;
  }
  timings times() override {
    timings t = times_;
    t.step = account_.steps > 0 ? spent_ / static_cast<double>(account_.steps) : 0;
    return t;
  }

 private:
  void end_phase(std::size_t phase) {
    const auto now = clock::now();
    times_.phases[phase] = std::chrono::duration<double>(now - mark_).count();
    mark_ = now;
  }

  std::uint32_t key_at(std::size_t place) const { return static_cast<std::uint32_t>(keyed_[place] >> 32); }
  std::uint32_t id_at(std::size_t place) const { return static_cast<std::uint32_t>(keyed_[place]); }

  void sort_into_cells() {
    for_all(spheres_.size(),
            [&](std::size_t i) { keyed_[i] = std::uint64_t{how_.grid.key_of(spheres_[i])} << 32 | i; });
    tbb::parallel_sort(keyed_.begin(), keyed_.end());
    std::fill(starts_.begin(), starts_.end(), std::numeric_limits<std::uint32_t>::max());
    for_all(spheres_.size(), [&](std::size_t i) {
      sorted_[i] = spheres_[id_at(i)];
      if (i == 0 || key_at(i - 1) != key_at(i)) starts_[key_at(i)] = static_cast<std::uint32_t>(i);
    });
    starts_.back() = static_cast<std::uint32_t>(spheres_.size());
    for (std::size_t c = starts_.size() - 1; c-- > 0;) starts_[c] = std::min(starts_[c], starts_[c + 1]);
  }

  template <class F>
  void for_candidates_of(std::size_t place, const F& f) const {
    for (unsigned r = 0; r < neighbour_ranges; ++r) {
      const index_range range =
          indices_ahead(how_.grid, starts_.data(), key_at(place), static_cast<std::uint32_t>(place), r);
      for (std::uint32_t other = range.begin; other < range.end; ++other) f(other);
    }
  }

  void count() {
    for_all(spheres_.size(), [&](std::size_t i) {
      std::uint64_t candidates = 0, pairs = 0;
      for_candidates_of(i, [&](std::uint32_t other) {
        ++candidates;
        pairs += touch(sorted_[i], sorted_[other]);
      });
      candidates_before_[i + 1] = candidates;
      pairs_before_[i + 1] = pairs;
    });
    for (std::size_t i = 0; i < spheres_.size(); ++i) {
      candidates_before_[i + 1] += candidates_before_[i];
      pairs_before_[i + 1] += pairs_before_[i];
    }
  }

  void write_pairs() {
    const std::uint64_t room = how_.room.pairs;
    require_memory(std::min(pairs_before_.back(), room));
    pairs_.resize(static_cast<std::size_t>(std::min(pairs_before_.back(), room)));
    for_all(spheres_.size(), [&](std::size_t i) {
      std::uint64_t at = pairs_before_[i];
      if (at == pairs_before_[i + 1]) return;
      for_candidates_of(i, [&](std::uint32_t other) {
        if (!touch(sorted_[i], sorted_[other]) || at >= room) return;
        const std::uint32_t first = id_at(i), second = id_at(other);
        pairs_[static_cast<std::size_t>(at++)] = {std::min(first, second), std::max(first, second)};
      });
    });
  }

  // The list, once more in order, and while it grows.
  void require_memory(std::uint64_t pairs) const {
    if (pairs <= pairs_.capacity()) return;
    require_free_memory((2 * pairs + pairs_.size()) * sizeof(object_pair),
                        fmt::format("the {} colliding pairs of step {}", pairs, account_.steps + 1));
  }

  void move_all() {
    if (how_.response) {
      for_all(pairs_.size(), [&](std::size_t i) {
        const auto [a, b] = pairs_[i];
        const push to_b = push_of(how_.how, spheres_[a], velocities_[a], spheres_[b], velocities_[b]);
        for (unsigned c = 0; c < push_components; ++c) {
          std::atomic_ref(pushes_[b].sum[c]).fetch_add(to_b.sum[c], std::memory_order_relaxed);
          std::atomic_ref(pushes_[a].sum[c]).fetch_sub(to_b.sum[c], std::memory_order_relaxed);
        }
      });
    }
    for_all(spheres_.size(), [&](std::size_t i) {
      move(how_.how, pushes_[i], spheres_[i], velocities_[i]);
      pushes_[i] = {};
    });
  }

  settings how_;
  std::vector<sphere> spheres_, sorted_;  // by number; in the order of cells
  std::vector<velocity> velocities_;
  std::vector<push> pushes_;
  std::vector<std::uint64_t> keyed_;  // key and number
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint64_t> candidates_before_, pairs_before_;
  std::vector<object_pair> pairs_;
  step_account account_{};
  timings times_;
  double spent_ = 0;
  clock::time_point mark_;
};

}  // namespace

std::unique_ptr<simulation> make_cpu_simulation(const scene& what, const settings& how) {
  const std::uint64_t objects = what.spheres.size();
  constexpr std::uint64_t an_object = 2 * sizeof(sphere) + sizeof(velocity) + sizeof(push) + 3 * sizeof(std::uint64_t);
  require_free_memory(objects * an_object + std::uint64_t{how.grid.cells()} * sizeof(std::uint32_t),
                      fmt::format("{} objects", objects));
  return std::make_unique<cpu_simulation>(what, how);
}

}  // namespace ballot::app::collision
