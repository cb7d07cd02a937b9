// SPDX-License-Identifier: Apache-2.0
// The kernels of the device reduction: each item is read once.
//
//     items      | warp 0    | warp 1    | ...  | warp 15   | warp 16   | ...    a range per warp
//     warp       in registers, several wide loads in flight, no barrier
//     block 0    <------------ one barrier ------------>  partial 0   partial 1 ...
//     second launch, one block                            reduces the partials: the result
//
// reduce_range.cuh has a warp's part. The number of ranges depends on the number of items alone:
// not on the GPU, the timing or the addresses. So does the association of the operands.
//
// The second launch begins while the first one ends (programmatic dependent launch). A single
// launch would need a ticket to find its last block, and the fill of that ticket costs more. Up to
// 16 blocks are one cluster and one launch, if the GPU has clusters. They give their partials to
// the first block's shared memory.
//
// Shared memory: an item per warp. Barriers: one in each launch.
// Source: the two-level scheme is that of Harris, Optimizing Parallel Reduction in CUDA (2007),
// with its algorithm cascading.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/detail/reduce_range.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::device {

// A tile shape; the most warp tiles that a single block reduces; the most blocks; the most warp
// tiles for which the blocks are kept to those of one cluster.
template <int Threads, int Chunks, int Width, unsigned OneBlockTiles, unsigned MostBlocks, unsigned ClusterTiles = 0>
struct reduce_shape : block::tile_shape<Threads, Chunks, Width> {
  using base = block::tile_shape<Threads, Chunks, Width>;
  static_assert(Threads % 32 == 0 && base::warps <= 32 && MostBlocks >= 1);
  static constexpr unsigned one_block_tiles = OneBlockTiles, most_blocks = MostBlocks;

  // How many blocks reduce n items.
  BALLOT_HOST_DEVICE static constexpr unsigned blocks(std::uint64_t n) {
    const std::uint64_t tiles = ballot::detail::ceil_div(n, base::warp_items);
    if (tiles <= OneBlockTiles) return 1;
    constexpr unsigned of_cluster = MostBlocks < simt::most_cluster_blocks ? MostBlocks : simt::most_cluster_blocks;
    const unsigned most = tiles <= ClusterTiles ? of_cluster : MostBlocks;
    return static_cast<unsigned>(ballot::detail::smaller(ballot::detail::ceil_div(tiles, base::warps), most));
  }
};

// How a lane reduces items: each is converted to T, and they are reduced in the order of their
// indices.
template <class T>
struct items_as {
  using value_type = T;

  template <class Item>
  static __device__ __forceinline__ T one(const Item& item, std::uint64_t /*index*/) {
    return static_cast<T>(item);
  }
  // Consecutive items, the first of which has index `index`.
  template <class Item, int Width, class Op>
  static __device__ __forceinline__ T fold(const simt::vector<Item, Width>& item, std::uint64_t /*index*/, Op op) {
    T sum = static_cast<T>(item[0]);
#pragma unroll
    for (int j = 1; j < Width; ++j) sum = op(sum, static_cast<T>(item[j]));
    return sum;
  }
  // The sum of items, and of items with higher indices.
  template <class Op>
  static __device__ __forceinline__ T append(const T& sum, const T& next, Op op) {
    return op(sum, next);
  }
};

template <class T, int Warps>
struct reduce_storage {
  T of_warp[Warps];
  T of_block[simt::most_cluster_blocks];  // of a cluster's first block
};

// op of the items that the lanes 0 of the first `warps` warps have, in warp order, in thread 0. One
// barrier.
template <class T, int Warps, class Op>
__device__ __forceinline__ T reduce_first_warps(reduce_storage<T, Warps>& shared, T item, unsigned warps, Op op) {
  const unsigned warp = simt::warp_id(), lane = simt::lane_id();
  if (lane == 0 && warp < warps) shared.of_warp[warp] = item;
  simt::sync_block();
  if (warp != 0) return item;
  constexpr unsigned most = Warps <= 1 ? 1 : Warps <= 2 ? 2 : Warps <= 4 ? 4 : Warps <= 8 ? 8 : Warps <= 16 ? 16 : 32;
  return reduce_lanes<most>(shared.of_warp[lane < warps ? lane : 0u], warps, op);
}

