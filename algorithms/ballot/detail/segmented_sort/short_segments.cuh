// SPDX-License-Identifier: Apache-2.0
// A block sorts the short segments of its tile in registers, a group of lanes a segment.
//
//     list the segments by class (segment_classes.cuh) -> sort words (lane_networks.cuh)
//     -> positions in shared memory -> load keys and values, store
//
// A word has leading bits of the key, counted from the least key of the segment, and the key's
// place in the segment. If keys agree in these bits, and there are others, the warp sorts its
// segments once more, by all bits from the lowest on, a part in each pass.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/segmented_sort/lane_networks.cuh>
#include <ballot/detail/segmented_sort/segment_classes.cuh>
#include <ballot/detail/segmented_sort/sort_arguments.cuh>
#include <ballot/detail/segmented_sort/tile_segments.cuh>
#include <ballot/simt/simt.cuh>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// A group of lanes, as many as a power of two, and its segment. length 0: none; `begin` is then
// that of another one.
struct lane_group {
  unsigned lanes;
  unsigned begin, length;
};

// Sorts the segments of a warp's groups; a lane takes up to Items keys. All lanes. most_lanes: of a
// group.
template <int Items, class Storage, class U>
__device__ __forceinline__ void sort_segments_of_warp(Storage& shared, const composite_layout<U>& layout,
                                                      bool is_identity, const lane_group& group, unsigned most_lanes) {
  using key_word = std::conditional_t<sizeof(U) == 8, std::uint64_t, std::uint32_t>;
  constexpr unsigned key_bits = 8 * sizeof(key_word);
  const unsigned lanes = most_lanes == 1 ? 1 : group.lanes, begin = group.begin, length = group.length;
  const unsigned lane = simt::lane_id(), own = lane & (lanes - 1), room = lanes * (Items == 12 ? 16 : Items);
  const auto place_bits = static_cast<unsigned>(simt::find_first(room)), part_bits = 32 - place_bits;
  // Lanes of different groups begin apart, so that segments of a power of two of items do not meet
  // in a bank.
  const auto place = [&](int i, unsigned of_lane) {
    return Items == 12 ? static_cast<unsigned>(i) : (static_cast<unsigned>(i) * lanes + of_lane) & (room - 1);
  };
  const unsigned last = length == 0 ? 0 : length - 1;
  const auto* const keys = shared.key + begin;
  std::uint16_t* const positions = shared.position + begin;
  const int ranks = static_cast<int>(length) - static_cast<int>(own * Items);  // so many are the lane's
  const auto over_group = [&](key_word v, const auto& op) {
#pragma unroll 1
    for (unsigned apart = 1; apart < most_lanes; apart *= 2) v = op(v, simt::shuffle_xor(v, apart < lanes ? apart : 0));
    return v;
  };
  key_word least = 0;
  unsigned from = 0, differing_bits = 0;
  int part = -1;  // the leading bits
#pragma unroll 1
  for (;;) {
    // Those after the last are the last once more: they change nothing in what all keys agree in.
    key_word key[Items];
    const unsigned of_lane = simt::opaque(lane);  // or all places would be kept in registers
    const auto place_of_key = [&](int i) { return place(i, of_lane) < last ? place(i, of_lane) : last; };
    if (part > 0) {
#pragma unroll
      for (int i = 0; i < Items; ++i) key[i] = shared.key[positions[place_of_key(i)]];
    } else {
#pragma unroll
      for (int i = 0; i < Items; ++i) key[i] = keys[place_of_key(i)];
    }
    if (!is_identity) {
#pragma unroll
      for (int i = 0; i < Items; ++i) key[i] = layout.compared(static_cast<U>(key[i]));
    }
    if (part < 0) {
      least = key[0];
#pragma unroll
      for (int i = 1; i < Items; ++i) least = key[i] < least ? key[i] : least;
      least = over_group(least, [](key_word x, key_word y) { return y < x ? y : x; });
      key_word differing = 0;
#pragma unroll
      for (int i = 0; i < Items; ++i) differing |= key[i] - least;
      differing = over_group(differing, [](key_word x, key_word y) { return x | y; });
      differing_bits = differing == 0 ? 0 : key_bits - simt::leading_zeros(differing);
      from = differing_bits > part_bits ? differing_bits - part_bits : 0;
    }
    std::uint32_t word[Items];
    const unsigned again = simt::opaque(lane);
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const unsigned at = place(i, again);
      word[i] = at < length ? static_cast<std::uint32_t>((key[i] - least) >> from) << place_bits | at : ~0u;
    }
    if constexpr (Items == 8 || Items == 12) sort_in_lane(word);
    else sort_in_lanes(word, lanes, most_lanes);
    if (part < 0 && simt::any(from != 0)) {
      const std::uint32_t before = simt::shuffle_up(word[Items - 1], 1);
      bool agree = own != 0 && ranks > 0 && (word[0] ^ before) < room;
#pragma unroll
      for (int i = 1; i < Items; ++i) agree = agree || (i < ranks && (word[i] ^ word[i - 1]) < room);
      if (simt::any(agree)) {
        part = 0;
        from = 0;
        continue;
      }
    }
#pragma unroll
    for (int i = 0; i < Items; ++i) word[i] = begin + (word[i] & (room - 1));
    if (part > 0) {
#pragma unroll
      for (int i = 0; i < Items; ++i)
        if (i < ranks) word[i] = shared.position[word[i]];
    }
    simt::sync_warp();
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (i < ranks) positions[own * Items + i] = static_cast<std::uint16_t>(word[i]);
    if (part < 0) break;
    simt::sync_warp();
    ++part;
    from += part_bits;
    if (simt::all(from >= differing_bits)) break;
    if (from >= key_bits) from = key_bits - 1;  // in order already, and so for any bits
  }
}

