// SPDX-License-Identifier: Apache-2.0
// Collision detection as a chain of launches: nothing comes back to the host, so that a step can be
// captured once and replayed.
//
//     spheres   -> keys of cells, sorted with the objects' numbers       argsort by the bits that the grid needs
//     keys      -> head flags -> where each cell starts                  inclusive_scan, backward, of minima
//     cells     -> how many candidates a warp has -> offsets             counts_to_offsets
//     offsets   -> candidates are tested; votes rank those that touch
//     counts    -> how many a warp has found -> offsets                  counts_to_offsets
//     offsets   -> the colliding pairs alone
//
// How many candidates and collisions there are stays on the device: the next call takes it from
// there (`counted`). Room for both is fixed when the pipeline is made; what does not fit is counted
// and not written, and the account says so.
// Source of the idea: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4: from the
// results of collision tests to the list of pairs.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/kernels.cuh"

#include <ballot/device/memory.cuh>
#include <ballot/scan.cuh>
#include <ballot/sort.cuh>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ballot::app::collision {

// In the order of a step. The launches before a mark belong to it.
enum class step_phase : unsigned { move, cells, tests, compaction, count };

struct no_marks {
  void operator()(step_phase) const {}
};

class pipeline {
 public:
  // The device memory that it takes.
  static std::uint64_t device_bytes(std::uint64_t objects, const cell_grid& grid, const pair_counts& room) {
    const std::uint64_t an_object = 2 * sizeof(sphere) + sizeof(velocity) + sizeof(push) + 3 * sizeof(std::uint32_t);
    return objects * an_object + (grid.cells() + std::uint64_t{1}) * sizeof(std::uint32_t) +
           room.candidates * sizeof(object_pair) +
           warps_of(objects) * (sizeof(std::uint32_t) + 3 * sizeof(std::uint64_t)) +
           room.pairs * (sizeof(object_pair) + sizeof(std::uint64_t)) + scratch_bytes(objects, grid, room);
  }

  // Allocates everything, in the order of the stream; `room` is at least 1 of each.
  pipeline(const std::vector<sphere>& objects, const std::vector<velocity>& velocities, const cell_grid& grid,
           const motion& how, const pair_counts& room, stream_t stream)
      : n_(static_cast<std::uint32_t>(objects.size())),
        grid_(grid),
        how_(how),
        room_(room),
        stream_(stream),
        spheres_(objects.size(), stream),
        sorted_(objects.size(), stream),
        velocities_(objects.size(), stream),
        pushes_(objects.size(), stream),
        keys_(objects.size(), stream),
        sorted_keys_(objects.size(), stream),
        sorted_ids_(objects.size(), stream),
        starts_(grid.cells() + std::size_t{1}, stream),
        counts_(warps_of(objects.size()), stream),
        offsets_(warps_of(objects.size()) + 1, stream),
        touching_(room.candidates, stream),
        touching_counts_(warps_of(objects.size()), stream),
        pair_offsets_(warps_of(objects.size()) + 1, stream),
        pairs_(room.pairs, stream),
        names_(room.pairs, stream),
        account_(stream),
        scratch_(scratch_bytes(objects.size(), grid, room), stream) {
    spheres_.write(objects);
    velocities_.write(velocities);
    simt::fill_bytes(stream, pushes_.data(), 0, pushes_.size() * sizeof(push));
    simt::fill_bytes(stream, account_.address(), 0, sizeof(step_account));
  }

  // ---- launches only ----

  // Finds the pairs that touch now. mark(phase) is called behind the launches of each phase.
  template <class Mark = no_marks>
  void detect(const Mark& mark = {}) {
    const exec gpu(stream_, scratch_);
    if (n_ == 0) {
      simt::fill_bytes(stream_, offsets_.data(), 0, sizeof(std::uint64_t));
      simt::fill_bytes(stream_, pair_offsets_.data(), 0, sizeof(std::uint64_t));
    } else {
      simt::launch(number_cells_kernel<>, over_objects(), spheres_.data(), n_, grid_, keys_.data(),
                   static_cast<std::uint32_t*>(nullptr));
      simt::fill_bytes(stream_, starts_.data(), 0xff, starts_.size() * sizeof(std::uint32_t));  // no launch overlaps it
      argsort(gpu, keys_, sorted_keys_, sorted_ids_, {.bits = {0, key_bits(grid_)}});
      simt::launch(begin_cells_kernel<>, over_objects(), spheres_.data(), sorted_keys_.data(), sorted_ids_.data(), n_,
                   grid_.cells(), sorted_.data(), starts_.data());
      inclusive_scan(gpu, starts_, minimum{}, starts_, {.order = scan_order::backward});
      mark(step_phase::cells);
      simt::launch(count_candidates_kernel<>, over_objects(), sorted_keys_.data(), starts_.data(), n_, grid_,
                   counts_.data());
      counts_to_offsets(gpu, counts_, offsets_);
      simt::launch(visit_candidates_kernel<true>, over_objects(sizeof(visit_candidates_storage)), sorted_.data(),
                   sorted_keys_.data(), starts_.data(), offsets_.data(), n_, grid_, touching_.data(), room_.candidates,
                   touching_counts_.data());
      mark(step_phase::tests);
      counts_to_offsets(gpu, touching_counts_, pair_offsets_);
      simt::launch(gather_pairs_kernel<>, over_objects(), touching_.data(), offsets_.data(), n_, pair_offsets_.data(),
                   pairs_.data(), room_.pairs);
    }
    simt::launch(enter_step_kernel<>, {dim3(1), dim3(1), 0, stream_, true}, candidate_count(), pair_count(), room_,
                 account_.address());
    mark(step_phase::compaction);
  }

