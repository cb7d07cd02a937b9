// SPDX-License-Identifier: Apache-2.0
// The kernels of segmented reductions where a segment has a block, or several:
//
//     many segments of 32 items and more     a block of 32 to 512 threads each, chosen by the mean length. Blocks do
//                                            not wait for each other, so that a long segment holds up no other
//     few long segments                      several blocks each, whose results a second launch reduces
//
// If the operator commutes, a thread takes every item at the distance of the block's threads, so that loads of a warp
// are next to each other at any address; else each warp has a range of items. The association of the operands depends
// on the length of the segment, and on the numbers of threads and blocks, which the host chooses by the lengths of the
// input and of the output.
//
// Few registers, and few instructions: a block has little to do, and as many as possible run at once.
//
// Shared memory: an item a warp. Barriers: one, or none in a block of one warp.
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

inline constexpr unsigned most_threads_of_segment = 512;

// op of every item at a distance of `threads` from item `thread`, in order. thread < items.
template <class Values, class Item, class Op>
__device__ __forceinline__ typename Values::value_type reduce_strided(const Item* in, std::uint64_t begin,
                                                                      std::uint64_t items, unsigned thread,
                                                                      unsigned threads, Op op) {
  using T = typename Values::value_type;
  constexpr unsigned loads = sizeof(Item) <= 4 ? 8 : sizeof(Item) <= 8 ? 4 : 2;
  T sum{};
  bool has_sum = false;
  std::uint64_t at = thread;
  const auto append = [&](const T& next) {
    sum = has_sum ? op(sum, next) : next;
    has_sum = true;
  };
#pragma unroll 1
  for (; at + (loads - 1) * threads < items; at += loads * threads) {
    Item item[loads];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) item[i] = in[begin + at + i * threads];
    T next = Values::one(item[0], begin + at);
#pragma unroll
    for (unsigned i = 1; i < loads; ++i) next = op(next, Values::one(item[i], begin + at + i * threads));
    append(next);
  }
  if (at < items) {
    const auto rest = static_cast<unsigned>(items - at);
    Item item[loads];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i)
      if (i * threads < rest) item[i] = in[begin + at + i * threads];
    T next = Values::one(item[0], begin + at);
#pragma unroll
    for (unsigned i = 1; i < loads; ++i)
      if (i * threads < rest) next = op(next, Values::one(item[i], begin + at + i * threads));
    append(next);
  }
  return sum;
}

// op of the items from `begin` on, at least one, by a block of any number of whole warps, in thread 0. All threads call.
template <class Values, class Item, class Op, int Warps>
__device__ __forceinline__ typename Values::value_type reduce_by_threads(
    device::reduce_storage<typename Values::value_type, Warps>& shared, const Item* in, std::uint64_t begin,
    std::uint64_t items, bool aligned, Op op) {
  using T = typename Values::value_type;
  const unsigned thread = simt::thread_rank(), threads = blockDim.x;
  unsigned valid_warps;
  T sum{};
  if constexpr (is_commutative<Op, T>) {
    const auto valid = static_cast<unsigned>(smaller(items, threads));  // threads that have an item
    valid_warps = (valid + simt::warp_size - 1) / simt::warp_size;
    const unsigned first_of_warp = simt::warp_id() * simt::warp_size;
    if (thread < valid) sum = reduce_strided<Values>(in, begin, items, thread, threads, op);
    simt::sync_warp();
    if (first_of_warp < valid)
      sum =
          warp::reduce_to_first(sum, op, warp::first_items{device::smaller_of(valid - first_of_warp, simt::warp_size)});
  } else {
    using shape = segment_shape_of<Item>;
    const std::uint64_t tiles = ceil_div(items, shape::warp_items);
    const std::uint64_t each = ceil_div(tiles, threads / simt::warp_size) * shape::warp_items;
    valid_warps = static_cast<unsigned>(ceil_div(items, each));
    const std::uint64_t first = simt::warp_id() * each;
    if (first < items)
      sum = device::reduce_range<shape, Values>(in, begin + first, begin + smaller(first + each, items), aligned, op);
  }
  if (valid_warps == 1) return sum;
  return device::reduce_first_warps(shared, sum, valid_warps, op);
}

template <class T>
struct segment_block_storage {
  device::reduce_storage<T, most_threads_of_segment / simt::warp_size> warps;
  std::uint64_t first_part;
};

