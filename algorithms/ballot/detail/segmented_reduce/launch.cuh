// SPDX-License-Identifier: Apache-2.0
// The host's side of segmented reductions: the choice of a kernel, scratch, launches.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/view.hpp>
#include <ballot/detail/reduce_by_key/launch.cuh>
#include <ballot/detail/reduce_by_key/values.cuh>
#include <ballot/detail/segmented_reduce/block_kernel.cuh>
#include <ballot/detail/segmented_reduce/kernel.cuh>
#include <ballot/detail/segmented_reduce/parts_kernel.cuh>
#include <ballot/detail/segmented_reduce/rows_launch.cuh>
#include <ballot/detail/segmented_reduce/windows_kernel.cuh>
#include <ballot/device/indexed.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// Up to this number of items, a block reduces even the longest segment, without parts and without
// a launch for them. The first number is for short segments, the second for others. Both are guesses.
inline constexpr std::uint64_t most_items_without_parts = std::uint64_t{1} << 17,
                               most_items_of_long_without_parts = std::uint64_t{1} << 20;
inline constexpr unsigned most_part_blocks = 512;  // a block that finds no part costs its start

// The items of a part, by the number of all items.
constexpr std::uint64_t part_items_of(std::uint64_t n) {
  return larger(std::uint64_t{1} << 13, smaller(n >> 10, std::uint64_t{1} << 15));
}
// Ascending offsets never make more. A long segment has fewer than twice as many parts as whole
// parts.
constexpr std::uint64_t most_parts_of(std::uint64_t n) {
  if (n <= most_items_without_parts) return 0;
  if (n <= std::uint64_t{1} << 23) return 2 * ceil_div(n, std::uint64_t{1} << 13);
  return larger(2 * 1025, 2 * ceil_div(n, std::uint64_t{1} << 15));
}
// Which threads reduce a segment.
enum class segment_form {
  group,   // some lanes of a warp (kernel.cuh)
  block,   // a block (block_kernel.cuh)
  blocks,  // several blocks (block_kernel.cuh)
};
// A window has 2^13 items; or more, so that there are not many windows: their blocks take places from
// those of the next launch, or even delay it. H200, f32, us in a graph, windows of 2^14, 2^15 and 2^16:
//
//     250 segments of 33,000                                 9.4    8.0    7.9
//     1000 of 9000                                           9.6    8.6    8.5
//     100 segments, 3.3 million in one                       7.2    7.8    9.8
//     100 segments, 10 million in one                               10.5   14.1
constexpr unsigned window_bits_of(std::uint64_t n, std::size_t item_bytes) {
  const unsigned bits_of_some = item_bytes <= 4 ? 15 : 14, most_bits = 17;
  unsigned bits = 13;
  while (bits < most_bits && ceil_div(n, std::uint64_t{1} << bits) > (bits < bits_of_some ? 256 : 512)) ++bits;
  return bits;
}
// Room for the windows of n items: never fewer than of fewer items.
constexpr std::uint64_t most_windows_of(std::uint64_t n) {
  if (n <= most_items_without_parts) return 0;
  return larger(smaller(ceil_div(n, std::uint64_t{1} << 13), 512), ceil_div(n, std::uint64_t{1} << 17));
}
inline constexpr unsigned most_window_blocks = 512;
// The shared memory that a block of this launch asks for. A multiprocessor divides its memory between
// cache and shared memory as a kernel needs it, and can change this only while it runs no block. With as
// little as this launch needs, blocks of 128 threads of the next one would begin when these have ended:
// 500 segments of 2500 f32 7.1 us in place of 4.9, 4000 of 1000 9.6 in place of 7.9 (H200).
inline constexpr std::size_t shared_bytes_of_windows = 4096;

struct segment_plan {
  segment_form form;
  unsigned size;  // lanes, threads, or blocks
  bool has_parts;
};

// Few long segments have several blocks each. Otherwise each block would have many items. Up to the
// second number of items it does not matter much if one segment has almost all of them.
inline constexpr std::uint64_t most_items_without_blocks = std::uint64_t{1} << 15,
                               most_items_for_some_blocks = std::uint64_t{1} << 23;
