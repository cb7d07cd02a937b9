// The kernel of the device reduction: one launch, each item read once.
//
//     items        | run of warp 0 | run of warp 1 | ...  | run of warp 15 | run of warp 16 | ...      contiguous runs
//     warp         in registers, several wide loads in flight, no barrier
//     block 0      <------------------ one barrier ------------------------> partial 0   partial 1 ...
//     last block                                                             reduces the partials: the result
//
// A warp takes its run in warp tiles of `chunks` vectors a lane (block/tile.cuh). Where the operator commutes, each lane
// folds its own vectors through the whole run, and the lanes meet at its end; else they meet after every chunk, because a
// chunk's order goes across the lanes first. Which block is last is told by a ticket. How many runs there are, and so
// how the operands are associated, follows from the number of items alone: not from the GPU, nor from the timing, nor
// from where the items lie.
//
// Shared memory: an item a warp. Barriers: one, two more where there are several blocks. Source: the two-level scheme is
// that of Harris, Optimizing Parallel Reduction in CUDA (2007), cascaded; the last block is that of the
// threadFenceReduction sample of the CUDA toolkit.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstdint>

namespace ballot::device {

// A tile shape, up to how many warp tiles one block does alone, and how many blocks there are at most; twice as many from
// 2^20 warp tiles on.
template <int Threads, int Chunks, int Width, unsigned OneBlockTiles, unsigned MostBlocks>
struct reduce_shape : block::tile_shape<Threads, Chunks, Width> {
  using base = block::tile_shape<Threads, Chunks, Width>;
  static_assert(Threads % 32 == 0 && base::warps <= 32 && MostBlocks >= 1);
  static constexpr unsigned one_block_tiles = OneBlockTiles, most_blocks = MostBlocks;

  // How many blocks reduce n items.
  BALLOT_HOST_DEVICE static constexpr unsigned blocks(std::uint64_t n) {
    const std::uint64_t tiles = ballot::detail::ceil_div(n, base::warp_items);
    if (tiles <= OneBlockTiles) return 1;
    const unsigned most = tiles < 1u << 20 ? MostBlocks : 2 * MostBlocks;
    return static_cast<unsigned>(ballot::detail::smaller(ballot::detail::ceil_div(tiles, base::warps), most));
  }
};

// What a lane makes of its items: each becomes a T, and they are reduced in the order of their numbers.
template <class T>
struct items_as {
  using value_type = T;