// Sorts the listed segments of classes [First, End), Items keys a lane. A segment of the first of
// them has `1 << FirstLanes` lanes. task: of this warp, counted from the first task of these. All
// threads.
template <int Items, unsigned First, unsigned End, unsigned FirstLanes, unsigned Threads, class Storage, class U>
__device__ __forceinline__ void sort_classes(Storage& shared, const composite_layout<U>& layout, bool is_identity,
                                             unsigned& task) {
  constexpr unsigned warps = Threads / simt::warp_size;
  const auto lanes_bits = [](unsigned c) { return c - First + FirstLanes; };
  unsigned lanes_of_all = 0;
#pragma unroll
  for (unsigned c = First; c < End; ++c) lanes_of_all += shared.count[c] << lanes_bits(c);
#pragma unroll 1
  for (; task * simt::warp_size < lanes_of_all; task += warps) {
    // The larger classes first. So groups of lanes begin at multiples of their size.
    unsigned at = task * simt::warp_size + simt::lane_id(), index = 0, c = End;
    bool found = false;
#pragma unroll 1
    while (!found && c > First) {
      --c;
      const unsigned lanes = shared.count[c] << lanes_bits(c);
      found = at < lanes;
      index = at >> lanes_bits(c);
      at -= lanes;
    }
    lane_group group{found ? 1u << lanes_bits(c) : 1u, 0, 0};
    if (found) {
      group.begin = shared.segment[shared.list(c) + index];
      group.length = shared.position[group.begin];
    }
    const unsigned of_first = simt::shuffle(group.begin, 0), most_lanes = simt::shuffle(group.lanes, 0);
    if (!found) group.begin = of_first;
    if constexpr (Items == 16 && FirstLanes == 0) {
      if (simt::all(group.length <= 12)) {
        sort_segments_of_warp<12>(shared, layout, is_identity, group, 1);
        continue;
      }
    }
    sort_segments_of_warp<Items>(shared, layout, is_identity, group, most_lanes);
  }
  task -= (lanes_of_all + simt::warp_size - 1) / simt::warp_size;
}

// Sorts all listed segments. All threads. Many keys a lane are the least work. Few are quicker if
// most warps would have none.
template <unsigned Threads, class Storage, class U>
__device__ __forceinline__ void sort_listed_segments(Storage& shared, const composite_layout<U>& layout) {
  const bool is_identity = layout.has_whole_keys() && layout.codec.is_identity();
  unsigned task = simt::warp_id();
  if constexpr (Storage::has_spare_warps) {
    sort_classes<16, 6, Storage::classes, 4, Threads>(shared, layout, is_identity, task);
    sort_classes<4, 0, 6, 0, Threads>(shared, layout, is_identity, task);
  } else {
    sort_classes<16, 2, Storage::classes, 0, Threads>(shared, layout, is_identity, task);
    sort_classes<8, 1, 2, 0, Threads>(shared, layout, is_identity, task);
    sort_classes<4, 0, 1, 0, Threads>(shared, layout, is_identity, task);
  }
}

// The value of an item whose values are positions. If they count from segments, these are rows, and
// the tile begins with one.
template <class U, class Offset, class V>
__device__ __forceinline__ V value_of_position(const segment_sort_arguments<U, Offset, V>& a, std::uint64_t tile_begin,
                                               unsigned position) {
  if constexpr (may_be_rows<offsets_of_kernel_t<Offset>>)
    if (a.offsets.counts_from_segment) return static_cast<V>(position % static_cast<unsigned>(a.offsets.row_items));
  return static_cast<V>(tile_begin + position);
}

