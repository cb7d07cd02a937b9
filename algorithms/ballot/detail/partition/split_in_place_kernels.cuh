// What a stable split within one range needs besides a partition of pieces: kernels whose bounds lie on the device.
//
//     pieces, each split      [k k r r r] [k r r r r] [k k k k r] [k k r r r]
//     rotate r r r | k        [k k k r r r r r r r]   [k k k k k k r r r r]          the rejected items of the left and the
//     rotate r .. r | k .. k  [k k k k k k k k k r r r r r r r r r r r]              kept ones of the right change places
//
// A rotation is three reversals, two of its parts and one of the whole: every item moves twice, to a place that nobody
// else reads. A reversal swaps items from both ends; both ends are whole coalesced accesses, one of them descending.
// Bentley, Programming Pearls, column 2 (rotation by reversals); std::stable_partition merges its halves in this way.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

inline constexpr unsigned split_pieces = 16;
inline constexpr int move_threads = 256;
inline constexpr int moves_per_thread = 4;

// The pieces of a range: all of `piece_items` items but the last; kept[p] of them come first.
struct split_in_place_pieces {
  std::uint64_t piece_items;
  unsigned pieces;
  std::uint64_t* kept;

  BALLOT_HOST_DEVICE std::uint64_t begin(unsigned p) const { return p * piece_items; }
  __device__ __forceinline__ std::uint64_t kept_in(unsigned first, unsigned groups) const {
    std::uint64_t sum = 0;
    for (unsigned p = first; p < first + groups && p < pieces; ++p) sum += kept[p];
    return sum;
  }
};

// lengths[p]: the items of piece p, where only *n.count of the range are there. One block.
template <int = 0>
__global__ void piece_lengths_kernel(length n, split_in_place_pieces of, std::uint64_t* lengths) {
  const unsigned p = simt::thread_rank();
  if (p >= of.pieces) return;
  const std::uint64_t items = n.get(), begin = of.begin(p);
  lengths[p] = begin < items ? smaller(items - begin, of.piece_items) : 0;
}

// Rejected items of piece p from `buffer` to their place behind its kept ones. After the last piece: how many are kept.
template <class T>
__global__ void __launch_bounds__(move_threads)
    append_rejected_kernel(const T* buffer, T* items, length n, split_in_place_pieces of, unsigned p,
                           std::uint64_t* count) {
  const std::uint64_t kept = of.kept[p], rejected = n.get() - kept;
  const std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * move_threads * moves_per_thread;
  T* const to = items + of.begin(p) + kept;
#pragma unroll
  for (int i = 0; i < moves_per_thread; ++i) {
    const std::uint64_t at = begin + i * move_threads + simt::thread_rank();
    if (at < rejected) to[at] = buffer[at];
  }
  if (p + 1 == of.pieces && blockIdx.x == 0 && simt::thread_rank() == 0) *count = of.kept_in(0, of.pieces);
}

enum class reversal { parts, whole };

// Reversals of the rotations that merge neighbouring groups of `groups` pieces. blockIdx.y: the pair of groups; for the
// parts also which of the two. Any number of blocks in x.
template <class T, reversal Which>
__global__ void __launch_bounds__(move_threads) reverse_kernel(T* items, split_in_place_pieces of, unsigned groups) {
  const unsigned pair = Which == reversal::parts ? blockIdx.y / 2 : blockIdx.y;
  const unsigned left = pair * 2 * groups, right = left + groups;
  const std::uint64_t middle = of.begin(right);
  const std::uint64_t from = of.begin(left) + of.kept_in(left, groups), to = middle + of.kept_in(right, groups);
  if (from == middle || to == middle) return;  // nothing to exchange
  std::uint64_t begin = from, end = to;
  if (Which == reversal::parts) (blockIdx.y % 2 == 0 ? end : begin) = middle;

  const std::uint64_t swaps = (end - begin) / 2, stride = std::uint64_t{gridDim.x} * move_threads;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * move_threads + simt::thread_rank(); first < swaps;
       first += stride * moves_per_thread) {
    T low[moves_per_thread], high[moves_per_thread];
#pragma unroll
    for (int i = 0; i < moves_per_thread; ++i) {
      const std::uint64_t at = first + i * stride;
      if (at < swaps) low[i] = items[begin + at], high[i] = items[end - 1 - at];
    }
#pragma unroll
    for (int i = 0; i < moves_per_thread; ++i) {
      const std::uint64_t at = first + i * stride;
      if (at < swaps) items[begin + at] = high[i], items[end - 1 - at] = low[i];
    }
  }
}

}  // namespace ballot::detail
