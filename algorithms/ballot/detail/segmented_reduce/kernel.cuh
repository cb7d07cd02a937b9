// SPDX-License-Identifier: Apache-2.0
// The kernels of segmented reductions where most segments are short (block_kernel.cuh has the
// others). The length of a segment says who reduces it:
//
//     up to 64 items a lane    a group of 1 to 32 lanes; a warp has several groups
//     up to 4096               a warp
//     up to a part             a block; a part has 2^13 to 2^15 items, by the number of all items
//     longer                   blocks of a second launch, a part each (parts_kernel.cuh)
//
// So short segments share a warp, and a long one is spread over the GPU. If there are few items,
// there is no second launch, and a block reduces the longest segments, too. The host chooses the
// group by the mean length, so that a lane has a few loads in flight. If a segment is too long for
// a group, the group leaves it to the warp. If it is too long for the warp, the warp leaves it to
// the block. If it is too long for the block, the block appends its parts to a list in memory.
//
// A segment is always reduced in the same way, by its length and the group: the result does not
// depend on other segments or on timing. Operands keep their order, unless the operator commutes.
//
// Shared memory: an item a warp, and the list of the block's long segments.
// Sources: Harris, Optimizing Parallel Reduction in CUDA, 2007; the queues are those of Merrill,
// Garland and Grimshaw, Scalable GPU Graph Traversal, 2012.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/stored_output.cuh>
#include <ballot/detail/segmented_reduce/part_list.cuh>
#include <ballot/detail/segmented_reduce/segments.cuh>
#include <ballot/device/detail/reduce_kernel.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstdint>

