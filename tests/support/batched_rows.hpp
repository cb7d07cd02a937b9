// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix for the tests of batched scans: a serial reference, and one call checked against
// it.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/batched_scan.cuh>

#include "support/device_data.hpp"

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

namespace ballot::test {

// Items whose sums, and sums of sums, are exact in any order: floats are whole numbers around zero,
// integers use every bit and wrap.
template <class T>
std::vector<T> balanced_items(std::size_t n, unsigned seed = 5) {
  std::mt19937_64 random(seed + n);
  std::vector<T> items(n);
  for (T& item : items) {
    if constexpr (std::is_floating_point_v<T>) item = static_cast<T>(static_cast<int>(random() % 7) - 3);
    else item = static_cast<T>(random());
  }
  return items;
}

// One row, in the item type.
template <class T>
void serial_row_scan(T* row, std::uint64_t length, scan_directions directions) {
  if (directions != scan_directions::backward)
    for (std::uint64_t i = 1; i < length; ++i) row[i] = plus{}(row[i - 1], row[i]);
  if (directions != scan_directions::forward)
    for (std::uint64_t i = length; i-- > 1;) row[i - 1] = plus{}(row[i], row[i - 1]);
}

inline std::uint64_t extent_of(std::uint64_t rows, std::uint64_t length, std::uint64_t pitch) {
  return rows == 0 || length == 0 ? 0 : (rows - 1) * pitch + length;
}

// Rows of `packed` items laid out with a pitch; what lies between them is dirt, as guarded makes
// it.
template <class T>
std::vector<T> with_pitch(const std::vector<T>& packed, std::uint64_t rows, std::uint64_t length, std::uint64_t pitch) {
  T dirty;
  std::memset(static_cast<void*>(&dirty), dirt, sizeof(T));
  std::vector<T> laid(extent_of(rows, length, pitch), dirty);
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t i = 0; i < length; ++i) laid[r * pitch + i] = packed[r * length + i];
  return laid;
}

// Whether two arrays agree byte for byte; NaN is equal to itself here, and -0 is not +0.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class Sum, class Tuning, class T>
void run_batched_scan(const exec& where, const guarded<T>& in, const guarded<T>& out, const batch& rows,
                      scan_directions directions) {
  detail::launch_batched_scan<Sum, Tuning>(
      where, detail::as_input(in), {rows.rows, rows.length, rows.pitch}, detail::output<T>{out.data(), out.size()},
      {rows.rows, rows.length, rows.out_pitch}, directions != scan_directions::backward,
      directions != scan_directions::forward, "test");
}

inline constexpr scan_directions all_directions[] = {scan_directions::forward, scan_directions::backward,
                                                     scan_directions::forward_then_backward};

// One matrix in all directions, from one array to another and in place, against the serial
// reference; what lies between rows, before and behind them keeps its dirt. `shift` items misalign
// the input, `out_shift` the output.
template <class T, class Sum = T, class Tuning = detail::batched_scan_tuning>
void check_batched_scan(const batch& rows, std::size_t shift = 0, std::size_t out_shift = 0) {
  CAPTURE(rows.rows);
  CAPTURE(rows.length);
  CAPTURE(rows.pitch);
  CAPTURE(rows.out_pitch);
  const std::vector<T> items = balanced_items<T>(rows.rows * rows.length);
  const exact_scratch scratch(detail::batched_scan_bytes<T, Sum, Tuning>(rows.rows, rows.length));
  for (const scan_directions directions : all_directions) {
    CAPTURE(static_cast<int>(directions));
    std::vector<T> sums = items;
    for (std::uint64_t r = 0; r < rows.rows; ++r)
      serial_row_scan(sums.data() + r * rows.length, rows.length, directions);

    const std::vector<T> laid = with_pitch(items, rows.rows, rows.length, rows.pitch);
    const guarded<T> in(laid, shift);
    guarded<T> out(extent_of(rows.rows, rows.length, rows.out_pitch), out_shift);
    run_batched_scan<Sum, Tuning>(scratch.where(), in, out, rows, directions);
    CHECK(same_bits(out.read(), with_pitch(sums, rows.rows, rows.length, rows.out_pitch)));
    CHECK(same_bits(in.read(), laid));

    const batch same_pitch{rows.rows, rows.length, rows.pitch};
    run_batched_scan<Sum, Tuning>(scratch.where(), in, in, same_pitch, directions);
    CHECK(same_bits(in.read(), with_pitch(sums, rows.rows, rows.length, rows.pitch)));
  }
  scratch.check_guards();
}

// Rows and segments of one or two warps: every path, and many segments, with few items.
struct tiny_batched_scan {
  static constexpr unsigned most_group_vectors = 1, least_block_vectors = 1, block_warps = 2, block_vectors = 192;
  static constexpr unsigned segment_thread_vectors = 1, segment_warps = 2, sums_warps = 1, group_warps = 2;
  static constexpr unsigned row_teams = 1, row_rounds = 1;
  static constexpr std::size_t single_block_row_bytes = 0;
};
// The same rows, those of up to 7 segments in one block.
struct tiny_whole_rows : tiny_batched_scan {
  static constexpr unsigned row_teams = 3, row_rounds = 3;
  static constexpr std::size_t single_block_row_bytes = 8192;
};
// Segments of one warp, two warps for their totals.
struct tiny_segments : tiny_batched_scan {
  static constexpr unsigned segment_warps = 1, sums_warps = 2;
};
// The default, without rows of several segments in one block: as on a GPU with little shared
// memory.
struct little_shared_memory : detail::batched_scan_tuning {
  static constexpr std::size_t single_block_row_bytes = 64 * 1024;
};

}  // namespace ballot::test
