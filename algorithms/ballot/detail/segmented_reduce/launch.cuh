// SPDX-License-Identifier: Apache-2.0
// Segmented reductions on the host: who reduces, scratch, launches.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/reduce_by_key/launch.cuh>
#include <ballot/detail/segmented_reduce/kernel.cuh>
#include <ballot/detail/segmented_reduce/rows_launch.cuh>
#include <ballot/device/indexed.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

// Up to so many items, a block reduces even the longest segment, without a list and the launch for it. A guess.
inline constexpr std::uint64_t most_items_without_list = std::uint64_t{1} << 20;
inline constexpr unsigned most_part_blocks = 1024;

// The items of a part, by all items.
constexpr std::uint64_t part_items_of(std::uint64_t n) {
  return larger(std::uint64_t{1} << 13, smaller(n >> 10, std::uint64_t{1} << 15));
}
// Ascending offsets make no more: a long segment has less than twice as many parts as it has whole ones.
constexpr std::uint64_t most_parts_of(std::uint64_t n) {
  if (n <= most_items_without_list) return 0;
  if (n <= std::uint64_t{1} << 23) return 2 * ceil_div(n, std::uint64_t{1} << 13);
  return larger(2 * 1025, 2 * ceil_div(n, std::uint64_t{1} << 15));
}
// Lanes that reduce a segment of the mean length; 256 for a block, also where so few segments would leave most of a GPU
// idle. H200, 2026-11-23, u32 by offsets: of 2^28 items in segments of 64, 4 lanes 434 us, 8 lanes 559; of 100, 4 lanes
// 398, 8 lanes 494; of 1000, 4 lanes (which leave them to warps) 264, 32 lanes 329. Of 2^20 items in segments of 256,
// 16 lanes 2.9 us, 4 lanes 5.3; of 1000, 32 lanes 3.4, 4 lanes 9.9.
constexpr unsigned group_of(std::uint64_t n, std::uint64_t segments) {
  const std::uint64_t mean = n / segments;
  if (mean > 2048 || (mean > 256 && segments <= 1024)) return segment_threads;
  if (n > std::uint64_t{1} << 23) return mean <= 32 ? 1 : mean > 400 && n <= std::uint64_t{1} << 24 ? 16 : 4;
  unsigned group = 1;
  while (group < simt::warp_size && group * 16 < mean) group *= 2;
  return group;
}

template <class T>
struct segmented_reduce_scratch {
  part_list<T> list;

  segmented_reduce_scratch(scratch_carver& carver, std::uint64_t n) : list{} {
    list.capacity = most_parts_of(n);
    list.part_items = part_items_of(n);
    if (list.capacity == 0) return;
    list.count = carver.take<std::uint64_t>(2);  // one is used
    list.parts = carver.take<segment_part>(list.capacity);
    list.done = carver.take<std::uint32_t>(list.capacity);
    list.results = carver.take<T>(list.capacity);
  }
};

// It never decreases with n.
template <class T>
std::size_t segmented_reduce_bytes(std::uint64_t n) {
  scratch_carver measure;
  segmented_reduce_scratch<T>(measure, n);
  return measure.bytes();
}

// Values: how an item is reduced (device/detail/reduce_kernel.cuh). Output: an output or a view_output, with room for
// all results. chosen_group: of tests and measurements.
template <class Values, class Item, class Segments, class Op, class Output>
void launch_segmented_reduce(stream_t stream, std::byte* base, const input<Item>& in, const Segments& segments,
                             std::uint64_t results, typename Values::value_type initial, const Op& op,
                             const Output& output_of_call, const char* function, unsigned chosen_group = 0) {
  using T = typename Values::value_type;
  const std::uint64_t n = in.capacity();
  if (results == 0) return;
  const auto out = as_stored(output_of_call);
  using Out = std::remove_const_t<decltype(out)>;
  const auto applied = as_operator<T>(op);
  using applied_op = std::remove_const_t<decltype(applied)>;
  if constexpr (std::is_same_v<Segments, segments_by_length> && is_commutative<applied_op, T>)
    if (chosen_group == 0 && launch_rows<Values>(stream, in, segments.items, applied, initial, results, out, function))
      return;
  const unsigned group = chosen_group != 0 ? chosen_group : group_of(n, results);
  const std::uint32_t blocks = tile_count(results, segment_threads / group, function);
  scratch_carver carver(base);
  const segmented_reduce_scratch<T> scratch(carver, n);
  const segmented_reduce_arguments<Item, Segments, applied_op, T, Out> arguments{
      in.data,     in.length, segments, results, applied, initial, out, block::is_vector_aligned<Item, 1>(in.data),
      scratch.list};
  const bool has_list = scratch.list.capacity != 0;
  const auto config = [&](std::uint32_t grid) {
    return simt::launch_config{.grid = dim3(grid),
                               .block = dim3(segment_threads),
                               .shared_bytes = sizeof(segmented_reduce_storage<T>),
                               .stream = stream,
                               .overlaps_previous_launch = has_list};
  };
  if (has_list) launch_clear(stream, scratch.list.count, sizeof(two_zeros));
  simt::launch(reduce_segments_kernel<Values, Item, Segments, applied_op, Out>, config(blocks), arguments, group);
  if (has_list)
    simt::launch(reduce_parts_kernel<Values, Item, Segments, applied_op, Out>,
                 config(static_cast<std::uint32_t>(smaller(scratch.list.capacity, most_part_blocks))), arguments);
}

// The values of arg_min and arg_max by head flags: with their positions.
template <class T>
struct indexed_values {
  using value_type = indexed<T>;
  static constexpr bool is_direct = false;
  static constexpr std::size_t loaded_bytes = sizeof(T);
  const T* data;
  __device__ __forceinline__ indexed<T> operator[](std::uint64_t i) const { return {i, data[i]}; }
};
template <class Values, class Item>
auto make_flagged_values(const Item* data) {
  if constexpr (std::is_same_v<typename Values::value_type, indexed<Item>>) return indexed_values<Item>{data};
  else return values_of_range<typename Values::value_type, Item>{data};
}

}  // namespace ballot::detail