// This is a separate function because the emulator does not see a store of the value that a call
// returns.
template <class Result, class T>
__device__ __forceinline__ void store_result(Result* result, T value) {
  *result = static_cast<Result>(value);
}

// How n items are divided: warp tiles, spread evenly over the warps of all blocks. If the number of
// warps does not divide them, the first warps take one more. A single block spreads chunks, so that
// each warp of few items waits for memory once. The host divides the capacity. So a kernel with
// that many items begins with its loads, and not with divisions, which take as long.
struct reduce_division {
  std::uint64_t n, even;  // the items, and the units of every warp
  unsigned rest;          // the warps that have one more
  unsigned blocks, unit;  // the items of a unit
};
template <class Shape>
BALLOT_HOST_DEVICE constexpr reduce_division divide_items(std::uint64_t n) {
  const unsigned blocks = Shape::blocks(n);
  constexpr unsigned chunk = Shape::chunk_items, tile = Shape::warp_items;
  const std::uint64_t warps = std::uint64_t{blocks} * Shape::warps;
  const std::uint64_t units =
      blocks == 1 ? ballot::detail::ceil_div(n, chunk) : ballot::detail::ceil_div(n, tile);  // by constants: shifts
  const std::uint64_t even = units < warps ? 0 : units / warps;
  return {n, even, static_cast<unsigned>(units - even * warps), blocks, blocks == 1 ? chunk : tile};
}

struct warp_range {
  std::uint64_t begin, end;  // items of this warp
  unsigned block_warps;      // of this block, that have items
};
template <class Shape>
__device__ __forceinline__ warp_range range_of_warp(const reduce_division& d) {
  const unsigned first_warp = blockIdx.x * Shape::warps, warp = first_warp + simt::warp_id();
  const std::uint64_t first_unit = warp * d.even + smaller_of(warp, d.rest);
  const std::uint64_t end_unit = first_unit + d.even + (warp < d.rest);
  return {ballot::detail::smaller(first_unit * d.unit, d.n), ballot::detail::smaller(end_unit * d.unit, d.n),
          d.even != 0 ? unsigned{Shape::warps} : smaller_of(d.rest - first_warp, Shape::warps)};
}

// Moves the ends of a warp's range to the vectors after them, so that no warp but the first and
// the last has single items. No range becomes empty.
template <class Shape, class Item>
__device__ __forceinline__ void move_to_vectors(warp_range& range, const Item* in, std::uint64_t n) {
  if (range.begin == range.end) return;
  const unsigned before = items_before_vector<Shape::width>(in);
  if (range.begin != 0) range.begin = ballot::detail::smaller(range.begin + before, n - 1);
  if (range.end != n) range.end = ballot::detail::smaller(range.end + before, n - 1);
}

// op of all partials, in order, in thread 0. sum: any value. One barrier, unless one warp holds
// all.
template <class Shape, class T, class Op>
__device__ __forceinline__ T reduce_partials(reduce_storage<T, Shape::warps>& shared, unsigned thread, T sum,
                                             const T* partials, unsigned blocks, Op op) {
  const unsigned each = (blocks + Shape::threads - 1u) / Shape::threads;  // consecutive partials a thread
  const unsigned summands = each == 1 ? blocks : (blocks + each - 1u) / each;
  if (thread < summands) {
    sum = partials[thread * each];
#pragma unroll 1
    for (unsigned i = thread * each + 1; i < (thread + 1) * each && i < blocks; ++i) sum = op(sum, partials[i]);
  }
  const unsigned first_of_warp = simt::warp_id() * simt::warp_size;
  if (summands > first_of_warp) {
    sum = reduce_lanes(sum, smaller_of(summands - first_of_warp, simt::warp_size), op);
  }
  if (summands <= simt::warp_size) return sum;  // the first warp has all
  return reduce_first_warps(shared, sum, (summands + simt::warp_size - 1u) / simt::warp_size, op);
}

