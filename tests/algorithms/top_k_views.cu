// SPDX-License-Identifier: Apache-2.0
// top_k_pairs and batched_top_k_pairs of values that are a view, of each kind, against the values in
// memory; which of them are computed; and what is refused.
#include <ballot/batched_top_k.cuh>
#include <ballot/top_k.cuh>
#include <ballot/views.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/schedules.hpp"
#include "support/views.hpp"

#include <algorithm>
#include <numeric>

using namespace ballot;
using test::guarded;
using test::refused;

namespace algorithms_top_k_views {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr top_k_options largest{}, by_position{.order = top_k_order::by_position};

// The positions of the k largest of keys[begin] to keys[begin + items - 1].
std::vector<std::size_t> best_of(const std::vector<u32>& keys, std::size_t begin, std::size_t items, std::size_t k,
                                 const top_k_options& options) {
  std::vector<std::size_t> order(items);
  std::iota(order.begin(), order.end(), begin);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[b] < keys[a]; });
  order.resize(std::min(k, items));
  if (options.order == top_k_order::by_position) std::sort(order.begin(), order.end());
  return order;
}
std::vector<u32> few_different(std::size_t n) {
  auto keys = test::random_items<u32>(n, 11);
  for (u32& key : keys) key %= 1'000;
  return keys;
}

TEST_CASE("top_k_pairs: values of each kind of view") {
  for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{700, 60}, {700, 1'000}, {20'000, 500}}) {
    CAPTURE(n);
    CAPTURE(k);
    const std::size_t room = std::min(n, k);
    const auto keys = few_different(n);
    test::for_some_schedules([&] {
      const guarded<u32> in(keys);
      guarded<u32> keys_out(room), values_out(room);
      guarded<u64> count(1);
      const test::unaligned_scratch scratch(top_k_pairs_scratch_bytes<u32, u32>(n, k));
      test::for_each_view(n, 1, [&](const std::string& name, const auto& view, const std::vector<u32>& values) {
        CAPTURE(name);
        const std::size_t all = values.size(), there = all - all / 5;
        const guarded<u64> length(std::vector<u64>{there});
        const auto of_keys = std::span(std::as_const(in)).first(all);
        const auto check = [&](std::size_t items, const top_k_options& options) {
          const auto order = best_of(keys, 0, items, k, options);
          const auto got = values_out.read(), got_keys = keys_out.read();
          CHECK(count.read()[0] == order.size());
          bool same = true;
          for (std::size_t i = 0; i < room; ++i)
            same &=
                i < order.size() ? got[i] == values[order[i]] && got_keys[i] == keys[order[i]] : test::is_dirt(got[i]);
          CHECK(same);
          keys_out.fill_dirt(), values_out.fill_dirt(), count.fill_dirt();
        };
        top_k_pairs(scratch.where(), of_keys, view, k, keys_out, values_out, count.data());
        check(all, largest);
        top_k_pairs(scratch.where(), counted{of_keys, length.data()}, view, k, keys_out, values_out, count.data(),
                    by_position);
        check(there, by_position);
      });
      scratch.check_guards();
    });
  }
}

TEST_CASE("batched_top_k_pairs: values of each kind of view") {
  const std::size_t n = 2'400, width = 390, pitch = 400, k = 60;
  const auto keys = few_different(n);
  test::for_some_schedules([&] {
    const guarded<u32> in(keys);
    test::for_each_view(n, 1, [&](const std::string& name, const auto& view, const std::vector<u32>& values) {
      CAPTURE(name);
      const std::size_t all = values.size(), rows = all / pitch;
      const auto of_keys = std::span(std::as_const(in)).first(all);
      guarded<u32> keys_out(rows * k), values_out(rows * k), counts(rows);
      const test::unaligned_scratch scratch(batched_top_k_pairs_scratch_bytes(rows, k));
      std::vector<u32> begins(rows + 1);
      for (std::size_t r = 0; r <= rows; ++r) begins[r] = static_cast<u32>(r == 1 ? 30 : r * pitch);
      const guarded<u32> offsets(begins);
      const auto check = [&](auto begin_of, auto items_of, const top_k_options& options) {
        const auto got = values_out.read(), got_keys = keys_out.read(), got_counts = counts.read();
        bool same = true;
        for (std::size_t r = 0; r < rows; ++r) {
          const auto order = best_of(keys, begin_of(r), items_of(r), k, options);
          same &= got_counts[r] == order.size();
          for (std::size_t i = 0; i < k; ++i)
            same &= i < order.size() ? got[r * k + i] == values[order[i]] && got_keys[r * k + i] == keys[order[i]]
                                     : test::is_dirt(got[r * k + i]);
        }
        CHECK(same);
        keys_out.fill_dirt(), values_out.fill_dirt(), counts.fill_dirt();
      };
      batched_top_k_pairs(scratch.where(), of_keys, view, row_layout{rows, width, pitch}, k, keys_out, values_out,
                          counts);
      check([&](std::size_t r) { return r * pitch; }, [&](std::size_t) { return width; }, largest);
      batched_top_k_pairs(scratch.where(), of_keys, view, offsets, k, keys_out, values_out, counts, by_position);
      check([&](std::size_t r) { return std::size_t{begins[r]}; },
            [&](std::size_t r) { return std::size_t{begins[r + 1] - begins[r]}; }, by_position);
      scratch.check_guards();
    });
  });
}

