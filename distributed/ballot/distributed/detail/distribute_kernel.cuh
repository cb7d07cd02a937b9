// SPDX-License-Identifier: Apache-2.0
// Moves keys and values to their stretches, by few splitters, in one read and one write. Stable.
//
//     take a ticket -> load keys -> group and rank of each among its warp's
//     -> publish the tile's counts -> stage keys by group -> look back, a lane for each group
//     -> write each group's keys as one run -> the same with values
//
// Groups are keys between two splitters (even numbers), and keys that equal a splitter (odd
// numbers). The last of equal splitters has these keys. There are few groups, so they fit the lanes
// of a warp: lane g counts group g. The lanes of a row with the same group find each other by a
// vote for each bit of its number.
//
// The bits are those that a binary search in the splitters finds out, by one comparison each. One
// more bit says whether the key equals a splitter. In nearly all tiles no key does, so this bit is
// left out at first. Other tiles are ranked again with it. So is a partial tile.
//
// A group's place among the items by group follows from this rank's counts. The stretch that has
// that place says where the group lies in memory (stretches.cuh). A group of equal keys may be cut
// between stretches. Then the stretch is looked up item by item.
//
// Each warp writes an equal part of the tile's items by group. So all warps write equally much,
// however many groups there are, and however unequal they are. Rows of a warp begin at a multiple
// of its lanes in memory.
//
// Shared memory: a tile of items. Six barriers, two more with values.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/device/look_back.cuh>
#include <ballot/distributed/detail/distribute_arguments.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

#include <type_traits>

namespace ballot::distributed::detail {

template <class U, class V, class Shape>
class distribute_tile {
 public:
  using arguments = distribute_arguments<U, V>;
  using storage = distribute_storage<U, V, Shape>;

  __device__ __forceinline__ distribute_tile(const arguments& a, storage& shared, std::uint32_t tile)
      : a_(a),
        shared_(shared),
        tile_(tile),
        begin_(static_cast<std::uint64_t>(tile) * Shape::items),
        valid_(static_cast<unsigned>(ballot::detail::smaller(a.n - begin_, Shape::items))) {}

  __device__ __forceinline__ void process() {
    const bool is_full = valid_ == Shape::items;
    if (is_full) load_keys<true>();
    else load_keys<false>();
    load_tables();
    simt::sync_block();
    if (are_dropped()) return;  // all tiles
    find_groups();              // read behind a barrier
    if (!is_full || simt::sync_block_any(rank_untied())) {
      simt::sync_block();
      rank_tied();
      simt::sync_block();
    }
    bring(is_full);
  }

 protected:
  // For tiles in which keys equal splitters, and for partial tiles: repeats the work from the
  // tile's keys and tables on.
  __device__ __forceinline__ void process_tied() {
    simt::sync_block();
    rank_tied();
    simt::sync_block();
    bring(false);
  }

  // Moves ranked items to their places. There is one code for all tiles: two copies take more
  // registers than there are.
  __device__ __forceinline__ void bring(bool is_full) {
    std::uint32_t count = 0, first = 0;
    if (warp_ == 0) publish_counts(count, first);
    simt::sync_block();
    stage_keys();
    if (warp_ == 0) look_back(count, first);
    write_items(is_full);
  }

  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr int items_per_thread = Shape::items_per_thread;

  __device__ __forceinline__ void write_items(bool is_full) {
    V value[has_values ? items_per_thread : 1];
    if constexpr (has_values) {
      if (is_full) load_values<true>(value);
      else load_values<false>(value);
    }
    simt::sync_block();
    const U* const keys = reinterpret_cast<const U*>(shared_.items);
    write(a_.keys_out, shared_.key_offset, &stretch::key_shift, [&](unsigned, int rank) { return keys[rank]; });
    if constexpr (has_values) {
      simt::sync_block();  // the keys are out; values take their memory
      V* const staged = reinterpret_cast<V*>(shared_.items);
#pragma unroll
      for (int i = 0; i < items_per_thread; ++i) staged[rank_.get(i)] = value[i];
      simt::sync_block();
      write(a_.values_out, shared_.value_offset, &stretch::value_shift,
            [&](unsigned, int rank) { return staged[rank]; });
    }
  }

  template <bool Full>
  __device__ __forceinline__ void load_keys() {
    const U* const from = a_.keys + begin_ + first_;
#pragma unroll
    for (int i = 0; i < items_per_thread; ++i) key_[i] = Full || first_ + row(i) < valid_ ? from[row(i)] : U{};
  }
  template <bool Full>
  __device__ __forceinline__ void load_values(V (&value)[items_per_thread]) const {
    const std::uint64_t begin = begin_ + first_;
    if (a_.values != nullptr) {
#pragma unroll
      for (int i = 0; i < items_per_thread; ++i)
        value[i] = Full || first_ + row(i) < valid_ ? a_.values[begin + row(i)] : V{};
    } else if constexpr (std::is_integral_v<V>) {
#pragma unroll
      for (int i = 0; i < items_per_thread; ++i) value[i] = static_cast<V>(a_.first_position + begin + row(i));
    }
  }