namespace ballot::detail {

template <class T>
struct segmented_reduce_storage {
  device::reduce_storage<T, segment_warps> warps;
  unsigned long_segments;
  std::uint64_t first_part;
  std::uint64_t segment[segment_threads];
};

// op of a segment's items by a group of lanes, in the group's first lane; unspecified for no items.
// All lanes of the warp call together, each group with its own segment.
template <class Values, class In, class Op>
__device__ __forceinline__ typename Values::value_type reduce_by_group(In in, segment_range segment, unsigned group,
                                                                       Op op) {
  using T = typename Values::value_type;
  using Item = item_of_source<In>;
  const unsigned lane = simt::lane_id() & (group - 1);
  const auto items = static_cast<unsigned>(segment.length);  // of a short segment
  // If the operator commutes, a lane takes every group-th item, else equally many neighbours.
  constexpr bool commutes = is_commutative<Op, T>;
  const unsigned each = (items + group - 1) / group;
  const unsigned step = commutes ? group : 1u;
  unsigned at = commutes ? lane : lane * each;
  const unsigned end = commutes || at + each > items ? items : at + each;
  const unsigned valid_lanes =
      commutes ? (items < group ? items : group) : (each == 0 ? 0u : (items + each - 1) / each);
  T sum{};
  bool has_sum = false;
  for (; at < end; at += group_loads * step) {
    Item item[group_loads];
#pragma unroll
    for (unsigned i = 0; i < group_loads; ++i)
      if (at + i * step < end) item[i] = static_cast<Item>(in[segment.begin + at + i * step]);
#pragma unroll
    for (unsigned i = 0; i < group_loads; ++i) {
      if (at + i * step >= end) continue;
      const T next = Values::one(item[i], segment.begin + at + i * step);
      sum = has_sum ? op(sum, next) : next;
      has_sum = true;
    }
  }
  simt::sync_warp();
  for (unsigned distance = 1; distance < group; distance *= 2) {
    const T above = simt::shuffle_down(sum, distance);
    if (lane + distance < valid_lanes) sum = op(sum, above);
  }
  return sum;
}

// op of the items from `begin` to `end`, at least one, by a block, in thread 0. All threads call;
// two barriers. If the operator commutes, a thread takes every 256th item, else each warp has a
// range of them.
template <class Values, class In, class Op>
__device__ __forceinline__ typename Values::value_type reduce_by_block(
    device::reduce_storage<typename Values::value_type, segment_warps>& shared, In in, std::uint64_t begin,
    std::uint64_t end, bool aligned, Op op) {
  using T = typename Values::value_type;
  using Item = item_of_source<In>;
  T sum{};
  unsigned warps;
  if constexpr (is_commutative<Op, T>) {
    constexpr unsigned loads = sizeof(Item) <= 4 ? 16 : sizeof(Item) <= 8 ? 8 : 4;
    bool has_sum = false;
    for (std::uint64_t at = begin + simt::thread_rank(); at < end; at += loads * segment_threads) {
      Item item[loads];
      if (end - at > (loads - 1) * segment_threads) {
#pragma unroll
        for (unsigned i = 0; i < loads; ++i) item[i] = static_cast<Item>(in[at + i * segment_threads]);
        T next = Values::one(item[0], at);
#pragma unroll
        for (unsigned i = 1; i < loads; ++i) next = op(next, Values::one(item[i], at + i * segment_threads));
        sum = has_sum ? op(sum, next) : next;
        has_sum = true;
      } else {
#pragma unroll
        for (unsigned i = 0; i < loads; ++i)
          if (i * segment_threads < end - at) item[i] = static_cast<Item>(in[at + i * segment_threads]);
#pragma unroll
        for (unsigned i = 0; i < loads; ++i) {
          if (i * segment_threads >= end - at) continue;
          const T next = Values::one(item[i], at + i * segment_threads);
          sum = has_sum ? op(sum, next) : next;
          has_sum = true;
        }
      }
    }
    const auto valid = static_cast<unsigned>(smaller(end - begin, segment_threads));
    const unsigned first_of_warp = simt::warp_id() * simt::warp_size;
    warps = (valid + simt::warp_size - 1) / simt::warp_size;
    if (first_of_warp < valid) {
      const unsigned lanes = valid - first_of_warp;
      sum = warp::reduce(sum, op, warp::first_items{lanes < simt::warp_size ? lanes : simt::warp_size});
    }
  } else {
    using shape = segment_shape_of<Item>;
    const std::uint64_t tiles = ceil_div(end - begin, shape::warp_items);
    const std::uint64_t each = ceil_div(tiles, segment_warps) * shape::warp_items;
    warps = static_cast<unsigned>(ceil_div(end - begin, each));
    const std::uint64_t first = begin + simt::warp_id() * each;
    if (simt::warp_id() < warps)
      sum = device::reduce_range<shape, Values>(in, first, smaller(first + each, end), aligned, op);
  }
  sum = device::reduce_first_warps(shared, sum, warps, op);
  simt::sync_block();
  return sum;
}

// A segment that a block reduces, or appends to the list.
template <class Values, class Arguments>
__device__ __forceinline__ void reduce_long_segment(const Arguments& a,
                                                    segmented_reduce_storage<typename Values::value_type>& shared,
                                                    std::uint64_t segment, segment_range range) {
  if (a.list.capacity != 0 && range.length > a.list.long_items &&
      append_parts(shared.first_part, a.list, segment, ceil_div(range.length, a.list.part_items)))
    return;
  const auto sum =
      reduce_by_block<Values>(shared.warps, a.in, range.begin, range.begin + range.length, a.aligned, a.op);
  if (simt::thread_rank() == 0)
    store_at(a.out, segment, static_cast<typename Values::value_type>(a.op(a.initial, sum)));
}

// Groups of `group` lanes, a power of two up to 32. Each group has one segment.
template <class Values, class In, class Segments, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(segment_threads)
    reduce_segments_kernel(segmented_reduce_arguments<In, Segments, Op, typename Values::value_type, Out> a,
                           unsigned group) {
  using T = typename Values::value_type;
  auto& shared = simt::shared_storage<segmented_reduce_storage<T>>();
  simt::let_next_launch_begin();     // for the parts
  simt::wait_for_previous_launch();  // which clears the list's count
  const std::uint64_t n = a.length.get(), segments = smaller(a.segments.count(n), a.most_segments);
  const unsigned thread = simt::thread_rank(), lane = simt::lane_id();
  const std::uint64_t first_of_block = std::uint64_t{blockIdx.x} * (segment_threads / group);
  if (first_of_block >= segments) return;  // a surplus block of a launch sized for the capacity
  if (thread == 0) shared.long_segments = 0;
  simt::sync_block();

  const std::uint64_t segment = first_of_block + thread / group;
  const bool is_first = (lane & (group - 1)) == 0, exists = segment < segments;
  segment_range range{0, 0};
  if (exists) range = a.segments(segment, n);
  const bool is_short = range.length <= group * most_items_of_lane;
  const T sum = reduce_by_group<Values>(a.in, segment_range{range.begin, is_short ? range.length : 0}, group, a.op);
  if (exists && is_short && is_first)
    store_at(a.out, segment, range.length == 0 ? a.initial : static_cast<T>(a.op(a.initial, sum)));

  // Longer segments, one after the other.
  for (unsigned longer = simt::ballot(exists && !is_short && is_first); longer != 0; longer &= longer - 1) {
    const auto owner = static_cast<unsigned>(simt::find_first(longer));
    const std::uint64_t begin = simt::shuffle(range.begin, owner), length = simt::shuffle(range.length, owner);
    if (length <= most_items_of_warp) {
      const T in_first_lane = device::reduce_range<segment_shape_of<item_of_source<In>>, Values>(
          a.in, begin, begin + length, a.aligned, a.op);
      const T of_warp = simt::shuffle(in_first_lane, 0);
      if (lane == owner) store_at(a.out, segment, static_cast<T>(a.op(a.initial, of_warp)));
    } else if (lane == owner) {
      // Relaxed: a barrier follows.
      shared.segment[simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.long_segments, 1u)] = segment;
    }
  }
  simt::sync_block();
  const unsigned long_segments = shared.long_segments;
  for (unsigned i = 0; i < long_segments; ++i) {
    const std::uint64_t of_list = shared.segment[i];
    reduce_long_segment<Values>(a, shared, of_list, a.segments(of_list, n));
  }
}

}  // namespace ballot::detail
