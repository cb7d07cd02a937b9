// SPDX-License-Identifier: Apache-2.0
// The C library's k best keys, of an array and of rows, against a stable sort.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace ballot::test::c {
namespace top_k {

using point = std::array<u8, 5>;

// The positions of the k best of items [begin, end), in their order. Numbers come before NaNs.
template <class T>
std::vector<u64> best_of(const std::vector<T>& items, std::size_t begin, std::size_t end, u64 k, bool smallest,
                         bool by_position) {
  std::vector<u64> order(end - begin);
  std::iota(order.begin(), order.end(), begin);
  const auto bits = [](T x) {
    // -0 before +0, as sorts have them.
    if constexpr (std::is_floating_point_v<T>) return std::signbit(x) ? -1 : 1;
    else return 0;
  };
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) {
    const T x = items[a], y = items[b];
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
      if (x == y) return smallest ? bits(x) < bits(y) : bits(y) < bits(x);
    }
    return smallest ? x < y : y < x;
  });
  order.resize(std::min<std::size_t>(order.size(), k));
  if (by_position) std::sort(order.begin(), order.end());
  return order;
}

template <class T>
std::vector<T> keys_of(std::size_t n, unsigned distinct) {
  auto keys = random_items<T>(n, 4, distinct);
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isnan(keys[i]) || i % 41 == 7) keys[i] = std::numeric_limits<T>::quiet_NaN();
      if (i % 13 == 5) keys[i] = T(-0.0);
    }
  return keys;
}

template <class T>
void check_top_k(std::size_t n, u64 k, bool smallest, bool by_position, bool is_counted, unsigned distinct = 0) {
  CAPTURE(code<T>);
  CAPTURE(n);
  CAPTURE(k);
  const auto keys = keys_of<T>(n, distinct);
  const std::size_t used = is_counted ? n - n / 3 : n;
  const auto order = best_of(keys, 0, used, k, smallest, by_position);
  const auto room = static_cast<std::size_t>(std::min<u64>(n, k));
  const guarded<T> from(keys), keys_out(room);
  const auto points = random_items<point>(n, 9);
  const guarded<point> values(points), values_out(room);
  const guarded<u32> length(std::vector<u32>{static_cast<u32>(used)}), indices(room);
  const guarded<i64> wide_indices(room), count(1);
  const ballot_array source = is_counted ? counted(from, length) : in(from);
  const ballot_top_k_options options{sizeof(options), smallest, BALLOT_NANS_LAST, by_position, 0};
  const std::size_t bytes = bytes_of([&](std::size_t* b) { return ballot_top_k_scratch_bytes(code<T>, n, k, b); });
  const auto check_keys = [&] {
    CHECK(value_at(count) == static_cast<i64>(order.size()));
    const auto found = keys_out.read();
    for (std::size_t i = 0; i < order.size(); ++i)
      REQUIRE_MESSAGE(std::memcmp(&found[i], &keys[order[i]], sizeof(T)) == 0, "key " << i);
  };
  run(bytes, [&](ballot_exec gpu) { return ballot_top_k(gpu, source, k, out(keys_out), out(count), &options); });
  check_keys();
  run(bytes, [&](ballot_exec gpu) {
    return ballot_top_k_pairs(gpu, source, in(values), k, out(keys_out), out(values_out), out(count), &options);
  });
  check_keys();
  const auto found_values = values_out.read();
  for (std::size_t i = 0; i < order.size(); ++i) REQUIRE(found_values[i] == points[order[i]]);
  run(bytes, [&](ballot_exec gpu) {
    return ballot_top_k_indices(gpu, source, k, ballot_nothing(), out(indices), ballot_nothing(), &options);
  });
  const auto found = indices.read();
  for (std::size_t i = 0; i < order.size(); ++i) REQUIRE_MESSAGE(found[i] == order[i], "index " << i);
  run(bytes, [&](ballot_exec gpu) {
    return ballot_top_k_indices(gpu, source, k, out(keys_out), out(wide_indices), out(count), &options);
  });
  check_keys();
  const auto found_wide = wide_indices.read();
  for (std::size_t i = 0; i < order.size(); ++i) REQUIRE(static_cast<u64>(found_wide[i]) == order[i]);
}

