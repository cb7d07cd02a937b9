// SPDX-License-Identifier: Apache-2.0
// The batched scan on the host: checks, the choice of a kernel by the length of the rows, launches.
//
//     batched_scan.cuh             the public function
//       launch.cuh                 this file
//         shape.hpp                row length -> lanes, warps, segments, items per thread (host and
//                                  device)
//         kernel.cuh               short rows: several per warp; medium rows and segments: a block
//                                  each; segment totals
//         single_block_kernel.cuh  long rows that fit into the shared memory of one block
//           staging.cuh            global <-> shared memory
//           thread_scan.cuh        a thread's consecutive items: reduce, scan
//           block_scan.cuh         the threads' totals: exclusive prefixes over lanes and warps
//           accumulator.hpp        the type of the sums
//
//     short and medium rows                     one launch for all directions
//     long rows that fit a block of this GPU    one launch; the same additions in the same order as
//                                               below
//     other long rows                           per direction: segment totals, exclusive prefixes,
//                                               scan of the segments
//
// The last way has no look-back: no block waits for another within a launch. So the order of the
// additions is fixed, at the cost of one more read of the items. The forward scan comes before the
// backward scan. It stores the totals of its rounded results, which saves the backward scan one
// read.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/batched_scan/kernel.cuh>
#include <ballot/detail/batched_scan/single_block_kernel.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace ballot::detail {

// The layout of the rows of one array in its range.
struct batch_layout {
  std::uint64_t rows, length, pitch;
  // From the first item of the first row to the end of the last row.
  std::uint64_t spanned_items() const { return rows == 0 || length == 0 ? 0 : (rows - 1) * pitch + length; }
};

// Range: the rows' argument, as long as the caller's range. Pitch: the name of the member of
// `rows`.
inline void require_rows(const char* function, const argument& range, const char* pitch, const batch_layout& layout,
                         std::size_t item_bytes) {
  if (layout.pitch < layout.length)
    fail(function, joined({"`", pitch, "` is ", decimal(layout.pitch), ", smaller than the length of a row, ",
                           decimal(layout.length)}));
  if (layout.pitch != 0 && layout.rows > std::numeric_limits<std::uint64_t>::max() / item_bytes / layout.pitch)
    fail(function, joined({decimal(layout.rows), " rows times `", pitch, "` ", decimal(layout.pitch),
                           " exceed the address space"}));
  if (layout.spanned_items() * item_bytes > range.bytes)
    fail(function, joined({"`", range.name, "` has ", decimal(range.bytes / item_bytes), " items, its rows take ",
                           decimal(layout.spanned_items())}));
  if (layout.spanned_items() != 0) require_not_null(function, {range});
}

template <class T>
bool rows_have_vectors(const T* first, const batch_layout& layout) {
  return reinterpret_cast<std::uintptr_t>(first) % batched_vector_bytes == 0 &&
         (layout.rows == 1 || layout.pitch % items_per_vector<T> == 0);
}

inline std::uint64_t segment_sum_count(const batched_scan_shape& shape, std::uint64_t rows) {
  return shape.segments == 1 ? 0 : product_or_most(rows, shape.segments);
}

template <class T, class Sum, class Tuning = batched_scan_tuning>
std::size_t batched_scan_bytes(std::uint64_t rows, std::uint64_t length) {
  if (rows == 0 || length == 0) return 0;
  scratch_carver measure;
  measure.take<Sum>(segment_sum_count(find_batched_scan_shape<Tuning>(length, sizeof(T)), rows));
  return measure.bytes();
}

template <class Tuning, class T, class Sum>
void launch_short_rows(stream_t stream, const batched_scan_task<T, Sum>& task, const char* function) {
  const std::uint32_t blocks = tile_count(task.rows, Tuning::group_warps * task.shape.rows_per_warp(), function);
  constexpr unsigned threads = simt::warp_size * Tuning::group_warps;
  simt::launch(batched_scan_short_kernel<T, Sum>,
               simt::launch_config{dim3(blocks), dim3(threads),
                                   threads * task.shape.thread_vectors * batched_vector_bytes, stream},
               task);
}

template <class Tuning, class T, class Sum>
void launch_blocks_of_rows(stream_t stream, const batched_scan_task<T, Sum>& task, const char* function) {
  const std::uint64_t segment_items = smaller(task.length, task.shape.segment_items);
  const std::size_t shared =
      sizeof(warp_aggregates<Sum>) + ceil_div(segment_items, items_per_vector<T>) * batched_vector_bytes;
  const std::uint32_t blocks = tile_count(task.rows * task.shape.segments, 1, function);
  simt::launch(batched_scan_kernel<T, Sum, Tuning>,
               simt::launch_config{dim3(blocks), dim3(simt::warp_size * task.shape.warps), shared, stream}, task);
}