inline constexpr unsigned most_segment_results = 1024;  // of blocks
// A segment that has a block is long if it has more than four times the mean, and than a part; or
// more than this. A block reduces so many items in some 7 us.
inline constexpr std::uint64_t most_items_of_block = std::uint64_t{1} << 17;
constexpr std::uint64_t long_items_of_block(std::uint64_t mean, std::uint64_t window_items) {
  return larger(window_items, smaller(4 * mean, most_items_of_block));
}
// The blocks of each of a few rows. H200, us in a graph, CUB 3.5.0, and about 264, 528 and 1024
// blocks in all (bench/results/nvidia-h200-2026-12-01-few-segments.txt):
//
//     rows of f32, 30 of 100,000      4.5     4.9    4.8    5.2
//     9 of 400,001                    5.2     5.7    6.1    6.3
//     30 of 400,001                  13.3    13.2   12.6   14.2
//     100 of 400,001                 40.1    46.2   42.8   42.8
constexpr unsigned blocks_of_few_rows(std::uint64_t rows) {
  return (rows <= 64 ? 528 : most_segment_results) / static_cast<unsigned>(rows);
}
// Those of each of a few segments. If one has nearly all items, others have no use for theirs.
constexpr unsigned blocks_of_few_segments(std::uint64_t segments, std::uint64_t n) {
  const bool has_many = n > most_items_for_some_blocks || segments > 16;
  return (has_many ? most_segment_results : 528) / static_cast<unsigned>(segments);
}

// If there are few segments, each gets more threads than the mean length needs. A block with one
// item for each thread waits for memory only once, and a long segment takes less time. H100,
// 2026-11-24, i32 sums by offsets, us in a graph, CUB 3.5.0 and blocks of 128, 256, 512 threads:
//
//     65,537 items in segments of 1000                    2.2    2.7    2.2    2.1
//     65,537 items in segments of 100                     2.0    2.1    2.3    3.2
//     1,000,003 of 1000                                   3.0    3.2    3.3    4.5
//     1,000,003 of 4000                                   4.9    6.3    4.2    3.3
//     12,000,017 of 1000, with a launch for parts        24.7   23.7   26.5      -
//
// H200, 2026-12-01, f32: 1000 segments of 2500 3.3, 3.6 (256 threads), 5.2 (512); 1000 of 9000 6.5,
// 6.4, 8.0; 400 of 33,000 11.3, 14.8, 12.8.
//
// On average more items have 16 loads of a thread in flight: 60 of 33,000 f32 4.3 us in place of 4.6, of
// 100,000 f64 12.7 in place of 16.7.
inline constexpr std::uint64_t most_items_of_few_loads = std::uint64_t{1} << 14;
constexpr unsigned threads_of_segment(std::uint64_t mean, std::uint64_t segments) {
  // So many blocks of 512 threads do not run at once.
  if (segments >= 384 && segments <= 1024 && mean > 2048 && mean <= 1u << 14)
    return segments > 700 && mean <= 4096 ? 128 : 256;
  if (mean > 2048 || (mean > 200 && segments <= 256)) return 512;
  return segments <= 256 || (mean > 400 && segments <= 1056) ? 256 : 128;
}
// Items of a lane on average, in groups. Larger groups also bear longer segments. H100, as above,
// CUB and groups:
//
//     65,537 items in segments of 30         3.5     groups of 8, 16 and 32 lanes   2.6   2.2   2.4
//     1,000,003 of 30                         31     groups of 4, 8 and 16          7.0   7.7   9.8
//     1,000,003 of 100                      10.5     groups of 8, 16 and 32         5.2   5.5   6.1
//     of all lengths ("mixed", mean 9)       102     groups of 1, 4 and 8            47    28    21
constexpr std::uint64_t items_of_lane(std::uint64_t n) {
  return n <= std::uint64_t{1} << 19 ? 2 : n <= std::uint64_t{1} << 20 ? 4 : 16;
}
constexpr segment_plan plan_of(std::uint64_t n, std::uint64_t segments) {
  const std::uint64_t mean = n / segments;
  const bool has_parts = n > (mean <= 64 ? most_items_without_parts : most_items_of_long_without_parts);
  if (mean > most_items_without_blocks && segments <= (n > most_items_for_some_blocks ? 8u : 32u))
    return {segment_form::blocks,
            static_cast<unsigned>(
                smaller(ceil_div(n, blocks_of_segment::least_items), blocks_of_few_segments(segments, n))),
            false};
  if (mean > 400 || segments <= 256 || (mean >= 32 && segments <= 1056))
    return {segment_form::block, threads_of_segment(mean, segments), has_parts};
  // H200, 2026-11-23, 2^28 items in segments of 64: 4 lanes 434 us, 8 lanes 559. H100: 12,000,017
  // in segments of 100 and of 300: 1 lane 37 and 45 us, 4 lanes 36 and 32; 2^28 in segments of 100:
  // 570 and 634.
  if (n > std::uint64_t{1} << 23) return {segment_form::group, mean <= 150 ? 1u : 4u, has_parts};
  unsigned group = 1;
  while (group < simt::warp_size && group * items_of_lane(n) < mean) group *= 2;
  return {segment_form::group, group, has_parts};
}