TEST_CASE("top_k") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}})
    for (const u64 k : {u64{0}, u64{1}, u64{33}, u64{5000}})
      for (const bool smallest : {false, true})
        for (const bool by_position : {false, true}) {
          check_top_k<i32>(n, k, smallest, by_position, false, 50);
          check_top_k<float>(n, k, smallest, by_position, true);
          if (k == 33) {
            check_top_k<u8>(n, k, smallest, by_position, true);
            check_top_k<i16>(n, k, smallest, by_position, false);
            check_top_k<double>(n, k, smallest, by_position, false);
            check_top_k<i64>(n, k, smallest, by_position, true);
            check_top_k<i128>(n, k, smallest, by_position, false);
          }
        }
  check_top_k<u32>(40'000, 100, false, false, false);     // a sample, and its candidates
  check_top_k<float>(40'000, 20'000, true, false, true);  // digit by digit
  check_top_k<u16>(40'000, 700, false, true, false);
}

template <class T>
void check_rows(std::size_t rows, std::size_t width, u64 k, bool by_offsets, bool has_lengths) {
  CAPTURE(code<T>);
  CAPTURE(rows);
  CAPTURE(width);
  CAPTURE(k);
  const std::size_t pitch = width + 3, n = rows * pitch;
  const auto keys = keys_of<T>(n, 40);
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<std::size_t> begins(rows), ends(rows);
  std::vector<i32> lengths(rows);
  std::vector<u64> offsets(rows + 1);
  for (std::size_t r = 0; r < rows; ++r) {
    lengths[r] = static_cast<i32>(random() % (width + 4));
    begins[r] = r * pitch;
    ends[r] = begins[r] + (has_lengths ? std::min<std::size_t>(lengths[r], width) : width);
    if (by_offsets) {
      begins[r] = offsets[r];
      ends[r] = offsets[r + 1] = std::min<std::size_t>(n, offsets[r] + random() % (2 * width + 1));
    }
  }
  const guarded<i32> device_lengths(lengths);
  const guarded<u64> device_offsets(offsets);
  const auto room = static_cast<std::size_t>(rows * k);
  const auto points = random_items<point>(n, 9);
  const guarded<T> from(keys), keys_out(room);
  const guarded<point> values(points), values_out(room);
  const guarded<u32> indices(room);
  const guarded<u64> wide_indices(room), counts(rows);
  ballot_rows layout = ballot_rows_at(rows, width, pitch);
  if (by_offsets) layout = ballot_rows_by(in(device_offsets));
  else if (has_lengths) layout.lengths = in(device_lengths);
  const std::size_t bytes =
      bytes_of([&](std::size_t* b) { return ballot_batched_top_k_scratch_bytes(code<T>, rows, k, b); });
  for (const bool smallest : {false, true}) {
    const ballot_top_k_options options{sizeof(options), smallest, BALLOT_NANS_LAST, 0, 0};
    std::vector<std::vector<u64>> orders(rows);
    for (std::size_t r = 0; r < rows; ++r) orders[r] = best_of(keys, begins[r], ends[r], k, smallest, false);
    const auto check_keys = [&] {
      const auto found = keys_out.read();
      const auto found_counts = counts.read();
      for (std::size_t r = 0; r < rows; ++r) {
        REQUIRE(found_counts[r] == orders[r].size());
        for (std::size_t i = 0; i < orders[r].size(); ++i)
          REQUIRE_MESSAGE(std::memcmp(&found[r * k + i], &keys[orders[r][i]], sizeof(T)) == 0, r << " " << i);
      }
    };
    run(bytes, [&](ballot_exec gpu) {
      return ballot_batched_top_k(gpu, in(from), layout, k, out(keys_out), out(counts), &options);
    });
    check_keys();
    run(bytes, [&](ballot_exec gpu) {
      return ballot_batched_top_k_pairs(gpu, in(from), in(values), layout, k, out(keys_out), out(values_out),
                                        out(counts), &options);
    });
    check_keys();
    run(bytes, [&](ballot_exec gpu) {
      return ballot_batched_top_k_indices(gpu, in(from), layout, k, ballot_nothing(), out(indices), ballot_nothing(),
                                          &options);
    });
    run(bytes, [&](ballot_exec gpu) {
      return ballot_batched_top_k_indices(gpu, in(from), layout, k, out(keys_out), out(wide_indices), out(counts),
                                          &options);
    });
    check_keys();
    const auto found_values = values_out.read();
    const auto found = indices.read();
    const auto found_wide = wide_indices.read();
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < orders[r].size(); ++i) {
        REQUIRE(found_values[r * k + i] == points[orders[r][i]]);
        REQUIRE(found[r * k + i] == orders[r][i] - begins[r]);
        REQUIRE(found_wide[r * k + i] == orders[r][i] - begins[r]);
      }
  }
}

TEST_CASE("top_k of rows") {
  for (const bool by_offsets : {false, true})
    for (const bool has_lengths : {false, true}) {
      check_rows<i32>(5, 100, 7, by_offsets, has_lengths);
      check_rows<float>(3, 300, 400, by_offsets, has_lengths);
      check_rows<u8>(2, 50, 3, by_offsets, has_lengths);
      check_rows<i16>(2, 50, 3, by_offsets, has_lengths);
      check_rows<double>(2, 50, 1, by_offsets, has_lengths);
      check_rows<u32>(4, 20, 0, by_offsets, has_lengths);
      check_rows<u32>(0, 20, 4, false, has_lengths);
    }
  check_rows<u32>(2, 5000, 40, false, false);
}

}  // namespace top_k
}  // namespace ballot::test::c