// 1024 threads a multiprocessor. Fewer for large values, which need more registers: 64 are too few
// for the index and value of an 8-byte item, and for several shuffles at a time.
template <class Shape, class T>
inline constexpr int reduce_blocks_at_once = (sizeof(T) > 8 ? 768 : 1024) / Shape::threads;

// Shape::blocks(capacity) blocks. division: that of the capacity. Values: how a lane reduces items.
// A single block stores the result. Otherwise each block stores its partial result, and
// reduce_partials_kernel follows. Without partials the launch is one cluster: each block gives its
// partial result to the first one, which reduces them in the same order. Result: that of Values, or
// the type to which it is converted.
template <class Shape, class Values, class In, class Op, class Result>
__global__ void __launch_bounds__(Shape::threads, (reduce_blocks_at_once<Shape, typename Values::value_type>))
    reduce_kernel(In in, ballot::detail::length length, reduce_division division, Op op,
                  typename Values::value_type initial, bool vector_aligned, typename Values::value_type* partials,
                  Result* result) {
  using T = typename Values::value_type;
  auto& shared = simt::shared_storage<reduce_storage<T, Shape::warps>>();
  simt::let_next_launch_begin();  // the partials'
  if (length.count != nullptr) division = divide_items<Shape>(length.get());
  const unsigned blocks = division.blocks, thread = simt::thread_rank();
  if (blockIdx.x >= blocks) return;  // a surplus block of a launch sized for the capacity
  if (division.n == 0) {
    if (thread == 0) *result = static_cast<Result>(initial);
    return;
  }

  const bool in_cluster = partials == nullptr && blocks != 1;
  if (in_cluster) simt::cluster_arrive<simt::order::relaxed>();  // the shared memory is there
  warp_range range = range_of_warp<Shape>(division);
  if constexpr (vectors_begin_anywhere<Shape, In, Op, T>)
    if (!vector_aligned) move_to_vectors<Shape>(range, in, division.n);
  T sum = reduce_range<Shape, Values>(in, range.begin, range.end, vector_aligned, op);
  sum = reduce_first_warps(shared, sum, range.block_warps, op);
  if (in_cluster) {
    simt::cluster_wait();
    if (thread == 0) store_result(&simt::shared_of_block(shared.of_block[blockIdx.x], 0), sum);
    simt::cluster_arrive();
    if (blockIdx.x != 0) return;
    simt::cluster_wait();
    if (thread >= simt::warp_size) return;
    sum = reduce_lanes(shared.of_block[thread < blocks ? thread : 0u], blocks, op);
    if (thread == 0) store_result(result, op(initial, sum));
    return;
  }
  if (thread != 0) return;
  if (blocks == 1) store_result(result, op(initial, sum));
  else store_result(partials + blockIdx.x, sum);
}

// One block. blocks: those of the capacity. Stores the result if reduce_kernel has stored partial
// results, that is if the length on the device takes several blocks. This launch may begin before
// that one has ended.
template <class Shape, class T, class Op, class Result>
__global__ void __launch_bounds__(Shape::threads)
    reduce_partials_kernel(ballot::detail::length length, unsigned blocks, Op op, T initial, const T* partials,
                           Result* result) {
  auto& shared = simt::shared_storage<reduce_storage<T, Shape::warps>>();
  if (length.count != nullptr) blocks = Shape::blocks(length.get());
  const unsigned thread = simt::thread_rank();
  simt::wait_for_previous_launch();
  if (blocks == 1) return;
  const T sum = reduce_partials<Shape>(shared, thread, initial, partials, blocks, op);
  if (thread == 0) store_result(result, op(initial, sum));
}

}  // namespace ballot::device