// The results of blocks, the list of parts, or what windows have. No call needs two of them.
template <class T>
struct segmented_reduce_scratch {
  T* results = nullptr;
  part_list<T> list{};
  segment_windows<T> windows{0, 0, ~std::uint64_t{0}, nullptr, nullptr, nullptr};
  std::size_t bytes = 0;

  segmented_reduce_scratch(std::byte* base, std::uint64_t n) {
    if (n > most_items_without_blocks) {
      scratch_carver carver(base);
      results = carver.take<T>(most_segment_results);
      bytes = carver.bytes();
    }
    if (const std::uint64_t capacity = most_parts_of(n); capacity != 0) {
      scratch_carver carver(base);
      list.part_items = list.long_items = part_items_of(n);
      list.count = carver.take<std::uint64_t>(2);  // one is used
      list.parts = carver.take<segment_part>(capacity);
      list.done = carver.take<std::uint32_t>(capacity);
      list.results = carver.take<T>(capacity);
      bytes = larger(bytes, carver.bytes());
    }
    if (const std::uint64_t room = most_windows_of(n); room != 0) {
      scratch_carver carver(base);
      windows.found = carver.take<segments_of_window>(room);
      windows.first = carver.take<T>(room);
      windows.further = carver.take<T>(room);
      bytes = larger(bytes, carver.bytes());
    }
  }
};

// The size never decreases with n.
template <class T>
std::size_t segmented_reduce_bytes(std::uint64_t n) {
  return segmented_reduce_scratch<T>(nullptr, n).bytes;
}

