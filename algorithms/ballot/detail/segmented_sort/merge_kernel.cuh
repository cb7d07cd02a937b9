// SPDX-License-Identifier: Apache-2.0
// Merges the sorted subsegments of each long segment by ranks: each item counts the items that
// precede it in the other subsegments.
//
//     subsegments   1 4 7 | 2 4 | 0 9     the second 4: index 1 in its own subsegment;
//     merged        0 1 2 4 4 7 9         2 items of the first and 1 of the third precede it;
//                                         so its offset is 4
//
// An item counts by a binary search in each other subsegment. In earlier subsegments it counts the
// items that are not greater, in later ones the items that are smaller. So equal keys keep their
// order. Neighbours search for neighbouring keys, so a warp reads the same few lines.
//
// A search takes six steps of three keys for each subsegment. That pays only for few subsegments:
//
// - One round merges the subsegments of a limited number of tiles, or a complete segment if it is
//   no longer than that.
// - A second round merges the results of the first.
// - In large arrays, longer segments are sorted by digits (long_segments.cuh).
//
// Each round reads and writes the items of long segments once. One barrier, no shared memory. The
// launch of a round may begin before the launch before it ends. It then waits for that launch.
// Source: Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs,
// 2009 (merging by ranks).
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
inline constexpr int merge_sources = 2;              // subsegments in which a thread searches at once
inline constexpr std::uint64_t merge_blocks = 1024;  // at most, for each side of a tile

template <class U, class V>
struct segment_merge_arguments {
  length n;
  composite_layout<U> layout;
  tile_subsegments subsegments;
  std::uint64_t max_items;  // longer segments are not complete after a first round
  bool merges_longer;       // but their groups of Shape::merged_items are; false: this kernel leaves them alone
  bool second_round;        // all other segments are complete, and subsegments are as long as those groups
  bool is_last;
  const std::uint32_t* disordered;  // not 0: offsets do not ascend; null: the findings of all tiles say so
  const U* keys;                    // the caller's
  const V* values;                  // null: the positions
  const U* keys_in;                 // in sorted subsegments
  const V* values_in;
  U* intermediate_keys;  // for another round
  V* intermediate_values;
  U* keys_out;
  V* values_out;
};

// The largest power of four that is no more than Items.
template <std::uint64_t Items>
inline constexpr std::uint32_t largest_merge_step = std::uint32_t{1} << (std::bit_width(Items) - 1) / 2 * 2;

// The number of keys in the sequences first[q][0, size[q]) whose compared bits are at most most[q].
// The keys of a sequence are in order. A sequence may be empty, but its first key must be readable.
// No size is more than MaxItems. compared_of(key): the compared bits of a key.
//
// A step reads three keys of each sequence at once and keeps a quarter of it. So few steps wait for
// memory one after the other.
template <std::uint64_t MaxItems, int Sequences, class U, class AskedOf>
__device__ __forceinline__ std::uint32_t count_up_to(const U* const (&first)[Sequences],
                                                     const std::uint32_t (&size)[Sequences], const U (&most)[Sequences],
                                                     AskedOf compared_of) {
  std::uint32_t found[Sequences]{};
#pragma unroll 1
  for (std::uint32_t step = largest_merge_step<MaxItems>; step != 0; step /= 4) {
    std::uint32_t quarters[Sequences]{};
#pragma unroll
    for (int q = 0; q < Sequences; ++q)
#pragma unroll
      for (unsigned k = 1; k <= 3; ++k) {
        const std::uint32_t at = found[q] + k * step;
        const U other = first[q][at <= size[q] ? at - 1 : 0];                     // no branch around a load
        quarters[q] += at <= size[q] && compared_of(other) <= most[q] ? 1u : 0u;  // they are in order
      }
#pragma unroll
    for (int q = 0; q < Sequences; ++q) found[q] += quarters[q] * step;
  }
  std::uint32_t all = 0;
#pragma unroll
  for (int q = 0; q < Sequences; ++q) all += found[q];
  return all;
}