// Stores keys and values from `first` to `end`, counted from the tile's begin.
template <unsigned Threads, class Storage, class U, class Offset, class V>
__device__ __forceinline__ void store_short_segments(const segment_sort_arguments<U, Offset, V>& a,
                                                     const Storage& shared, std::uint64_t begin, unsigned first,
                                                     unsigned end) {
  constexpr unsigned items = 4;
  U* const keys_out = a.keys_out + begin;
  [[maybe_unused]] const V* const values = a.values + begin;
  [[maybe_unused]] V* const values_out = a.values_out + begin;
  [[maybe_unused]] const bool are_positions = a.values == nullptr;
#pragma unroll 1
  for (unsigned at = first + simt::thread_rank(); at < end; at += items * Threads) {
    unsigned position[items];
    [[maybe_unused]] V value[items];
    const auto place = [&](unsigned i) { return at + i * Threads; };
#pragma unroll
    for (unsigned i = 0; i < items; ++i) position[i] = shared.position[place(i) < end ? place(i) : at];
    if constexpr (!std::is_same_v<V, no_value>) {
      if (are_positions) {
#pragma unroll
        for (unsigned i = 0; i < items; ++i) value[i] = value_of_position(a, begin, position[i]);
      } else {
#pragma unroll
        for (unsigned i = 0; i < items; ++i) {
          if constexpr (Storage::has_values) value[i] = shared.value[position[i]];
          else value[i] = values[position[i]];
        }
      }
    }
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (place(i) < end) keys_out[place(i)] = static_cast<U>(shared.key[position[i]]);
    if constexpr (!std::is_same_v<V, no_value>) {
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (place(i) < end) values_out[place(i)] = value[i];
    }
  }
}

// Starts to copy items [from, to) of an array to the same places of another in shared memory. All
// threads; wait_for_copies and a barrier follow.
template <unsigned Threads, class T, class S>
__device__ __forceinline__ void copy_to_shared(S* shared, const T* items, unsigned from, unsigned to) {
  if constexpr (sizeof(T) < 4 || sizeof(T) != sizeof(S)) {
    constexpr unsigned at_once = 8;
#pragma unroll 1
    for (unsigned at = from + simt::thread_rank(); at < to; at += at_once * Threads) {
      T item[at_once];
      const auto place = [&](unsigned i) { return at + i * Threads; };
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) item[i] = items[place(i) < to ? place(i) : at];
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i)
        if (place(i) < to) shared[place(i)] = item[i];
    }
  } else {
    constexpr unsigned width = 16 / sizeof(T);
    unsigned whole = from;  // up to here in wide copies
    if (from == 0 && reinterpret_cast<std::uintptr_t>(items) % 16 == 0) {
      whole = to / width * width;
#pragma unroll 4
      for (unsigned at = simt::thread_rank() * width; at < whole; at += Threads * width)
        simt::copy_async<16>(shared + at, items + at);
    }
#pragma unroll 4
    for (unsigned at = whole + simt::thread_rank(); at < to; at += Threads)
      simt::copy_async<sizeof(T)>(shared + at, items + at);
  }
}

// Starts to copy keys, and values if there are any and the storage has room for them.
template <unsigned Threads, class Storage, class U, class Offset, class V>
__device__ __forceinline__ void copy_short_segments(const segment_sort_arguments<U, Offset, V>& a, Storage& shared,
                                                    std::uint64_t begin, unsigned from, unsigned to) {
  copy_to_shared<Threads>(shared.key, a.keys + begin, from, to);
  if constexpr (Storage::has_values)
    if (a.values != nullptr) copy_to_shared<Threads>(shared.value, a.values + begin, from, to);
}

// Sorts the tile if all its segments are short. False: nothing is done. All threads; the same in
// all.
template <unsigned Threads, class Storage, class U, class Offset, class V>
__device__ __forceinline__ bool sort_short_segments(const segment_sort_arguments<U, Offset, V>& a, Storage& shared,
                                                    const tile_segments& tile) {
  if (!tile.has_segments() || tile.next - tile.begin > Storage::room) return false;
  if (simt::thread_rank() < Storage::classes) shared.count[simt::thread_rank()] = 0;
  const auto first = static_cast<unsigned>(tile.first - tile.begin),
             end = static_cast<unsigned>(tile.next - tile.begin);
  copy_short_segments<Threads>(a, shared, tile.begin, 0, end);
  simt::sync_block();
  const loaded_offsets<Threads, decltype(a.offsets)> loaded(
      a.offsets, tile.first_offset,
      static_cast<unsigned>(smaller(tile.end_offset - tile.first_offset, most_loaded_offsets<Threads>)), 0);
  const bool are_short = list_short_segments<Threads>(shared, a.offsets, tile, loaded);
  simt::wait_for_copies();
  simt::sync_block();
  if (!are_short) return false;
  sort_listed_segments<Threads>(shared, a.layout);
  simt::sync_block();
  store_short_segments<Threads>(a, shared, tile.begin, first, end);
  return true;
}

}  // namespace ballot::detail
