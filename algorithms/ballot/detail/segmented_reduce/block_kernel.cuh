// SPDX-License-Identifier: Apache-2.0
// The kernels of segmented reductions where a segment has a block, or several:
//
//     few segments, or segments   A block of 128 to 512 threads each, chosen by the mean length.
//     of some 500 items and more  Blocks do not wait for each other, so a long segment delays no
//                                 other. The launch before has reduced the parts of segments that
//                                 are much longer than the mean (windows.cuh).
//     few long segments           Several blocks each. A second launch reduces their results.
//
// If the operator commutes, a thread takes every item at the distance of the block's threads. So
// the loads of a warp are next to each other at any address. Otherwise each warp has a range of
// items. Rows of one length that several blocks take are loaded as vectors.
//
// The association of the operands depends on the length of the segment, and on the numbers of
// threads and blocks. The host chooses these by the lengths of the input and of the output.
//
// A block has little to do, and as many as possible should run at once. So the kernels take few
// registers, and few instructions before the first load.
//
// Shared memory: an item a warp. Barriers: one, or none where one warp has all items.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/stored_output.cuh>
#include <ballot/detail/segmented_reduce/part_list.cuh>
#include <ballot/detail/segmented_reduce/segments.cuh>
#include <ballot/detail/segmented_reduce/windows.cuh>
#include <ballot/device/detail/reduce_kernel.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// op of every item at a distance of Threads from item `thread`, in order. thread < items. Loads: of
// a thread, in flight.
template <class Values, unsigned Threads, unsigned Loads, class In, class Op>
__device__ __forceinline__ typename Values::value_type reduce_strided(In in, std::uint64_t begin, std::uint64_t items,
                                                                      unsigned thread, Op op) {
  using T = typename Values::value_type;
  using Item = item_of_source<In>;
  constexpr unsigned most_loads = sizeof(Item) <= 8 ? Loads : Loads / 2, loads = most_loads / 2;
  std::uint64_t at = begin + thread, left = items - thread;  // this thread's item, and how many are there from it on
  T sum{};
  bool has_sum = false;
  const auto append = [&](const T& next) {
    sum = has_sum ? op(sum, next) : next;
    has_sum = true;
  };
#pragma unroll 1
  for (; left > (most_loads - 1) * Threads; at += most_loads * Threads) {
    Item item[most_loads];
#pragma unroll
    for (unsigned i = 0; i < most_loads; ++i) item[i] = static_cast<Item>(in[at + i * Threads]);
    T next = Values::one(item[0], at);
#pragma unroll
    for (unsigned i = 1; i < most_loads; ++i) next = op(next, Values::one(item[i], at + i * Threads));
    append(next);
    if (left <= most_loads * Threads) return sum;
    left -= most_loads * Threads;
  }
  auto rest = static_cast<unsigned>(left);
#pragma unroll 1
  for (;; at += loads * Threads, rest -= loads * Threads) {
    Item item[loads];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i)
      if (i * Threads < rest) item[i] = static_cast<Item>(in[at + i * Threads]);
    T next = Values::one(item[0], at);
#pragma unroll
    for (unsigned i = 1; i < loads; ++i)
      if (i * Threads < rest) next = op(next, Values::one(item[i], at + i * Threads));
    append(next);
    if (rest <= loads * Threads) return sum;
  }
}

template <class T, unsigned Threads>
struct segment_block_storage {
  device::reduce_storage<T, Threads / simt::warp_size> warps;
};

