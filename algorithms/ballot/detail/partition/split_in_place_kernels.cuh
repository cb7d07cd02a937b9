// SPDX-License-Identifier: Apache-2.0
// The kernels of a stable split within one range, beside the selection that splits pieces. Their
// bounds are in device memory.
//
//     pieces, each split      [s s r r r] [s r r r r] [s s s s r] [s s r r r]
//     rotate r r r | s        [s s s r r r r r r r]   [s s s s s s r r r r]
//     rotate r .. r | s .. s  [s s s s s s s s s r r r r r r r r r r r]
//
//     s: selected, r: rejected. A rotation swaps the rejected items of the left group and the
//     selected items of the right group.
//
// A rotation is three reversals: of both parts, and then of the whole. Every item moves twice, each
// time to a position that no other thread reads. A reversal swaps items from both ends. Accesses at
// both ends are coalesced, at one end descending.
// Source: Bentley, Programming Pearls, column 2 (rotation by reversals). std::stable_partition
// merges its halves in this way.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

inline constexpr unsigned split_pieces = 16;
inline constexpr int move_threads = 256;
inline constexpr int moves_per_thread = 4;

// The pieces of a range. All have `piece_items` items but the last; the first selected[p] of piece
// p are selected.
struct split_in_place_pieces {
  std::uint64_t piece_items;
  unsigned pieces;
  std::uint64_t* selected;

  BALLOT_HOST_DEVICE std::uint64_t begin(unsigned p) const { return p * piece_items; }
  // The selected items of the group of `group_pieces` pieces from `first` on.
  __device__ __forceinline__ std::uint64_t selected_in(unsigned first, unsigned group_pieces) const {
    std::uint64_t sum = 0;
    for (unsigned p = first; p < first + group_pieces && p < pieces; ++p) sum += selected[p];
    return sum;
  }
};

// lengths[p]: the items of piece p, if only the first n.get() items of the range take part. One
// block.
template <int = 0>
__global__ void piece_lengths_kernel(length n, split_in_place_pieces range, std::uint64_t* lengths) {
  const unsigned p = simt::thread_rank();
  if (p >= range.pieces) return;
  const std::uint64_t items = n.get(), begin = range.begin(p);
  lengths[p] = begin < items ? smaller(items - begin, range.piece_items) : 0;
}

// Copies the rejected items of piece p from `buffer` after its selected ones. After the last piece
// also writes the number of selected items of all pieces.
template <class T>
__global__ void __launch_bounds__(move_threads)
    append_rejected_kernel(const T* buffer, T* items, length n, split_in_place_pieces range, unsigned p,
                           device_count count) {
  const std::uint64_t selected = range.selected[p], rejected = n.get() - selected;
  const std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * move_threads * moves_per_thread;
  T* const destination = items + range.begin(p) + selected;
#pragma unroll
  for (int i = 0; i < moves_per_thread; ++i) {
    const std::uint64_t at = begin + i * move_threads + simt::thread_rank();
    if (at < rejected) destination[at] = buffer[at];
  }
  if (p + 1 == range.pieces && blockIdx.x == 0 && simt::thread_rank() == 0)
    count.store(range.selected_in(0, range.pieces));
}

enum class reversal { parts, whole };

// The reversals of the rotations that merge neighbouring groups of `group_pieces` pieces.
// blockIdx.y: the pair of groups, and for parts also which of the two. Any number of blocks in x.
template <class T, reversal Which>
__global__ void __launch_bounds__(move_threads)
    reverse_kernel(T* items, split_in_place_pieces range, unsigned group_pieces) {
  const unsigned pair = Which == reversal::parts ? blockIdx.y / 2 : blockIdx.y;
  const unsigned left = pair * 2 * group_pieces, right = left + group_pieces;
  const std::uint64_t middle = range.begin(right);
  const std::uint64_t from = range.begin(left) + range.selected_in(left, group_pieces),
                      to = middle + range.selected_in(right, group_pieces);
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