// Blocks at once: 2048 threads a multiprocessor, if a thread gets along with 32 registers.
template <class T, class Op>
inline constexpr int segment_blocks_at_once = sizeof(T) <= 4 && is_commutative<Op, T> ? 4 : 2;

// A segment a block, of as many threads as the host chooses.
template <class Values, class Item, class Segments, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(most_threads_of_segment, (segment_blocks_at_once<typename Values::value_type, Op>))
    reduce_segments_by_blocks_kernel(
        segmented_reduce_arguments<Item, Segments, Op, typename Values::value_type, Out> a) {
  using T = typename Values::value_type;
  auto& shared = simt::shared_storage<segment_block_storage<T>>();
  simt::let_next_launch_begin();     // for the parts
  simt::wait_for_previous_launch();  // which clears the list's count
  const std::uint64_t n = a.length.get(), segment = blockIdx.x;
  if (segment >= smaller(a.segments.count(n), a.most_segments)) return;
  const segment_range range = a.segments(segment, n);
  if (range.length == 0) {
    if (simt::thread_rank() == 0) store_at(a.out, segment, a.initial);
    return;
  }
  if (a.list.capacity != 0 && range.length > a.list.part_items &&
      append_parts(shared.first_part, a.list, segment, ceil_div(range.length, a.list.part_items)))
    return;
  const T sum = reduce_by_threads<Values>(shared.warps, a.in, range.begin, range.length, a.aligned, a.op);
  if (simt::thread_rank() == 0) store_at(a.out, segment, static_cast<T>(a.op(a.initial, sum)));
}

// Several blocks a segment.
struct blocks_of_segment {
  unsigned blocks;

  static constexpr std::uint64_t least_items = 4096;  // of a block
  // The items of each block but the last one, of a segment of so many.
  BALLOT_HOST_DEVICE constexpr std::uint64_t items_of_block(std::uint64_t length) const {
    return larger(least_items, ceil_div(ceil_div(length, blocks), 1024) * 1024);
  }
};

// blocks.blocks blocks a segment; results: an item for each.
template <class Values, class Item, class Segments, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(most_threads_of_segment, (segment_blocks_at_once<typename Values::value_type, Op>))
    reduce_within_segments_kernel(segmented_reduce_arguments<Item, Segments, Op, typename Values::value_type, Out> a,
                                  blocks_of_segment split, typename Values::value_type* results) {
  using T = typename Values::value_type;
  auto& shared = simt::shared_storage<segment_block_storage<T>>();
  simt::let_next_launch_begin();  // for the results
  const std::uint64_t n = a.length.get();
  const unsigned segment = blockIdx.x / split.blocks, block = blockIdx.x - segment * split.blocks;
  if (segment >= smaller(a.segments.count(n), a.most_segments)) return;
  const segment_range range = a.segments(segment, n);
  const std::uint64_t each = split.items_of_block(range.length), begin = block * each;
  if (begin >= range.length) return;
  const T sum = reduce_by_threads<Values>(shared.warps, a.in, range.begin + begin, smaller(each, range.length - begin),
                                          a.aligned, a.op);
  if (simt::thread_rank() == 0) device::store_result(results + blockIdx.x, sum);
}

// A block a segment: of the results of its blocks.
template <class Item, class Segments, class Op, class T, class Out = T*>
__global__ void __launch_bounds__(segment_threads)
    reduce_results_of_segments_kernel(segmented_reduce_arguments<Item, Segments, Op, T, Out> a, blocks_of_segment split,
                                      const T* results) {
  auto& shared = simt::shared_storage<device::reduce_storage<T, segment_warps>>();
  const std::uint64_t n = a.length.get(), segment = blockIdx.x;
  if (segment >= smaller(a.segments.count(n), a.most_segments)) return;
  const std::uint64_t length = a.segments(segment, n).length;
  simt::wait_for_previous_launch();
  const auto blocks = static_cast<unsigned>(ceil_div(length, split.items_of_block(length)));
  T sum = a.initial;
  if (blocks != 0)
    sum = a.op(a.initial, device::reduce_partials<segment_shape_of<Item>>(
                              shared, simt::thread_rank(), sum, results + segment * split.blocks, blocks, a.op));
  if (simt::thread_rank() == 0) store_at(a.out, segment, sum);
}

}  // namespace ballot::detail
