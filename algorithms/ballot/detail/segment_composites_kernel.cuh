// Composites of keys and their segments, with short segments in order already.
//
// A sort of composites (segment_keys.cuh) takes a pass for every 8 bits. Where all segments are short none is needed: the
// tile that makes the composites of a short segment puts them in order, and the sort finds all of them so. Each item's
// rank is the number of items of its segment that go before it, which it counts in shared memory. What a tile knows of
// segments are head flags, a bit an item, from votes; a segment is short where an item finds both its head and the next
// one among the 32 bits to either side.
//
//     items     ... a b c d e | f g h i j k ...      a tile begins at f
//     heads         0 1 0 0 0 | 0 0 1 0 1 1          b to g are put in order by the tile of b, which looks beyond its end
//
// Composites of long segments stay where their keys are. The order that this leaves is stable, so it does not matter to the
// sort that follows, where one has to, what has been put in order.
//
// The segment of an item is the number of offsets not above it. The offsets of a tile are those between the segments of its
// first and last items: each leaves its number at the item where it points, and the largest number up to an item is the
// item's segment. Where they are many, because segments are empty, an item searches among them. A tile does the same for
// what it looks at of its neighbours, so that they agree on every segment whatever the offsets are.
//
// Shared memory: four bytes and a key an item. Barriers: five, and those of a block scan.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/key_kernels.cuh>
#include <ballot/detail/no_value.hpp>
#include <ballot/detail/segment_keys.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// Up to so many items are ranked by counting.
inline constexpr unsigned short_segment = 32;

// What a tile looks at: its items, and `short_segment` to either side, by their places.
struct segment_window {
  static constexpr unsigned places = key_tile + 2 * short_segment;
  static constexpr unsigned places_a_thread = (places + key_threads - 1) / key_threads;
  std::uint64_t begin;  // of the tile, an item

  __device__ __forceinline__ std::uint64_t item(unsigned place) const {  // wraps round before the first
    return begin + place - short_segment;
  }
  // 0: the tile before, 1: this one, 2: the next.
  static __device__ __forceinline__ unsigned tile_of(unsigned place) {
    return place < short_segment ? 0u : place < short_segment + key_tile ? 1u : 2u;
  }
  // Where in the window a tile begins, or what is looked at of it.
  static __device__ __forceinline__ unsigned first_place(unsigned tile) {
    return tile == 0 ? 0u : tile == 1 ? short_segment : short_segment + key_tile;
  }
};

// The offsets between the segments of a tile's first and last items.
struct offsets_of_tile {
  static constexpr std::uint64_t most_marks = 4096;
  std::uint64_t first, last;

  __device__ __forceinline__ std::uint64_t count() const { return last > first ? last - first : 0; }
  __device__ __forceinline__ bool leave_marks() const { return count() <= most_marks; }
};

template <class U>
struct segment_composites_storage {
  offsets_of_tile offsets[3];  // of the tile before, this one and the next
  // Of the window's places: the number of the item's segment within its tile, below that of the tile (`tile_unit`);
  // then the segment's number, its lower half.
  std::uint32_t segment[key_threads * segment_window::places_a_thread];
  std::uint32_t heads[segment_window::places / 32 + 1];
  U asked[segment_window::places];  // not of the items to the left
  typename block::scan<std::uint32_t, key_threads>::storage scan;
  static constexpr std::uint32_t tile_unit = 1u << 16;
  static_assert(offsets_of_tile::most_marks < tile_unit);
};

// All threads: the offsets of the tiles, found by a warp for each end. A barrier has to follow.
template <class U, class Offset>
__device__ __forceinline__ void find_offsets_of_tiles(segment_composites_storage<U>& shared, const Offset* offsets,
                                                      std::uint64_t count, const segment_window& window,
                                                      std::uint64_t n) {
  static_assert(key_threads >= 6 * simt::warp_size);
  if (simt::warp_id() >= 6) return;
  const unsigned tile = simt::warp_id() / 2;
  const std::uint64_t first = window.begin + static_cast<std::uint64_t>(tile) * key_tile - key_tile;
  if (first >= n) return;
  const bool is_first = simt::warp_id() % 2 == 0;
  const std::uint64_t item = is_first ? first : smaller(n, first + key_tile) - 1;
  const std::uint64_t found = offsets_up_to_by_warp(offsets, count, item);
  if (simt::lane_id() == 0) (is_first ? shared.offsets[tile].first : shared.offsets[tile].last) = found;
}