// Values: how an item is reduced (device/detail/reduce_kernel.cuh). Input: input<...> or
// view_input<...>. Output: an output or a view_output, with room for all results. chosen: only
// tests and measurements use it.
template <class Values, class Input, class Segments, class Op, class Output>
void launch_segmented_reduce(stream_t stream, std::byte* base, const Input& in, const Segments& segments,
                             std::uint64_t results, typename Values::value_type initial, const Op& op,
                             const Output& output_of_call, const char* function, const segment_plan* chosen = nullptr) {
  using T = typename Values::value_type;
  using In = source_of_input_t<Input>;
  using Item = typename Input::value_type;
  const std::uint64_t n = in.capacity();
  if (results == 0) return;
  const auto out = output_of_kernel(output_of_call);
  using Out = std::remove_const_t<decltype(out)>;
  const auto applied = as_operator<T>(op);
  using applied_op = std::remove_const_t<decltype(applied)>;
  segment_plan plan = chosen != nullptr ? *chosen : plan_of(n, results);
  if constexpr (std::is_same_v<Segments, segments_by_length>) {
    // No row is longer than others, so more of them may have several blocks.
    if (chosen == nullptr &&
        (plan.form == segment_form::blocks || (results < many_long_rows && n / results > most_row_items_of_block)))
      plan = {segment_form::blocks, blocks_of_few_rows(results), false};
    if (plan.form == segment_form::blocks)
      plan.size = static_cast<unsigned>(smaller(plan.size, ceil_div(segments.items, blocks_of_segment::least_items)));
  }
  if constexpr (std::is_same_v<Segments, segments_by_length> && is_commutative<applied_op, T>)
    if (chosen == nullptr && plan.form != segment_form::blocks &&
        launch_rows<Values>(stream, in, segments.items, applied, initial, results, out, function))
      return;
  segmented_reduce_scratch<T> scratch(base, n);
  const bool has_list = plan.has_parts && plan.form == segment_form::group,
             has_windows = plan.has_parts && plan.form == segment_form::block && scratch.windows.found != nullptr;
  if (has_list) scratch.list.capacity = most_parts_of(n);
  if (has_windows) {
    scratch.windows.bits = window_bits_of(n, sizeof(Item));
    scratch.windows.count = ceil_div(n, std::uint64_t{1} << scratch.windows.bits);
    scratch.windows.long_items = long_items_of_block(n / results, std::uint64_t{1} << scratch.windows.bits);
  }
  const segmented_reduce_arguments<In, Segments, applied_op, T, Out> arguments{
      source_of_input(in),
      in.length,
      segments,
      results,
      applied,
      initial,
      out,
      device::is_vector_aligned<1>(source_of_input(in)),
      scratch.list,
      scratch.windows};
  const auto config = [&](std::uint64_t grid, unsigned threads, std::size_t shared_bytes, bool overlaps) {
    return simt::launch_config{.grid = dim3(tile_count(grid, 1, function)),
                               .block = dim3(threads),
                               .shared_bytes = shared_bytes,
                               .stream = stream,
                               .overlaps_previous_launch = overlaps};
  };
  if (plan.form == segment_form::blocks) {
    const blocks_of_segment split{plan.size};
    auto of_vectors = arguments;
    of_vectors.aligned = device::is_vector_aligned<within_segments_shape<Item, Segments>::width>(source_of_input(in));
    if constexpr (std::is_same_v<Segments, segments_by_length>)
      of_vectors.aligned = of_vectors.aligned && segments.items % within_segments_shape<Item, Segments>::width == 0;
    simt::launch(reduce_within_segments_kernel<Values, In, Segments, applied_op, Out>,
                 config(results * split.blocks, threads_of_block_of_segment,
                        sizeof(segment_block_storage<T, threads_of_block_of_segment>), false),
                 of_vectors, split, scratch.results);
    simt::launch(reduce_results_of_segments_kernel<In, Segments, applied_op, T, Out>,
                 config(results, segment_threads, sizeof(device::reduce_storage<T, segment_warps>), true), arguments,
                 split, scratch.results);
    return;
  }
  if (has_list) launch_clear(stream, scratch.list.count, sizeof(two_zeros));
  if (has_windows)
    simt::launch(reduce_windows_kernel<Values, In, Segments, applied_op, Out>,
                 config(smaller(scratch.windows.count, most_window_blocks), segment_threads,
                        larger(sizeof(device::reduce_storage<T, segment_warps>), shared_bytes_of_windows), false),
                 arguments);
  // Few items have a kernel that cannot divide segments, since it has fewer instructions. (With those for
  // parts, 65 segments of 1000 f32 took 3.0 us in a graph, before there were any 2.8; H200.)
  const auto by_blocks = [&]<unsigned Threads, unsigned Loads, bool HasParts>() {
    simt::launch(reduce_segments_by_blocks_kernel<Values, Threads, Loads, HasParts, In, Segments, applied_op, Out>,
                 config(results, Threads, sizeof(segment_block_storage<T, Threads>), has_windows), arguments);
  };
  if (plan.form == segment_form::group)
    simt::launch(reduce_segments_kernel<Values, In, Segments, applied_op, Out>,
                 config(ceil_div(results, segment_threads / plan.size), segment_threads,
                        sizeof(segmented_reduce_storage<T>), has_list),
                 arguments, plan.size);
  else if (plan.size == 128) by_blocks.template operator()<128, 8, true>();
  else if (plan.size == 256) by_blocks.template operator()<256, 8, true>();
  else if (!has_windows) by_blocks.template operator()<512, 8, false>();
  else if (n / results <= most_items_of_few_loads) by_blocks.template operator()<512, 8, true>();
  else by_blocks.template operator()<512, 16, true>();
  if (has_list)
    simt::launch(
        reduce_parts_kernel<Values, In, Segments, applied_op, Out>,
        config(smaller(scratch.list.capacity, most_part_blocks), segment_threads, sizeof(parts_storage<T>), true),
        arguments);
}

// The values of arg_min and arg_max by head flags: items with their positions. V: as in
// values_of_range.
template <class T, class V>
struct indexed_values {
  using value_type = indexed<T>;
  static constexpr bool is_direct = false;
  static constexpr std::size_t loaded_bytes = value_source<V>::loaded_bytes;
  typename value_source<V>::type data;
  __device__ __forceinline__ indexed<T> operator[](std::uint64_t i) const { return {i, static_cast<T>(data[i])}; }
};
template <class Values, class Input>
auto make_flagged_values(const Input& in) {
  using T = typename Values::value_type;
  using Item = typename Input::value_type;
  using V = typename value_of_input<Input>::type;
  if constexpr (std::is_same_v<T, indexed<Item>>) return indexed_values<Item, V>{source_of_input(in)};
  else return values_of_range<T, V>{source_of_input(in)};
}

}  // namespace ballot::detail
