// Pieces of long segments that are in order become segments in order: each item counts how many of the other pieces' items go
// before it.
//
//     pieces        1 4 7 | 2 4 | 0 9        the second 4: itself at 1, before it 2 of the first piece, 1 of the third
//     merged        0 1 2 4 4 7 9             its place: 4
//
// An item counts by a binary search in each piece, of items that go before it in earlier pieces, or are the same there; of later
// ones only the former: so equal keys stay in order. Neighbours search for neighbouring keys, so that a warp reads the same few
// lines. Twelve steps and more for each piece make sense for few of them: a round merges `width` ranges' pieces, or a whole
// segment if it is no longer than that; a second round merges what the first one left. Longer segments are sorted by digits
// (long_segments.cuh).
//
// One read and write of the items of long segments in a round. No barrier but one, no shared memory.
// Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs, 2009 (merging by ranks).
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/no_value.hpp>
#include <ballot/detail/segment_keys.cuh>
#include <ballot/detail/segment_pieces.cuh>
#include <ballot/simt/simt.cuh>

#include <type_traits>

namespace ballot::detail {

inline constexpr int merge_threads = 512;
inline constexpr int merge_together = 2;  // searches of a thread that are under way at once
inline constexpr std::uint64_t merge_tile = merge_threads * merge_together;
inline constexpr std::uint64_t merge_blocks = 1024;  // at most, for each tile of a range

template <class U, class V>
struct segment_merge_arguments {
  length n;
  composite_layout<U> layout;
  segment_pieces pieces;
  std::uint64_t most_items;  // segments that are longer are not finished in a first round
  bool merges_longer;  // but what lies of them in Shape::merged_items; false: they are none of this kernel's business
  bool again;          // a second round: the others are finished, and pieces are so long
  bool is_last;
  const std::uint32_t* disordered;  // where one word says so; null: the findings of all ranges
  const U* keys;                    // as they came
  const V* values;                  // null: the positions
  const U* keys_in;                 // in pieces
  const V* values_in;
  U* keys_between;  // for another round
  V* values_between;
  U* keys_out;
  V* values_out;
};

// Adds to count[k] how many of keys[begin, end) go before a key whose asked bits are asked[k], or, where equal_too, are the same.
// A step asks three keys at once and keeps a quarter, so that few steps wait for memory one after the other.
template <int Keys, class U>
__device__ __forceinline__ void count_before(const U* keys, std::uint64_t begin, std::uint64_t end,
                                             const composite_layout<U>& layout, const U (&asked)[Keys], bool equal_too,
                                             std::uint64_t (&count)[Keys]) {
  const auto size = static_cast<std::uint32_t>(end - begin);
  const U* const first = keys + begin;
  std::uint32_t below[Keys]{};
  const unsigned top = (31 - simt::leading_zeros(size)) / 2 * 2;
#pragma unroll 1
  for (std::uint32_t step = 1u << top; step != 0; step /= 4) {
    bool before[Keys][3];
#pragma unroll
    for (int k = 0; k < Keys; ++k)
#pragma unroll
      for (unsigned q = 1; q <= 3; ++q) {
        const std::uint32_t at = below[k] + q * step;
        const U other = layout.asked(first[at <= size ? at - 1 : 0]);
        before[k][q - 1] = at <= size && (other < asked[k] || (equal_too && other == asked[k]));
      }
#pragma unroll
    for (int k = 0; k < Keys; ++k) below[k] += (before[k][2] ? 3u : before[k][1] ? 2u : before[k][0] ? 1u : 0u) * step;
  }
#pragma unroll
  for (int k = 0; k < Keys; ++k) count[k] += below[k];
}

// Items [first, first + merge_tile) of the piece, as far as it has them. Again: in a second round.
template <bool Again, class Shape, class U, class V>
__device__ __forceinline__ void merge_piece(const segment_merge_arguments<U, V>& a, const segment_piece& piece,
                                            std::uint64_t first) {
  constexpr std::uint64_t wide = Shape::merged_items, piece_items = Again ? wide : Shape::range_items;
  const bool longer = piece.segment_end - piece.segment_begin > a.most_items;
  if (longer ? !a.merges_longer : Again) return;
  std::uint64_t group_begin = piece.segment_begin, group_end = piece.segment_end;
  if (longer && !Again) {
    const std::uint64_t begin = piece.begin / wide * wide;
    group_begin = begin > group_begin ? begin : group_begin;
    group_end = smaller(begin + wide, group_end);
  }
  const std::uint64_t own = piece.begin / piece_items;

  U asked[merge_together], key[merge_together];
  std::uint64_t place[merge_together];
#pragma unroll
  for (int k = 0; k < merge_together; ++k) {
    const std::uint64_t i = first + simt::thread_rank() + static_cast<unsigned>(k) * merge_threads;
    key[k] = a.keys_in[i < piece.end ? i : piece.end - 1];
    asked[k] = a.layout.asked(key[k]);
    const std::uint64_t own_begin = own * piece_items;
    place[k] = i - (own_begin > group_begin ? own_begin : group_begin);
  }
#pragma unroll 1
  for (std::uint64_t other = group_begin / piece_items; other * piece_items < group_end; ++other) {
    if (other == own) continue;
    const std::uint64_t begin = other * piece_items;
    count_before(a.keys_in, begin > group_begin ? begin : group_begin, smaller(begin + piece_items, group_end),
                 a.layout, asked, other < own, place);
  }
  U* const keys_out = longer && !Again ? a.keys_between : a.keys_out;
  V* const values_out = longer && !Again ? a.values_between : a.values_out;
#pragma unroll
  for (int k = 0; k < merge_together; ++k) {
    const std::uint64_t i = first + simt::thread_rank() + static_cast<unsigned>(k) * merge_threads;
    if (i >= piece.end) continue;
    keys_out[group_begin + place[k]] = key[k];
    if constexpr (!std::is_same_v<V, no_value>) values_out[group_begin + place[k]] = a.values_in[i];
  }
}

// Tile blockIdx.y of range after range. Where offsets do not ascend, the last round copies keys and values as they came.
template <class U, class V, class Shape>
__global__ void __launch_bounds__(merge_threads) segment_merge_kernel(segment_merge_arguments<U, V> a) {
  const std::uint64_t n = a.n.get();
  const auto ranges = static_cast<std::uint32_t>(ceil_div(n, Shape::range_items));
  bool disordered = false;
  if (a.disordered != nullptr) {
    disordered = *a.disordered != 0;
  } else {
    for (std::uint32_t range = simt::thread_rank(); range < ranges; range += merge_threads)
      disordered |= a.pieces.findings[range] == segment_pieces::disordered;
    disordered = simt::sync_block_any(disordered);
  }
  if (disordered) {
    if (!a.is_last) return;
    const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * gridDim.y * merge_threads;
    const std::uint64_t block = static_cast<std::uint64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
    for (std::uint64_t i = block * merge_threads + simt::thread_rank(); i < n; i += step) {
      a.keys_out[i] = a.keys[i];
      if constexpr (!std::is_same_v<V, no_value>)
        a.values_out[i] = a.values != nullptr ? a.values[i] : static_cast<V>(i);
    }
    return;
  }
  const std::uint64_t offset = blockIdx.y * merge_tile;
  // A lane a range; few have something to do. All warps find the same.
  for (std::uint32_t first = blockIdx.x; first < ranges; first += simt::warp_size * gridDim.x) {
    const std::uint64_t own = first + std::uint64_t{simt::lane_id()} * gridDim.x;
    const std::uint32_t found = own < ranges ? a.pieces.findings[own] : 0;
#pragma unroll 1
    for (std::uint32_t reached = simt::ballot(found != 0); reached != 0; reached &= reached - 1) {
      const auto lane = static_cast<unsigned>(simt::find_first(reached));
      const std::uint32_t findings = simt::shuffle(found, lane);
      const std::uint64_t range = first + std::uint64_t{lane} * gridDim.x;
#pragma unroll 1
      for (unsigned side = 0; side < 2; ++side) {
        if ((findings & (side == 0 ? segment_pieces::reaches_in : segment_pieces::reaches_out)) == 0) continue;
        const segment_piece piece = (side == 0 ? a.pieces.reaching_in : a.pieces.reaching_out)[range];
        if (piece.begin + offset >= piece.end) continue;
        if (a.again) merge_piece<true, Shape>(a, piece, piece.begin + offset);
        else merge_piece<false, Shape>(a, piece, piece.begin + offset);
      }
    }
  }
}

}  // namespace ballot::detail