// op of the items from `begin` on, at least one, by a block, in order; the result is in thread 0.
// Each warp has a range of whole warp tiles of Shape. All threads call.
template <class Values, class Shape, class In, class Op, int Warps>
__device__ __forceinline__ typename Values::value_type reduce_by_warps(
    device::reduce_storage<typename Values::value_type, Warps>& shared, In in, std::uint64_t begin, std::uint64_t items,
    bool aligned, Op op) {
  typename Values::value_type sum{};
  const std::uint64_t tiles = ceil_div(items, Shape::warp_items);
  const std::uint64_t each = (tiles <= Warps ? 1 : ceil_div(tiles, Warps)) * Shape::warp_items;
  const std::uint64_t first = simt::warp_id() * each;
  if (first < items)
    sum = device::reduce_range<Shape, Values>(in, begin + first, begin + smaller(first + each, items), aligned, op);
  if (items <= each) return sum;
  return device::reduce_first_warps(shared, sum, static_cast<unsigned>(ceil_div(items, each)), op);
}

// The same, in order only if the operator does not commute.
template <class Values, unsigned Threads, unsigned Loads = 8, class In, class Op, int Warps>
__device__ __forceinline__ typename Values::value_type reduce_by_threads(
    device::reduce_storage<typename Values::value_type, Warps>& shared, In in, std::uint64_t begin, std::uint64_t items,
    bool aligned, Op op) {
  using T = typename Values::value_type;
  if constexpr (is_commutative<Op, T>) {
    const unsigned thread = simt::thread_rank(), first_of_warp = simt::warp_id() * simt::warp_size;
    const auto valid = static_cast<unsigned>(smaller(items, Threads));  // threads that have an item
    T sum{};
    if (thread < valid) sum = reduce_strided<Values, Threads, Loads>(in, begin, items, thread, op);
    simt::sync_warp();
    if (first_of_warp < valid)
      sum = device::reduce_lanes(sum, device::smaller_of(valid - first_of_warp, simt::warp_size), op);
    if (valid <= simt::warp_size) return sum;
    return device::reduce_first_warps(shared, sum, (valid + simt::warp_size - 1) / simt::warp_size, op);
  } else {
    return reduce_by_warps<Values, segment_shape_of<item_of_source<In>>>(shared, in, begin, items, aligned, op);
  }
}

// How many blocks a multiprocessor runs at once.
template <class T, class Op, unsigned Threads, unsigned Loads>
inline constexpr int segment_blocks_at_once =
    (sizeof(T) <= 4 && is_commutative<Op, T> && Loads <= 8 ? most_threads_at_once : 1024) / static_cast<int>(Threads);

// One block for each segment. HasParts: whether long segments are divided.
template <class Values, unsigned Threads, unsigned Loads, bool HasParts, class Arguments>
__device__ __forceinline__ void reduce_segment_of_block(const Arguments& a) {
  using T = typename Values::value_type;
  using item = item_of_source<decltype(a.in)>;
  auto& shared = simt::shared_storage<segment_block_storage<T, Threads>>();
  const std::uint64_t segment = blockIdx.x;
  const auto offsets = a.segments.load(segment);  // at once: whether the segment exists may have to be loaded, too
  const std::uint64_t n = a.length.get();
  const segment_range range = a.segments.range(offsets, segment, n);
  if (segment >= smaller(a.segments.count(n), a.most_segments)) return;
  if (range.length == 0) {
    if (simt::thread_rank() == 0) store_at(a.out, segment, a.initial);
    return;
  }
  T sum{};
  bool has_sum = false;
  if constexpr (HasParts)
    if (range.length > a.windows.long_items)
      has_sum = reduce_results_of_parts<segment_shape_of<item, Threads>>(shared.warps, a, segment, range, sum);
  if (!has_sum)
    sum = reduce_by_threads<Values, Threads, Loads>(shared.warps, a.in, range.begin, range.length, a.aligned, a.op);
  if (simt::thread_rank() == 0) store_at(a.out, segment, static_cast<T>(a.op(a.initial, sum)));
}
template <class Values, unsigned Threads, unsigned Loads, bool HasParts, class In, class Segments, class Op,
          class Out = typename Values::value_type*>