// All threads: the segment of each place of the window, as far as its item is there. Behind a barrier; ends with one.
template <class U, class Offset>
__device__ __forceinline__ void find_segments(segment_composites_storage<U>& shared, const Offset* offsets,
                                              const segment_window& window, std::uint64_t n) {
  using storage = segment_composites_storage<U>;
  constexpr int places_a_thread = segment_window::places_a_thread;
  const unsigned thread = simt::thread_rank();
  for (unsigned place = thread; place < key_threads * places_a_thread; place += key_threads)
    shared.segment[place] = window.tile_of(place) * storage::tile_unit;
  simt::sync_block();
#pragma unroll 1
  for (unsigned tile = 0; tile < 3; ++tile) {
    const unsigned first_place = window.first_place(tile);
    const std::uint64_t first_item = window.item(first_place);
    const unsigned end_place = tile < 2 ? window.first_place(tile + 1) : segment_window::places;
    if (first_item >= n || !shared.offsets[tile].leave_marks()) continue;
    const auto count = static_cast<unsigned>(shared.offsets[tile].count());
    for (unsigned k = thread; k < count; k += key_threads) {
      const std::uint64_t at = offsets[shared.offsets[tile].first + k];
      const std::uint64_t place = at <= first_item ? first_place : first_place + (at - first_item);
      // Relaxed: read behind the barrier.
      if (place < end_place)
        simt::atomic_max<simt::order::relaxed, simt::scope::block>(&shared.segment[place],
                                                                   tile * storage::tile_unit + k + 1u);
    }
  }
  simt::sync_block();
  std::uint32_t largest[places_a_thread];
#pragma unroll
  for (int i = 0; i < places_a_thread; ++i) largest[i] = shared.segment[thread * places_a_thread + i];
  block::scan<std::uint32_t, key_threads>::inclusive_items(shared.scan, largest, maximum{});
#pragma unroll
  for (int i = 0; i < places_a_thread; ++i) {
    const unsigned place = thread * places_a_thread + static_cast<unsigned>(i), tile = window.tile_of(place);
    const std::uint64_t item = window.item(place);
    if (place >= segment_window::places || item >= n) continue;
    const offsets_of_tile& of_tile = shared.offsets[tile];
    shared.segment[place] =
        static_cast<std::uint32_t>(of_tile.leave_marks() ? of_tile.first + largest[i] % storage::tile_unit
                                                         : offsets_up_to(offsets, of_tile.first, of_tile.last, item));
  }
  simt::sync_block();
}

// Where an item's segment begins and ends, in places of the window.
struct segment_extent {
  unsigned begin, end;
  bool is_short;
};

// The nearest heads around place p of a window.
__device__ __forceinline__ segment_extent extent_around(const std::uint32_t* heads, unsigned p) {
  static_assert(short_segment == 32, "one word to either side");
  const unsigned word = p / 32, shift = p % 32 + 1;
  const std::uint64_t here = heads[word];
  const auto up_to = static_cast<std::uint32_t>((here << 32 | heads[word - 1]) >> shift);  // bit 31: place p
  const auto after = static_cast<std::uint32_t>((static_cast<std::uint64_t>(heads[word + 1]) << 32 | here) >> shift);
  segment_extent extent{p - simt::leading_zeros(up_to), p + 1 + static_cast<unsigned>(simt::find_first(after)), false};
  extent.is_short = up_to != 0 && after != 0 && extent.end - extent.begin <= short_segment;
  return extent;
}

// composites[i], of a key and its segment, for all i; with them values, or positions where values is null. W: no_value, or
// a word. The lengths are where the keys and the offsets say.
template <class U, class Offset, class W>
__global__ void __launch_bounds__(key_threads)
    make_composites_kernel(const U* keys, length length, const Offset* offsets, detail::length segments,
                           composite_layout<U> layout, composite_of_t<U>* composites, const W* values, W* values_out) {
  auto& shared = simt::shared_storage<segment_composites_storage<U>>();
  const std::uint64_t n = length.get();
  const segment_window window{static_cast<std::uint64_t>(blockIdx.x) * key_tile};
  if (window.begin >= n) return;  // the whole block
  const unsigned thread = simt::thread_rank();

  find_offsets_of_tiles(shared, offsets, segments.get(), window, n);
#pragma unroll 1
  for (unsigned place = short_segment + thread; place < segment_window::places; place += key_threads)
    if (window.item(place) < n) shared.asked[place] = layout.asked(keys[window.item(place)]);
  simt::sync_block();
  find_segments(shared, offsets, window, n);

#pragma unroll 1
  for (unsigned word = simt::warp_id(); word < segment_window::places / 32; word += key_threads / simt::warp_size) {
    const unsigned place = word * 32 + simt::lane_id();
    const std::uint64_t i = window.item(place);
    // The array's first item begins a segment, and so does whatever comes behind its last; nobody asks about place 0.
    const bool head = i == 0 || i >= n || place == 0 || shared.segment[place] != shared.segment[place - 1];
    const std::uint32_t heads = simt::ballot(head);
    if (simt::lane_id() == 0) shared.heads[word] = heads;
  }
  if (thread == 0) shared.heads[segment_window::places / 32] = 0;  // not known
  simt::sync_block();

#pragma unroll 1
  for (unsigned place = short_segment + thread; place < segment_window::places; place += key_threads) {
    const std::uint64_t i = window.item(place);
    if (i >= n) continue;
    const segment_extent extent = extent_around(shared.heads, place);
    // A short segment is in the hands of the tile where it begins, a long one's items are in those of their own tiles.
    if (window.tile_of(extent.is_short ? extent.begin : place) != 1) continue;
    unsigned to = place;
    if (extent.is_short) {
      const U own = shared.asked[place];
      to = extent.begin;
#pragma unroll 4
      for (unsigned other = extent.begin; other < extent.end; ++other) {
        const U asked = shared.asked[other];
        to += asked < own || (asked == own && other < place) ? 1 : 0;
      }
    }
    const offsets_of_tile& of_tile = shared.offsets[window.tile_of(place)];
    const auto since_first = shared.segment[place] - static_cast<std::uint32_t>(of_tile.first);
    const std::uint64_t segment =
        of_tile.leave_marks() ? of_tile.first + since_first : offsets_up_to(offsets, of_tile.first, of_tile.last, i);
    composites[window.item(to)] = layout.make(segment, keys[i]);
    if constexpr (!std::is_same_v<W, no_value>)
      values_out[window.item(to)] = values != nullptr ? values[i] : static_cast<W>(i);
  }
}

}  // namespace ballot::detail
