// SPDX-License-Identifier: Apache-2.0
// The short segments of a block's tile, listed by the power of two that has room for them.
//
//     lengths     5 1 0 2 9 7 12        class 0: 2 to 4 items, 1: up to 8, 2: up to 16, ...
//     lists       2 | 5 7 | 9 12        a segment of one item is in order
//
// A list has the places where segments begin. There, shared.position has their lengths. Where
// offsets do not ascend, several segments may begin at a place, and threads store different lengths
// there: relaxed. Then nothing reads them.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/segmented_sort/tile_segments.cuh>
#include <ballot/simt/simt.cuh>

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ballot::detail {

// The longest segment that a warp sorts, 16 keys a lane.
template <class U>
inline constexpr unsigned longest_short_segment = 512;

// Room: for the items of the tile, and for those that its last segment has after the tile.
// HasSpareWarps: the block has more warps than its segments would occupy. V: values are copied too,
// or no_value.
template <class U, unsigned Room, bool HasSpareWarps = false, class V = no_value>
struct short_segments_storage {
  static constexpr unsigned room = Room;
  static constexpr bool has_spare_warps = HasSpareWarps;
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr unsigned longest = longest_short_segment<U>;
  static constexpr unsigned classes = std::bit_width(longest_short_segment<U> - 1) - 1;
  static_assert(Room < 1u << 16);
  alignas(16) std::conditional_t<sizeof(U) == 8, std::uint64_t, std::uint32_t> key[Room];
  alignas(16) V value[has_values ? Room : 1];
  std::uint16_t position[Room];  // of the item that comes here
  std::uint16_t segment[Room];   // where segments begin, by class
  std::uint32_t count[classes];  // of segments

  static __device__ __forceinline__ unsigned list(unsigned c) { return Room - (Room >> c); }
};

__device__ __forceinline__ unsigned class_of_length(unsigned length) {
  return length <= 4 ? 0 : simt::warp_size - 2 - simt::leading_zeros(length - 1);
}

// More offsets in a tile are not listed. Most of them are of empty segments.
template <unsigned Threads>
inline constexpr unsigned most_loaded_offsets = 32 * Threads;

// Adds a segment for each lane; those that are too short or too long are left out. All lanes.
template <class Storage>
__device__ __forceinline__ void add_to_lists(Storage& shared, unsigned begin, unsigned length) {
  const unsigned own = class_of_length(length);
  std::uint32_t left = simt::ballot(length > 1 && length <= Storage::longest);
  while (left != 0) {  // one class after the other
    const auto leader = static_cast<unsigned>(simt::find_first(left));
    const unsigned c = simt::shuffle(own, leader);
    const std::uint32_t same = simt::ballot(own == c) & left;
    left &= ~same;
    unsigned at = 0;
    if (simt::lane_id() == leader)  // relaxed: read after the barrier
      at = simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.count[c],
                                                                      static_cast<std::uint32_t>(simt::popcount(same)));
    at = shared.list(c) + simt::shuffle(at, leader) + simt::popcount(same & simt::lanemask_lt());
    if ((same & simt::lanemask_eq()) != 0 && at < shared.list(c + 1)) {  // no room: offsets do not ascend
      shared.segment[at] = static_cast<std::uint16_t>(begin);
      simt::store_relaxed<simt::scope::block>(&shared.position[begin], static_cast<std::uint16_t>(length));
    }
  }
}

// Offsets around segments of a thread, loaded before they are used: of segments k, which is a
// thread's number from `first` on, and so for more rounds.
template <unsigned Threads, class Offsets>
struct loaded_offsets {
  static constexpr unsigned rounds = 4;
  using offset = std::remove_cvref_t<decltype(std::declval<Offsets>()[0])>;
  offset begin[rounds], end[rounds];  // unspecified where there is no offset

  __device__ __forceinline__ loaded_offsets(Offsets offsets, std::uint64_t first_offset, unsigned count,
                                            unsigned first) {
#pragma unroll
    for (unsigned round = 0; round < rounds; ++round) {
      const unsigned k = first + round * Threads + simt::thread_rank();
      begin[round] = k - 1 < count ? offsets[first_offset + (k - 1)] : offset{};
      end[round] = k < count ? offsets[first_offset + k] : offset{};
    }
  }
};

// Lists the segments of the tile. Places count from its start. loaded: the first of its offsets.
// False: some segment is too long, or offsets do not ascend, or there are too many of them. All
// threads; the same in all. The counts are zero, and a barrier has been passed since; ends with a
// barrier.
template <unsigned Threads, class Storage, class Offsets>
__device__ __forceinline__ bool list_short_segments(Storage& shared, Offsets offsets, const tile_segments& tile,
                                                    loaded_offsets<Threads, Offsets> loaded) {
  const std::uint64_t listed = tile.end_offset - tile.first_offset;
  const auto first = static_cast<unsigned>(tile.first - tile.begin),
             end = static_cast<unsigned>(tile.next - tile.begin);
  if (end - first > Storage::longest * (listed + 1) || listed >= most_loaded_offsets<Threads>) return false;
  const auto count = static_cast<unsigned>(listed);
  const auto place_of = [&](std::uint64_t offset) -> unsigned {
    return offset <= tile.begin ? 0 : static_cast<unsigned>(smaller(offset - tile.begin, std::uint64_t{end}));
  };
  bool is_short = true;
#pragma unroll 1
  for (unsigned first_of_round = 0;;) {
#pragma unroll
    for (unsigned round = 0; round < loaded.rounds; ++round) {
      // Segment k is between offsets k - 1 and k of the tile.
      const unsigned k = first_of_round + round * Threads + simt::thread_rank();
      const unsigned from = k == 0 ? first : k - 1 < count ? place_of(loaded.begin[round]) : end;
      const unsigned length = (k < count ? place_of(loaded.end[round]) : end) - from;  // wraps if offsets descend
      is_short = is_short && length <= Storage::longest;
      if (length == 1)
        simt::store_relaxed<simt::scope::block>(&shared.position[from], static_cast<std::uint16_t>(from));
      if (first_of_round + round * Threads <= count) add_to_lists(shared, from, length);
    }
    first_of_round += loaded.rounds * Threads;
    if (first_of_round > count) break;
    loaded = loaded_offsets<Threads, Offsets>(offsets, tile.first_offset, count, first_of_round);
  }
  return !simt::sync_block_any(!is_short);
}

}  // namespace ballot::detail