__global__ void __launch_bounds__(Threads, (segment_blocks_at_once<typename Values::value_type, Op, Threads, Loads>))
    reduce_segments_by_blocks_kernel(segmented_reduce_arguments<In, Segments, Op, typename Values::value_type, Out> a) {
  reduce_segment_of_block<Values, Threads, Loads, HasParts>(a);
  if constexpr (HasParts) wait_for_parts(a.windows);
}

// Several blocks for each segment.
inline constexpr unsigned threads_of_block_of_segment = 256;
struct blocks_of_segment {
  unsigned blocks;

  static constexpr std::uint64_t least_items = 4096;  // of a block
  // For a segment of so many items: the items of each of its blocks but the last.
  BALLOT_HOST_DEVICE constexpr std::uint64_t items_of_block(std::uint64_t length) const {
    return length <= least_items * blocks ? least_items : ceil_div(ceil_div(length, blocks), 1024) * 1024;
  }
};
// Rows of one length are loaded as vectors.
template <class Item, class Segments>
using within_segments_shape =
    device::reduce_shape<threads_of_block_of_segment, 4,
                         std::is_same_v<Segments, segments_by_length> ? block::vector_width<Item>() : 1, 1, 1>;

// split.blocks blocks for each segment. results: an item for each block. aligned: to the shape's
// vectors.
template <class Values, class In, class Segments, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(threads_of_block_of_segment)
    reduce_within_segments_kernel(segmented_reduce_arguments<In, Segments, Op, typename Values::value_type, Out> a,
                                  blocks_of_segment split, typename Values::value_type* results) {
  using T = typename Values::value_type;
  auto& shared = simt::shared_storage<segment_block_storage<T, threads_of_block_of_segment>>();
  const unsigned segment = blockIdx.x / split.blocks, block = blockIdx.x - segment * split.blocks;
  const auto offsets = a.segments.load(segment);
  simt::let_next_launch_begin();  // for the results
  const std::uint64_t n = a.length.get();
  if (segment >= smaller(a.segments.count(n), a.most_segments)) return;
  const segment_range range = a.segments.range(offsets, segment, n);
  const std::uint64_t each = split.items_of_block(range.length), begin = block * each;
  if (begin >= range.length) return;
  const std::uint64_t items = smaller(each, range.length - begin);
  T sum;
  if constexpr (std::is_same_v<Segments, segments_by_length>)
    sum = reduce_by_warps<Values, within_segments_shape<item_of_source<In>, Segments>>(
        shared.warps, a.in, range.begin + begin, items, a.aligned, a.op);
  else
    sum = reduce_by_threads<Values, threads_of_block_of_segment>(shared.warps, a.in, range.begin + begin, items,
                                                                 a.aligned, a.op);
  if (simt::thread_rank() == 0) device::store_result(results + blockIdx.x, sum);
}

// One block for each segment: reduces the results of the segment's blocks.
template <class In, class Segments, class Op, class T, class Out = T*>
__global__ void __launch_bounds__(segment_threads)
    reduce_results_of_segments_kernel(segmented_reduce_arguments<In, Segments, Op, T, Out> a, blocks_of_segment split,
                                      const T* results) {
  auto& shared = simt::shared_storage<device::reduce_storage<T, segment_warps>>();
  const std::uint64_t segment = blockIdx.x;
  const auto offsets = a.segments.load(segment);
  const std::uint64_t n = a.length.get();
  if (segment >= smaller(a.segments.count(n), a.most_segments)) {
    simt::wait_for_previous_launch();
    return;
  }
  const std::uint64_t length = a.segments.range(offsets, segment, n).length;
  const auto blocks = static_cast<unsigned>(ceil_div(length, split.items_of_block(length)));
  simt::wait_for_previous_launch();
  T sum = a.initial;
  if (blocks != 0)
    sum = a.op(a.initial, device::reduce_partials<segment_shape_of<item_of_source<In>>>(
                              shared, simt::thread_rank(), sum, results + segment * split.blocks, blocks, a.op));
  if (simt::thread_rank() == 0) store_at(a.out, segment, sum);
}

}  // namespace ballot::detail