// Items of a subsegment from `first` on, one for each thread.
template <bool SecondRound, class Shape, class U, class V>
__device__ __forceinline__ void merge_subsegment(const segment_merge_arguments<U, V>& a, const subsegment& part,
                                                 std::uint64_t first) {
  constexpr std::uint64_t group_items = Shape::merged_items;
  constexpr std::uint64_t part_items = SecondRound ? group_items : Shape::tile_items;
  const bool longer = part.segment_end - part.segment_begin > a.max_items;
  const std::uint64_t i = first + simt::thread_rank();
  if ((longer ? !a.merges_longer : SecondRound) || i >= part.end) return;
  std::uint64_t group_begin = part.segment_begin, group_end = part.segment_end;
  if (longer && !SecondRound) {
    const std::uint64_t begin = part.begin / group_items * group_items;
    group_begin = begin > group_begin ? begin : group_begin;
    group_end = smaller(begin + group_items, group_end);
  }
  const auto begin_of = [&](std::uint64_t index) {
    return index * part_items > group_begin ? index * part_items : group_begin;
  };
  const std::uint64_t own = part.begin / part_items;
  const U key = a.keys_in[i], compared = a.layout.compared(key);
  const bool is_identity = a.layout.uncompared_bits() == 0 && a.layout.codec.is_identity();
  std::uint64_t offset = group_begin + (i - begin_of(own));
#pragma unroll 1
  for (std::uint64_t other = group_begin / part_items; other * part_items < group_end; other += merge_sources) {
    const U* in[merge_sources];
    std::uint32_t size[merge_sources];
    U most[merge_sources];
#pragma unroll
    for (int q = 0; q < merge_sources; ++q) {
      const std::uint64_t index = other + static_cast<unsigned>(q), begin = begin_of(index);
      const std::uint64_t end = smaller((index + 1) * part_items, group_end);
      // Equal keys precede this one if they come from an earlier subsegment; otherwise only smaller ones do.
      const bool is_other = index != own && begin < end && (index < own || compared != 0);
      in[q] = a.keys_in + (is_other ? begin : group_begin);
      size[q] = is_other ? static_cast<std::uint32_t>(end - begin) : 0;
      most[q] = static_cast<U>(index < own ? compared : compared - 1);
    }
    if (is_identity) offset += count_up_to<part_items>(in, size, most, [](U k) { return k; });
    else offset += count_up_to<part_items>(in, size, most, [&](U k) { return a.layout.compared(k); });
  }
  (longer && !SecondRound ? a.intermediate_keys : a.keys_out)[offset] = key;
  if constexpr (!std::is_same_v<V, no_value>)
    (longer && !SecondRound ? a.intermediate_values : a.values_out)[offset] = a.values_in[i];
}

// Whether offsets do not ascend. All threads; the same in all.
template <class U, class V>
__device__ __forceinline__ bool is_disordered(const segment_merge_arguments<U, V>& a, std::uint32_t tiles) {
  if (a.disordered != nullptr) return *a.disordered != 0;
  bool disordered = false;
  for (std::uint32_t tile = simt::thread_rank(); tile < tiles; tile += merge_threads)
    disordered |= a.subsegments.findings[tile] == tile_subsegments::disordered;
  return simt::sync_block_any(disordered);
}

// Keys and values as they came, by all blocks of the grid.
template <class U, class V>
__device__ __forceinline__ void copy_unsorted(const segment_merge_arguments<U, V>& a, std::uint64_t n) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * gridDim.y * gridDim.z * merge_threads;
  const std::uint64_t block =
      (blockIdx.z * gridDim.y + blockIdx.y) * static_cast<std::uint64_t>(gridDim.x) + blockIdx.x;
  for (std::uint64_t i = block * merge_threads + simt::thread_rank(); i < n; i += step) {
    a.keys_out[i] = a.keys[i];
    if constexpr (!std::is_same_v<V, no_value>) a.values_out[i] = a.values != nullptr ? a.values[i] : static_cast<V>(i);
  }
}

// Merges the subsegments of one tile after the other. If offsets do not ascend, the last round
// copies the input.
//
//     blockIdx.x    the first tile
//     blockIdx.y    the first part of a subsegment
//     blockIdx.z    0: the subsegments that reach into a tile; 1: those that reach out of it
template <class U, class V, class Shape>
__global__ void __launch_bounds__(merge_threads) segment_merge_kernel(segment_merge_arguments<U, V> a) {
  simt::let_next_launch_begin();  // another round
  simt::wait_for_previous_launch();
  const std::uint64_t n = a.n.get();
  const auto tiles = static_cast<std::uint32_t>(ceil_div(n, Shape::tile_items));
  if (is_disordered(a, tiles)) {
    if (a.is_last) copy_unsorted(a, n);
    return;
  }
  const subsegment* const parts = blockIdx.z == 0 ? a.subsegments.reaching_in : a.subsegments.reaching_out;
  const std::uint32_t sought = blockIdx.z == 0 ? tile_subsegments::reaches_in : tile_subsegments::reaches_out;
  // Each lane looks at one tile; few have a subsegment. All warps of the block find the same.
  for (std::uint32_t first = blockIdx.x; first < tiles; first += simt::warp_size * gridDim.x) {
    const std::uint64_t own = first + std::uint64_t{simt::lane_id()} * gridDim.x;
#pragma unroll 1
    for (std::uint32_t found = simt::ballot(own < tiles && (a.subsegments.findings[own] & sought) != 0); found != 0;
         found &= found - 1) {
      const subsegment part = parts[first + static_cast<std::uint64_t>(simt::find_first(found)) * gridDim.x];
#pragma unroll 1
      for (std::uint64_t i = part.begin + std::uint64_t{blockIdx.y} * merge_threads; i < part.end;
           i += std::uint64_t{gridDim.y} * merge_threads) {
        if (a.second_round) merge_subsegment<true, Shape>(a, part, i);
        else merge_subsegment<false, Shape>(a, part, i);
      }
    }
  }
}

}  // namespace ballot::detail
