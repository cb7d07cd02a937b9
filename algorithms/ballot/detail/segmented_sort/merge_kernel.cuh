// Pieces of long segments that are in order become segments in order: each item counts how many of the other pieces'
// items go before it.
//
//     pieces        1 4 7 | 2 4 | 0 9        the second 4: itself at 1, before it 2 of the first piece, 1 of the third
//     merged        0 1 2 4 4 7 9             its place: 4
//
// An item counts by a binary search in each piece, of items that go before it in earlier pieces, or are the same there;
// of later ones only the former: so equal keys stay in order. Neighbours search for neighbouring keys, so that a warp
// reads the same few lines. Six steps of three keys for each piece make sense for few of them: a round merges the
// pieces of so many ranges, or a whole segment if it is no longer than that; a second round merges what the first one
// left. In large arrays longer segments are sorted by digits instead (long_segments.cuh).
//
// One read and write of the items of long segments in a round. No barrier but one, no shared memory. A round's launch may
// begin while the one before it ends, and waits for it.
// Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs, 2009 (merging by ranks).
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/segmented_sort/composite_keys.cuh>
#include <ballot/detail/segmented_sort/subsegments.cuh>
#include <ballot/simt/simt.cuh>

#include <bit>
#include <type_traits>

namespace ballot::detail {

inline constexpr int merge_threads = 512;
inline constexpr int merge_sources = 2;              // pieces in which a thread searches at once
inline constexpr std::uint64_t merge_blocks = 1024;  // at most, but for the two sides of a range

template <class U, class V>
struct segment_merge_arguments {
  length n;
  composite_layout<U> layout;
  tile_subsegments pieces;
  std::uint64_t most_items;  // segments that are longer are not finished in a first round
  bool merges_longer;  // but what lies of them in Shape::merged_items; false: they are none of this kernel's business
  bool second_round;   // a second round: the others are finished, and pieces are so long
  bool is_last;
  const std::uint32_t* disordered;  // where one word says so; null: the findings of all ranges
  const U* keys;                    // as they came
  const V* values;                  // null: the positions
  const U* keys_in;                 // in pieces
  const V* values_in;
  U* intermediate_keys;  // for another round
  V* intermediate_values;
  U* keys_out;
  V* values_out;
};

// The largest power of four that is no more than Items.
template <std::uint64_t Items>
inline constexpr std::uint32_t largest_merge_step = std::uint32_t{1} << (std::bit_width(Items) - 1) / 2 * 2;

// In the pieces first[q][0, size[q]), of which each may be empty but not without a first key: how many keys have asked
// bits of up to most[q]. No size is more than MostItems. A step asks three keys of each piece at once and keeps a
// quarter, so that few steps wait for memory one after the other. compared_of: of a key.
template <std::uint64_t MostItems, int Pieces, class U, class AskedOf>
__device__ __forceinline__ std::uint32_t count_up_to(const U* const (&first)[Pieces],
                                                     const std::uint32_t (&size)[Pieces], const U (&most)[Pieces],
                                                     AskedOf compared_of) {
  std::uint32_t found[Pieces]{};
#pragma unroll 1
  for (std::uint32_t step = largest_merge_step<MostItems>; step != 0; step /= 4) {
    std::uint32_t quarters[Pieces]{};
#pragma unroll
    for (int q = 0; q < Pieces; ++q)
#pragma unroll
      for (unsigned k = 1; k <= 3; ++k) {
        const std::uint32_t at = found[q] + k * step;
        const U other = first[q][at <= size[q] ? at - 1 : 0];                     // no branch around a load
        quarters[q] += at <= size[q] && compared_of(other) <= most[q] ? 1u : 0u;  // they are in order
      }
#pragma unroll
    for (int q = 0; q < Pieces; ++q) found[q] += quarters[q] * step;
  }
  std::uint32_t all = 0;
#pragma unroll
  for (int q = 0; q < Pieces; ++q) all += found[q];
  return all;
}

// The block's tile of the piece, a thread an item, from item `first` on. Again: in a second round.
template <bool SecondRound, class Shape, class U, class V>
__device__ __forceinline__ void merge_subsegment(const segment_merge_arguments<U, V>& a, const subsegment& piece,
                                                 std::uint64_t first) {
  constexpr std::uint64_t wide = Shape::merged_items, piece_items = SecondRound ? wide : Shape::tile_items;
  const bool longer = piece.segment_end - piece.segment_begin > a.most_items;
  const std::uint64_t i = first + simt::thread_rank();
  if ((longer ? !a.merges_longer : SecondRound) || i >= piece.end) return;
  std::uint64_t group_begin = piece.segment_begin, group_end = piece.segment_end;
  if (longer && !SecondRound) {
    const std::uint64_t begin = piece.begin / wide * wide;
    group_begin = begin > group_begin ? begin : group_begin;
    group_end = smaller(begin + wide, group_end);
  }
  const auto begin_of = [&](std::uint64_t number) {
    return number * piece_items > group_begin ? number * piece_items : group_begin;
  };
  const std::uint64_t own = piece.begin / piece_items;
  const U key = a.keys_in[i], compared = a.layout.compared(key);
  const bool as_they_are = a.layout.uncompared_bits() == 0 && a.layout.codec.is_identity();
  std::uint64_t place = group_begin + (i - begin_of(own));
#pragma unroll 1
  for (std::uint64_t other = group_begin / piece_items; other * piece_items < group_end; other += merge_sources) {
    const U* in[merge_sources];
    std::uint32_t size[merge_sources];
    U most[merge_sources];
#pragma unroll
    for (int q = 0; q < merge_sources; ++q) {
      const std::uint64_t number = other + static_cast<unsigned>(q), begin = begin_of(number);
      const std::uint64_t end = smaller((number + 1) * piece_items, group_end);
      // The same keys go before this one if they lie before it; if not, smaller ones do.
      const bool is_other = number != own && begin < end && (number < own || compared != 0);
      in[q] = a.keys_in + (is_other ? begin : group_begin);
      size[q] = is_other ? static_cast<std::uint32_t>(end - begin) : 0;
      most[q] = static_cast<U>(number < own ? compared : compared - 1);
    }
    if (as_they_are) place += count_up_to<piece_items>(in, size, most, [](U k) { return k; });
    else place += count_up_to<piece_items>(in, size, most, [&](U k) { return a.layout.compared(k); });
  }
  (longer && !SecondRound ? a.intermediate_keys : a.keys_out)[place] = key;
  if constexpr (!std::is_same_v<V, no_value>)
    (longer && !SecondRound ? a.intermediate_values : a.values_out)[place] = a.values_in[i];
}

// Tiles of a piece, from blockIdx.y on, of range after range: of what reaches in, or, blockIdx.z, of what reaches out.
// Where offsets do not ascend, the last round copies keys and values as they came.
template <class U, class V, class Shape>
__global__ void __launch_bounds__(merge_threads) segment_merge_kernel(segment_merge_arguments<U, V> a) {
  simt::let_next_launch_begin();  // another round
  simt::wait_for_launch_before();
  const std::uint64_t n = a.n.get();
  const auto ranges = static_cast<std::uint32_t>(ceil_div(n, Shape::tile_items));
  bool disordered = false;
  if (a.disordered != nullptr) {
    disordered = *a.disordered != 0;
  } else {
    for (std::uint32_t range = simt::thread_rank(); range < ranges; range += merge_threads)
      disordered |= a.pieces.findings[range] == tile_subsegments::disordered;
    disordered = simt::sync_block_any(disordered);
  }
  if (disordered) {
    if (!a.is_last) return;
    const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * gridDim.y * gridDim.z * merge_threads;
    const std::uint64_t block =
        (blockIdx.z * gridDim.y + blockIdx.y) * static_cast<std::uint64_t>(gridDim.x) + blockIdx.x;
    for (std::uint64_t i = block * merge_threads + simt::thread_rank(); i < n; i += step) {
      a.keys_out[i] = a.keys[i];
      if constexpr (!std::is_same_v<V, no_value>)
        a.values_out[i] = a.values != nullptr ? a.values[i] : static_cast<V>(i);
    }
    return;
  }
  const subsegment* const pieces = blockIdx.z == 0 ? a.pieces.reaching_in : a.pieces.reaching_out;
  const std::uint32_t sought = blockIdx.z == 0 ? tile_subsegments::reaches_in : tile_subsegments::reaches_out;
  // A lane a range; few have something to do. All warps find the same.
  for (std::uint32_t first = blockIdx.x; first < ranges; first += simt::warp_size * gridDim.x) {
    const std::uint64_t own = first + std::uint64_t{simt::lane_id()} * gridDim.x;
#pragma unroll 1
    for (std::uint32_t found = simt::ballot(own < ranges && (a.pieces.findings[own] & sought) != 0); found != 0;
         found &= found - 1) {
      const subsegment piece = pieces[first + static_cast<std::uint64_t>(simt::find_first(found)) * gridDim.x];
#pragma unroll 1
      for (std::uint64_t i = piece.begin + std::uint64_t{blockIdx.y} * merge_threads; i < piece.end;
           i += std::uint64_t{gridDim.y} * merge_threads) {
        if (a.second_round) merge_subsegment<true, Shape>(a, piece, i);
        else merge_subsegment<false, Shape>(a, piece, i);
      }
    }
  }
}

}  // namespace ballot::detail