  // Moves all objects by one step in time; with `response` the pairs of the last detection push
  // each other first.
  template <class Mark = no_marks>
  void move(bool response, const Mark& mark = {}) {
    if (n_ == 0) return;
    if (response)
      simt::launch(push_kernel<>, over_at_most(room_.pairs, threads_a_block), pairs_.data(), pair_count(), room_.pairs,
                   sorted_ids_.data(), spheres_.data(), velocities_.data(), how_, pushes_.data());
    simt::launch(move_kernel<>, over_objects(), how_, n_, spheres_.data(), velocities_.data(), pushes_.data());
    mark(step_phase::move);
  }

  // ---- these wait ----

  step_account account() const { return account_.read(stream_); }
  std::vector<sphere> objects() const { return spheres_.read(); }

  // The pairs of the last detection, those for which there was room, a < b, in the order of (a, b).
  std::vector<object_pair> pairs() {
    std::uint64_t count = 0;
    simt::copy_bytes(stream_, &count, pair_count(), sizeof count);
    simt::synchronize(stream_);
    count = std::min(count, room_.pairs);
    if (count == 0) return {};
    simt::launch(name_pairs_kernel<>, over_at_most(room_.pairs, threads_a_block), pairs_.data(), pair_count(),
                 room_.pairs, sorted_ids_.data(), names_.data());
    sort_in_place(exec(stream_, scratch_), counted{names_, pair_count()});
    std::vector<std::uint64_t> names(count);
    simt::copy_bytes(stream_, names.data(), names_.data(), count * sizeof(std::uint64_t));
    simt::synchronize(stream_);
    std::vector<object_pair> named(count);
    for (std::size_t i = 0; i < named.size(); ++i)
      named[i] = {static_cast<std::uint32_t>(names[i] >> 32), static_cast<std::uint32_t>(names[i])};
    return named;
  }

 private:
  static std::size_t scratch_bytes(std::uint64_t objects, const cell_grid& grid, const pair_counts& room) {
    return std::max({sort_pairs_scratch_bytes<std::uint32_t, std::uint32_t>(objects),
                     scan_scratch_bytes<std::uint32_t>(grid.cells() + std::uint64_t{1}),
                     scan_scratch_bytes<std::uint64_t>(warps_of(objects)),
                     sort_in_place_scratch_bytes<std::uint64_t>(room.pairs)});
  }
  const std::uint64_t* candidate_count() const { return offsets_.data() + warps_of(n_); }
  const std::uint64_t* pair_count() const { return pair_offsets_.data() + warps_of(n_); }
  simt::launch_config over_objects(std::size_t shared_bytes = 0) const {
    return {dim3(n_ / threads_a_block + (n_ % threads_a_block != 0)), dim3(threads_a_block), shared_bytes, stream_,
            true};
  }
  // For kernels that stride: how much there is, only the device knows.
  simt::launch_config over_at_most(std::uint64_t items, std::uint64_t items_a_block) const {
    const std::uint64_t blocks = (items + items_a_block - 1) / items_a_block;
    return {dim3(static_cast<unsigned>(std::min<std::uint64_t>(blocks, most_striding_blocks))), dim3(threads_a_block),
            0, stream_, true};
  }

  std::uint32_t n_;
  cell_grid grid_;
  motion how_;
  pair_counts room_;
  stream_t stream_;
  device_array<sphere> spheres_, sorted_;  // by number; in the order of cells
  device_array<velocity> velocities_;
  device_array<push> pushes_;  // all 0 between steps
  device_array<std::uint32_t> keys_, sorted_keys_, sorted_ids_, starts_;
  device_array<std::uint64_t> counts_, offsets_;  // of the candidates of each warp, and their end
  device_array<object_pair> touching_;            // by places in the order of cells; of each warp's candidates
  device_array<std::uint32_t> touching_counts_;   // of each warp
  device_array<std::uint64_t> pair_offsets_;      // of each warp, and at their end
  device_array<object_pair> pairs_;
  device_array<std::uint64_t> names_;
  device_value<step_account> account_;
  device_buffer scratch_;
};

}  // namespace ballot::app::collision