// Counts how often each item is computed.
struct watched {
  using value_type = u32;
  std::uint64_t items;
  u32* computed;
  std::uint64_t size() const { return items; }
  __device__ u32 operator[](std::uint64_t i) const {
    simt::atomic_add(computed + i, 1u);
    return static_cast<u32>(7 * i);
  }
};

TEST_CASE("top_k_pairs, batched_top_k_pairs: of a view the selected values are computed, each once") {
  const std::size_t n = 3'000, k = 100;
  const auto keys = few_different(n);
  const guarded<u32> in(keys), computed(std::vector<u32>(n, 0)), computed_of_rows(std::vector<u32>(n, 0));
  const guarded<u32> keys_out(3 * k), values_out(3 * k);
  const exec gpu = allocating(test::test_stream());
  top_k_pairs(gpu, in, watched{n, computed.data()}, k, keys_out, values_out);
  batched_top_k_pairs(gpu, in, watched{n, computed_of_rows.data()}, row_layout{3, 1'000}, k, keys_out, values_out);
  std::vector<u32> want(n), want_of_rows(n);
  for (const std::size_t i : best_of(keys, 0, n, k, largest)) ++want[i];
  for (std::size_t r = 0; r < 3; ++r)
    for (const std::size_t i : best_of(keys, r * 1'000, 1'000, k, largest)) ++want_of_rows[i];
  CHECK(computed.read() == want);
  CHECK(computed_of_rows.read() == want_of_rows);
}

template <class Call>
void check_refused(Call call) {
  const guarded<u32> keys(std::vector<u32>(320)), values(std::vector<u32>(320)), few(std::vector<u32>(9));
  const std::span<const u32> null(static_cast<const u32*>(nullptr), 320);
  guarded<u32> out(20), second(20);
  guarded<std::uint8_t> bytes(20);
  const auto refuses = [&](const std::string& why, const auto& view, const auto& values_out) {
    refused(why, why, [&](const exec& gpu) { call(gpu, keys, view, out, values_out); });
  };
  refuses("`keys` has 320 items, `values` has 9", reversed{few}, second);
  refuses("`values` is null", transformed{null, test::thrice_and_one{}}, second);
  refuses("`values` has 320 items, more positions than their type counts", positions<std::uint8_t>(320), bytes);
  refuses("output `keys_out`", gathered{values, std::span(out.data(), 320)}, second);
  refuses("output `values_out`", transformed{values, reversed{keys}, test::mixed{}},
          std::span(values.data() + 300, 20));
}

TEST_CASE("top_k_pairs, batched_top_k_pairs refuse views of values") {
  check_refused([](const exec& gpu, const auto& keys, const auto& values, const auto& out, const auto& second) {
    top_k_pairs(gpu, keys, values, 10, out, second);
  });
  check_refused([](const exec& gpu, const auto& keys, const auto& values, const auto& out, const auto& second) {
    batched_top_k_pairs(gpu, keys, values, row_layout{2, 160}, 10, out, second);
  });
  // Only the keys are counted.
  using some = positions<u32>;
  CHECK(value_range_or_view<some>);
  CHECK_FALSE(value_range_or_view<decltype(counted{some(1), static_cast<const u32*>(nullptr)})>);
}

}  // namespace algorithms_top_k_views