// Long rows that fit the shared memory of a block of this GPU. Returns false if they do not, and
// launches nothing.
template <class Tuning, class T, class Sum>
bool launch_single_block_rows(stream_t stream, const batched_scan_task<T, Sum>& task, const char* function) {
  using totals = single_block_aggregates<Sum, Tuning>;
  if (task.shape.segments > totals::most_segments) return false;
  const std::size_t shared = sizeof(totals) + ceil_div(task.length, items_per_vector<T>) * batched_vector_bytes;
  if (shared > smaller(simt::shared_bytes_limit(), Tuning::single_block_row_bytes)) return false;
  const auto teams = static_cast<unsigned>(smaller(task.shape.segments, Tuning::row_teams));
  simt::launch(batched_scan_single_block_kernel<T, Sum, Tuning>,
               simt::launch_config{dim3(tile_count(task.rows, 1, function)),
                                   dim3(simt::warp_size * Tuning::segment_warps * teams), shared, stream},
               task);
  return true;
}

template <class Tuning, class T, class Sum>
void launch_long_rows(stream_t stream, batched_scan_task<T, Sum> task, const char* function) {
  const bool forward = task.forward, backward = task.backward;
  const auto scan_segment_sums = [&](bool from_end) {
    const std::uint64_t warps = smaller(ceil_div(task.shape.segments, simt::warp_size), Tuning::sums_warps);
    const unsigned threads = simt::warp_size * static_cast<unsigned>(warps);
    simt::launch(batched_scan_segments_kernel<Sum>,
                 simt::launch_config{dim3(tile_count(task.rows, 1, function)), dim3(threads),
                                     sizeof(warp_aggregates<Sum>), stream},
                 task.sums, task.shape.segments, from_end);
  };
  task.forward = task.backward = false;
  task.writes_segment_totals = true;
  launch_blocks_of_rows<Tuning>(stream, task, function);
  task.has_segment_prefixes = true;
  if (forward) {
    scan_segment_sums(false);
    task.forward = true;
    task.writes_segment_totals = backward;
    launch_blocks_of_rows<Tuning>(stream, task, function);
    task.in = {task.out.first, task.out.pitch, task.out.has_vectors};
  }
  if (backward) {
    scan_segment_sums(true);
    task.forward = task.writes_segment_totals = false;
    task.backward = true;
    launch_blocks_of_rows<Tuning>(stream, task, function);
  }
}

// Tuning: only tests use another than the default.
template <class Sum, class Tuning = batched_scan_tuning, class T>
void launch_batched_scan(const exec& where, const input<T>& in, const batch_layout& in_layout, const output<T>& out,
                         const batch_layout& out_layout, bool forward, bool backward, const char* function) {
  static_assert(is_number<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8,
                "batched_scan takes integers, float and double, and 16-bit floats");
  static_assert(is_accumulator_of<T, Sum>,
                "the accumulator is the item type; for float also double or double_float; for 16-bit floats float");
  require_rows(function, argument_of("in", in), "pitch", in_layout, sizeof(T));
  require_rows(function, argument_of("out", out), "out_pitch", out_layout, sizeof(T));
  const argument from{"in", in.data, in_layout.spanned_items() * sizeof(T)};
  const argument to{"out", out.data, out_layout.spanned_items() * sizeof(T)};
  const bool in_place = in.data == out.data && (in_layout.pitch == out_layout.pitch || in_layout.rows <= 1);
  if (!in_place) require_apart(function, {to}, {from});
  const std::uint64_t rows = in_layout.rows, length = in_layout.length;
  if (rows == 0 || length == 0) return;

  const batched_scan_shape shape = find_batched_scan_shape<Tuning>(length, sizeof(T));
  const scratch_lease lease(where, batched_scan_bytes<T, Sum, Tuning>(rows, length), function, {from, to});
  scratch_carver carver(lease.base());
  const batched_scan_task<T, Sum> task{{in.data, in_layout.pitch, rows_have_vectors(in.data, in_layout)},
                                       {out.data, out_layout.pitch, rows_have_vectors(out.data, out_layout)},
                                       rows,
                                       length,
                                       shape,
                                       forward,
                                       backward,
                                       carver.take<Sum>(segment_sum_count(shape, rows)),
                                       false,
                                       false};
  if (shape.is_short()) launch_short_rows<Tuning>(where.stream(), task, function);
  else if (shape.segments == 1) launch_blocks_of_rows<Tuning>(where.stream(), task, function);
  else if (!launch_single_block_rows<Tuning>(where.stream(), task, function))
    launch_long_rows<Tuning>(where.stream(), task, function);
}

}  // namespace ballot::detail
