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
// The segment of an item is the number of offsets not above it: a search between those of its tile's first and last items,
// which long segments spare and which is short for short ones. A tile searches for items of its neighbours as they do.
//
// Shared memory: a segment number and a key an item. Barriers: three.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
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

template <class U>
struct segment_composites_storage {
  // The tile's items and `short_segment` to either side, by their places in this window.
  static constexpr unsigned window = key_tile + 2 * short_segment;
  struct {
    std::uint64_t of_first_item, of_last_item;
  } segments[3];  // of the tile before, this one and the next
  std::uint64_t segment[window];
  std::uint32_t heads[window / 32 + 1];
  U asked[window];  // not of the items to the left
};

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
  using storage = segment_composites_storage<U>;
  auto& shared = simt::shared_storage<storage>();
  const std::uint64_t n = length.get();
  const std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * key_tile;
  if (begin >= n) return;  // the whole block
  const unsigned thread = simt::thread_rank();
  const auto item_at = [&](unsigned place) { return begin + place - short_segment; };  // wraps round before the first
  const auto tile_of = [](unsigned place) {
    return place < short_segment ? 0u : place < short_segment + key_tile ? 1u : 2u;
  };

  if (thread < 6) {
    const unsigned tile = thread / 2;
    const std::uint64_t first = begin + static_cast<std::uint64_t>(tile) * key_tile - key_tile;
    if (first < n) {
      const bool is_first = thread % 2 == 0;
      const std::uint64_t item = is_first ? first : smaller(n, first + key_tile) - 1;
      const std::uint64_t found = offsets_up_to(offsets, 0, segments.get(), item);
      (is_first ? shared.segments[tile].of_first_item : shared.segments[tile].of_last_item) = found;
    }
  }
  simt::sync_block();

#pragma unroll 1
  for (unsigned place = thread; place < storage::window; place += key_threads) {
    const std::uint64_t i = item_at(place);
    std::uint64_t segment = 0;
    U asked{};
    if (i < n) {
      const auto& tile = shared.segments[tile_of(place)];
      segment = offsets_up_to(offsets, tile.of_first_item, tile.of_last_item, i);
      if (place >= short_segment) asked = layout.asked(keys[i]);
    }
    shared.segment[place] = segment;
    shared.asked[place] = asked;
  }
  simt::sync_block();

#pragma unroll 1
  for (unsigned word = simt::warp_id(); word < storage::window / 32; word += key_threads / simt::warp_size) {
    const unsigned place = word * 32 + simt::lane_id();
    const std::uint64_t i = item_at(place);
    // The array's first item begins a segment, and so does whatever comes behind its last; nobody asks about place 0.
    const bool head = i == 0 || i >= n || place == 0 || shared.segment[place] != shared.segment[place - 1];
    const std::uint32_t heads = simt::ballot(head);
    if (simt::lane_id() == 0) shared.heads[word] = heads;
  }
  if (thread == 0) shared.heads[storage::window / 32] = 0;  // not known
  simt::sync_block();

#pragma unroll 1
  for (unsigned place = short_segment + thread; place < storage::window; place += key_threads) {
    const std::uint64_t i = item_at(place);
    if (i >= n) continue;
    const segment_extent extent = extent_around(shared.heads, place);
    // A short segment is in the hands of the tile where it begins, a long one's items are in those of their own tiles.
    if (tile_of(extent.is_short ? extent.begin : place) != 1) continue;
    unsigned to = place;
    if (extent.is_short) {
      const U own = shared.asked[place];
      to = extent.begin;
#pragma unroll 1
      for (unsigned other = extent.begin; other < extent.end; ++other) {
        const U asked = shared.asked[other];
        to += asked < own || (asked == own && other < place) ? 1 : 0;
      }
    }
    composites[item_at(to)] = layout.make(shared.segment[place], keys[i]);
    if constexpr (!std::is_same_v<W, no_value>)
      values_out[item_at(to)] = values != nullptr ? values[i] : static_cast<W>(i);
  }
}

}  // namespace ballot::detail