  // Splitters are stored last, behind zeros. No key is below a zero.
  __device__ __forceinline__ int padding() const { return Shape::splitters - a_.number; }
  __device__ __forceinline__ void load_tables() {
    const int t = static_cast<int>(thread_);
    if (t < Shape::splitters) shared_.splitter[t] = t < padding() ? U{0} : a_.splitter[t - padding()];
    if (t <= a_.number + 1) shared_.stretches[t] = a_.stretches[t];
  }
  // Whether the stretches have no places (stretches.cuh).
  __device__ __forceinline__ bool are_dropped() const {
    return shared_.stretches[a_.number + 1].key_shift != stretch::kept;
  }
  // The begin of each group. The last of equal splitters says which group their keys are.
  __device__ __forceinline__ void find_groups() {
    const int t = static_cast<int>(thread_);
    if (t == 0) shared_.group_begin[0] = 0;
    if (t >= a_.number) return;
    const U* const splitter = shared_.splitter + padding();
    int upto = t + 1;
    while (upto < a_.number && splitter[upto] == splitter[t]) ++upto;
    const std::uint64_t below = a_.own_below[2 * t];
    if (t == 0 || splitter[t - 1] != splitter[t]) shared_.group_begin[2 * upto - 1] = below;
    if (upto == t + 1) shared_.group_begin[2 * upto] = below + a_.own_below[2 * t + 1];
  }

  // Ranks each key among the keys of its group in its warp. Lane g counts group g.
  //
  // It assumes that no key equals a splitter, so that all groups are even. Returns whether one
  // does. A key that equals a zero of the padding counts, too.
  __device__ __forceinline__ bool rank_untied() {
    constexpr int bits = Shape::bits - 1;
    const unsigned lane = simt::lane_id(), below = simt::lanemask_lt();
    unsigned lane_bit[bits];
#pragma unroll
    for (int b = 0; b < bits; ++b) lane_bit[b] = (lane >> b & 1u) != 0 ? 0u : ~0u;
    const unsigned padded = 2 * static_cast<unsigned>(padding());
    // The splitters of the first comparisons stay in registers.
    constexpr unsigned middle = 1u << (bits - 1);
    const U first = shared_.splitter[middle - 1], left = shared_.splitter[middle / 2 - 1],
            right_of_it = shared_.splitter[middle + middle / 2 - 1];
    std::uint32_t count = 0;
    bool is_tied = false;
#pragma unroll
    for (int i = 0; i < items_per_thread; ++i) {
      const U code = a_.asked.of(key_[i]);
      U nearest = static_cast<U>(~code);  // the largest splitter that is not above the key
      unsigned right = 0, peers = simt::full_mask, of_lane = simt::full_mask;
#pragma unroll
      for (int b = bits - 1; b >= 0; --b) {
        const U splitter = b == bits - 1   ? first
                           : b == bits - 2 ? (right != 0 ? right_of_it : left)
                                           : shared_.splitter[right + (1u << b) - 1u];
        const bool is_right = splitter <= code;
        const unsigned votes = simt::ballot(is_right);
        nearest = is_right ? splitter : nearest;
        right += is_right ? 1u << b : 0u;
        peers &= votes ^ (is_right ? 0u : ~0u);
        of_lane &= votes ^ lane_bit[b];
      }
      is_tied |= nearest == code;
      const std::uint32_t before = simt::shuffle(count, right);
      rank_.set(i, rank_word(2 * right - padded, before + static_cast<std::uint32_t>(simt::popcount(peers & below))));
      count += static_cast<std::uint32_t>(simt::popcount(of_lane));
    }
    const unsigned own = lane / 2 + static_cast<unsigned>(padding());  // groups of the search count the padding
    const std::uint32_t counted = simt::shuffle(count, own % simt::warp_size);
    if (lane < Shape::groups)
      shared_.warp_offset[warp_][lane] = lane % 2 == 0 && own <= Shape::splitters ? counted : 0u;
    return is_tied;
  }
  // Lane l counts the search's group l. Lane `searched` + l counts the keys that equal the splitter
  // before that group. Missing items get ranks behind all others, and stay where they are.
  __device__ __forceinline__ void rank_tied() {
    constexpr int bits = Shape::bits - 1;
    constexpr unsigned searched = 1u << bits;
    const unsigned lane = simt::lane_id(), below = simt::lanemask_lt(), padded = static_cast<unsigned>(padding());
    std::uint32_t count = 0;
#pragma unroll
    for (int i = 0; i < items_per_thread; ++i) {
      const U code = a_.asked.of(key_[i]);
      const bool is_there = first_ + row(i) < valid_;
      U nearest = static_cast<U>(~code);
      unsigned right = 0, peers = simt::ballot(is_there), of_lane = peers;
#pragma unroll
      for (int b = bits - 1; b >= 0; --b) {
        const U splitter = shared_.splitter[right + (1u << b) - 1u];
        const bool is_right = splitter <= code;
        const unsigned votes = simt::ballot(is_right);
        nearest = is_right ? splitter : nearest;
        right += is_right ? 1u << b : 0u;
        peers &= votes ^ (is_right ? 0u : ~0u);
        of_lane &= votes ^ ((lane >> b & 1u) - 1u);
      }
      const bool is_tied = nearest == code && right > padded;  // zeros of the padding are no splitters
      const unsigned ties = simt::ballot(is_tied);
      peers &= ties ^ (is_tied ? 0u : ~0u);
      of_lane &= ties ^ ((lane >> bits & 1u) - 1u);
      const unsigned before = simt::shuffle(count, right + (is_tied ? searched : 0u));
      const unsigned group = 2 * (right - padded) - (is_tied ? 1u : 0u);
      rank_.set(i, is_there ? rank_word(group, before + simt::popcount(peers & below))
                            : rank_word(Shape::no_group, row(i) + lane));
      count += simt::popcount(of_lane);
    }
    const unsigned own = (lane + 1) / 2 + padded;  // splitters before the group, or up to the one that it equals
    const std::uint32_t counted = simt::shuffle(count, (own + (lane % 2 != 0 ? searched : 0u)) % simt::warp_size);
    if (lane < Shape::groups) shared_.warp_offset[warp_][lane] = own < searched ? counted : 0u;
  }
  static __device__ __forceinline__ std::uint32_t rank_word(unsigned group, std::uint32_t rank) {
    return (group << group_shift) + rank;
  }