  template <class Item>
  static __device__ __forceinline__ T one(const Item& item, std::uint64_t /*index*/) {
    return static_cast<T>(item);
  }
  // Of consecutive items, the first of which has the number `index`.
  template <class Item, int Width, class Op>
  static __device__ __forceinline__ T fold(const simt::vector<Item, Width>& item, std::uint64_t /*index*/, Op op) {
    T sum = static_cast<T>(item[0]);
#pragma unroll
    for (int j = 1; j < Width; ++j) sum = op(sum, static_cast<T>(item[j]));
    return sum;
  }
};

__device__ __forceinline__ unsigned smaller_of(unsigned a, unsigned b) { return a < b ? a : b; }

// op of the items from `begin` to `end`, which is not before it, in order, in every lane; meaningless where there are none.
template <class Shape, class Values, class Item, class Op>
__device__ __forceinline__ typename Values::value_type reduce_run(const Item* in, std::uint64_t begin,
                                                                  std::uint64_t end, bool whole_vectors, Op op) {
  using T = typename Values::value_type;
  using items = simt::vector<Item, Shape::width>;
  constexpr bool commutes = is_commutative<Op, T>;
  constexpr int chunks = Shape::chunks, width = Shape::width;
  const unsigned lane = simt::lane_id();
  T sum{};
  bool has_sum = false;
  const auto append = [&](T next) {
    sum = has_sum ? op(sum, next) : next;
    has_sum = true;
  };
  const auto append_vector = [&](const items& item, std::uint64_t index) {
    const T of_lane = Values::fold(item, index, op);
    append(commutes ? of_lane : warp::reduce(of_lane, op));
  };

  for (; end - begin >= Shape::warp_items; begin += Shape::warp_items) {
    const std::uint64_t mine = begin + lane * width;
    if constexpr (block::items_of_access<Item, width> == width) {
      if (whole_vectors) {
        items item[chunks];
#pragma unroll
        for (int c = 0; c < chunks; ++c) item[c] = simt::load_vector<Item, width>(in + mine + c * Shape::chunk_items);
#pragma unroll
        for (int c = 0; c < chunks; ++c) append_vector(item[c], mine + c * Shape::chunk_items);
        continue;
      }
    }
    // Item by item; a few vectors at once, since each item has a register of its own until it is used.
#pragma unroll(Shape::width == 1 ? Shape::chunks : 2)
    for (int c = 0; c < chunks; ++c) {
      items item;
#pragma unroll
      for (int j = 0; j < width; ++j) item[j] = in[mine + c * Shape::chunk_items + j];
      append_vector(item, mine + c * Shape::chunk_items);
    }
  }

  if (begin == end && !has_sum) return sum;

  // The last tile, not full, item by item: lanes take every 32nd item, or where order matters consecutive ones.
  const auto valid = static_cast<unsigned>(end - begin);
  const unsigned each = (valid + simt::warp_size - 1u) / simt::warp_size;
  const unsigned first = commutes ? lane : lane * each, step = commutes ? simt::warp_size : 1u;
  const unsigned last = commutes ? valid : smaller_of(first + each, valid);
  unsigned lanes = smaller_of(valid, simt::warp_size);  // those that have a sum
  if (!commutes && valid != 0) lanes = (valid + each - 1u) / each;
  T rest{};
  if (first < valid) rest = Values::one(in[begin + first], begin + first);
#pragma unroll(sizeof(T) <= 8 ? 8 : 2)
  for (unsigned at = first + step; at < last; at += step) rest = op(rest, Values::one(in[begin + at], begin + at));
  if constexpr (commutes) {
    if (has_sum) lanes = simt::warp_size;
    if (first < valid) append(rest);
    return warp::reduce(sum, op, warp::first_items{lanes});
  } else {
    if (valid != 0) append(warp::reduce(rest, op, warp::first_items{lanes}));
    return sum;
  }
}

template <class T, int Warps>
struct reduce_storage {
  T of_warp[Warps];
  bool is_last;
};

// op of the items that each of the first `warps` warps brings, in warp order, in thread 0. One barrier.
template <class T, int Warps, class Op>
__device__ __forceinline__ T reduce_first_warps(reduce_storage<T, Warps>& shared, T item, unsigned warps, Op op) {
  const unsigned warp = simt::warp_id(), lane = simt::lane_id();
  if (lane == 0 && warp < warps) shared.of_warp[warp] = item;
  simt::sync_block();
  if (warp != 0) return item;
  return warp::reduce(shared.of_warp[lane < warps ? lane : 0u], op, warp::first_items{warps});
}

// By way of a parameter: the emulator does not see a store of what a call returns.
template <class T>
__device__ __forceinline__ void store_result(T* result, T value) {
  *result = value;
}

// Shape::blocks(capacity) blocks. Values: what a lane makes of its items. `ticket` is zero at launch; it and `partials`,
// a T a block, are not touched where there is one block. Two blocks a multiprocessor, or one where large values have to
// stay in order: their exchanges between lanes, several at a time, need the registers of two.
template <class Shape, class Values, class Item, class Op>
__global__ void __launch_bounds__(
    Shape::threads, sizeof(typename Values::value_type) > 8 && !is_commutative<Op, typename Values::value_type> ? 1 : 2)
    reduce_kernel(const Item* in, ballot::detail::length length, Op op, typename Values::value_type initial,
                  bool whole_vectors, typename Values::value_type* partials, std::uint32_t* ticket,
                  typename Values::value_type* result) {
  using T = typename Values::value_type;
  auto& shared = simt::shared_storage<reduce_storage<T, Shape::warps>>();
  const std::uint64_t n = length.get();
  const unsigned blocks = Shape::blocks(n), thread = simt::thread_rank();
  if (blockIdx.x >= blocks) return;  // surplus blocks of a launch sized for the capacity
  if (n == 0) {
    if (thread == 0) *result = initial;
    return;
  }

  // Warp tiles in equal runs, the first ones a tile longer where that does not divide: run r begins at tile
  // r * even + min(r, rest).
  const std::uint64_t tiles = ballot::detail::ceil_div(n, Shape::warp_items),
                      runs = std::uint64_t{blocks} * Shape::warps;
  const std::uint64_t even = tiles / runs, rest = tiles % runs;
  const std::uint64_t first_run = std::uint64_t{blockIdx.x} * Shape::warps, run = first_run + simt::warp_id();
  const std::uint64_t first_tile = run * even + ballot::detail::smaller(run, rest);
  const std::uint64_t last_tile = first_tile + even + (run < rest);
  T sum = reduce_run<Shape, Values>(in, ballot::detail::smaller(first_tile * Shape::warp_items, n),
                                    ballot::detail::smaller(last_tile * Shape::warp_items, n), whole_vectors, op);
  const auto warps_with_items =
      static_cast<unsigned>(even != 0 ? Shape::warps : ballot::detail::smaller(rest - first_run, Shape::warps));
  sum = reduce_first_warps(shared, sum, warps_with_items, op);
  if (blocks == 1) {
    if (thread == 0) store_result(result, op(initial, sum));
    return;
  }

  if (thread == 0) {
    partials[blockIdx.x] = sum;
    // Release: this block's partial before its ticket. Acquire, with all other blocks' tickets: their partials are seen by
    // the last block, by this thread and behind the barrier by all.
    shared.is_last = simt::atomic_add<simt::order::acq_rel>(ticket, 1u) + 1 == blocks;
  }
  simt::sync_block();
  if (!shared.is_last) return;

  const unsigned each = (blocks + Shape::threads - 1u) / Shape::threads;  // consecutive partials a thread
  const unsigned holders = (blocks + each - 1u) / each;
  if (thread < holders) {
    sum = partials[thread * each];
#pragma unroll 1
    for (unsigned i = thread * each + 1; i < (thread + 1) * each && i < blocks; ++i) sum = op(sum, partials[i]);
  }
  const unsigned before = simt::warp_id() * simt::warp_size;
  if (holders > before) {
    const unsigned lanes = smaller_of(holders - before, simt::warp_size);
    sum = warp::reduce(sum, op, warp::first_items{lanes});
  }
  sum = reduce_first_warps(shared, sum, (holders + simt::warp_size - 1u) / simt::warp_size, op);
  if (thread == 0) store_result(result, op(initial, sum));
}

}  // namespace ballot::device