  // Warp 0. Lane g has the tile's items of group g, and the rank of the first of them. The warps'
  // counts become offsets.
  __device__ __forceinline__ void publish_counts(std::uint32_t& count, std::uint32_t& first) {
    const unsigned lane = simt::lane_id();
    const bool owns = lane < Shape::groups;
    if (owns) {
#pragma unroll
      for (int w = 0; w < Shape::warps; ++w) count += shared_.warp_offset[w][lane];
      if (lane != Shape::no_group)  // pairs with the loads of later tiles in look_back
        device::publish_state(
            own_state(),
            distribute_state::pack(tile_ == 0 ? device::tile_status::prefix : device::tile_status::aggregate, count));
    }
    first = warp::inclusive_scan(count) - count;
    if (!owns) return;
    shared_.first[lane] = first;
    std::uint32_t offset = first;
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) {
      const std::uint32_t of_warp = shared_.warp_offset[w][lane];
      // Missing items stay where they are.
      shared_.warp_offset[w][lane] = lane == Shape::no_group ? static_cast<unsigned>(w) * Shape::warp_items : offset;
      offset += of_warp;
    }
  }

  __device__ __forceinline__ void stage_keys() {
    U* const staged = reinterpret_cast<U*>(shared_.items);
    const auto stage = [&](int i, std::uint32_t both) {
      const std::uint32_t group = both >> group_shift;
      const std::uint32_t rank = (both & rank_mask) + shared_.warp_offset[warp_][group];
      staged[rank] = key_[i];
      rank_.set(i, rank);
    };
#pragma unroll
    for (int i = 0; i < items_per_thread; i += 2) {  // both numbers of a word are read before it is set
      const std::uint32_t first = rank_.get(i), second = rank_.get(i + 1);
      stage(i, first);
      stage(i + 1, second);
    }
  }

  // Warp 0, lane g.
  __device__ __forceinline__ void look_back(std::uint32_t count, std::uint32_t first) {
    const unsigned lane = simt::lane_id();
    if (lane >= Shape::no_group) return;
    std::uint64_t before = 0;
    if (tile_ != 0) {
      before = items_before();
      // Pairs with the loads of later tiles in look_back.
      device::publish_state(own_state(), distribute_state::pack(device::tile_status::prefix, before + count));
    }
    if (count == 0) return;  // also where there is no such group
    const std::uint64_t begin = shared_.group_begin[lane] + before;
    const int of_first = stretch_of(begin);
    const bool is_divided = begin + count > shared_.stretches[of_first + 1].begin;
    shared_.offset[lane] = begin - first;
    const auto place = [&](std::int64_t shift) {
      return is_divided ? storage::divided : static_cast<std::int64_t>(begin - first) + shift;
    };
    shared_.key_offset[lane] = place(shared_.stretches[of_first].key_shift);
    shared_.value_offset[lane] = place(shared_.stretches[of_first].value_shift);
  }
  __device__ __forceinline__ std::uint64_t items_before() const {
    constexpr unsigned window = 8;
    const auto state_of = [&](std::uint32_t newest, unsigned back) {  // tile 0 publishes only a prefix
      return a_.states + static_cast<std::size_t>(newest > back ? newest - back : 0) * Shape::groups + simt::lane_id();
    };
    std::uint64_t sum = 0;
    for (std::uint32_t newest = tile_ - 1;; newest -= window) {
      distribute_state::word w[window];
#pragma unroll
      for (unsigned j = 0; j < window; ++j) w[j] = device::load_state(state_of(newest, j));  // pairs as said above
#pragma unroll
      for (unsigned j = 0; j < window; ++j) {
        while (distribute_state::status(w[j]) == device::tile_status::empty) {
          simt::spin_hint();
          w[j] = device::load_state(state_of(newest, j));
        }
        sum += distribute_state::value(w[j]);
        if (distribute_state::status(w[j]) == device::tile_status::prefix) return sum;
      }
    }
  }
  // The last stretch that begins there or before. It has the item.
  __device__ __forceinline__ int stretch_of(std::uint64_t item) const {
    int s = 0;
    while (s < a_.number && shared_.stretches[s + 1].begin <= item) ++s;
    return s;
  }

  // item(group, rank): an item of the tile's items by group.
  template <class T, class Item>
  __device__ __forceinline__ void write(T* out, const std::int64_t* offset, std::int64_t stretch::*shift,
                                        const Item& item) const {
    const int lane = static_cast<int>(simt::lane_id());
    const int begin = static_cast<int>(warp_ * Shape::warp_items), end = begin + static_cast<int>(Shape::warp_items);
    bool is_here = false;  // whether the warp's part has items of group `lane`
    if (lane <= 2 * a_.number) {
      const int first = static_cast<int>(shared_.first[lane]), behind = static_cast<int>(shared_.first[lane + 1]);
      is_here = first < behind && first < end && behind > begin;
    }
    for (unsigned groups = simt::ballot(is_here); groups != 0; groups &= groups - 1) {
      const auto group = static_cast<unsigned>(simt::find_first(groups));
      const int of_group = static_cast<int>(shared_.first[group]), first = of_group < begin ? begin : of_group,
                end_of_group = static_cast<int>(shared_.first[group + 1]),
                behind = end_of_group < end ? end_of_group : end;
      const std::int64_t at = offset[group];
      if (at == storage::divided) {
        for (int rank = first + lane; rank < behind; rank += simt::warp_size) {
          const std::uint64_t place = shared_.offset[group] + static_cast<unsigned>(rank);
          out[static_cast<std::int64_t>(place) + shared_.stretches[stretch_of(place)].*shift] = item(group, rank);
        }
        continue;
      }
      T* const run = out + at;
      const auto beyond = static_cast<int>(reinterpret_cast<std::uintptr_t>(run + first) / sizeof(T) % simt::warp_size);
#pragma unroll 4
      for (int rank = first - beyond + lane; rank < behind; rank += simt::warp_size)
        if (rank >= first) run[rank] = item(group, rank);
    }
  }

  static __device__ __forceinline__ unsigned row(int i) { return static_cast<unsigned>(i) * simt::warp_size; }
  __device__ __forceinline__ distribute_state::word* own_state() const {
    return a_.states + static_cast<std::size_t>(tile_) * Shape::groups + simt::lane_id();
  }

  static constexpr unsigned group_shift = 10, rank_mask = (1u << group_shift) - 1u;

  const arguments& a_;
  storage& shared_;
  const std::uint32_t tile_;
  const std::uint64_t begin_;
  const unsigned valid_;
  const unsigned thread_ = simt::thread_rank(), warp_ = simt::warp_id();
  // The thread's first item in the tile.
  const unsigned first_ = warp_ * Shape::warp_items + simt::lane_id();
  U key_[items_per_thread];
  ballot::detail::packed_words<items_per_thread, 16> rank_;
};

template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks) distribute_kernel(distribute_arguments<U, V> a) {
  auto& shared = simt::shared_storage<distribute_storage<U, V, Shape>>();
  const std::uint32_t tile = device::take_ticket(a.ticket, shared.tile);
  distribute_tile<U, V, Shape>(a, shared, tile).process();
}

}  // namespace ballot::distributed::detail
