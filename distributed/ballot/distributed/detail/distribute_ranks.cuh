// SPDX-License-Identifier: Apache-2.0
// The first half of a tile of distribute_kernel.cuh: the keys, the tables of splitters and
// stretches, and the group and rank of each key.
//
// Groups are keys between two splitters (even numbers), and keys that equal a splitter (odd
// numbers). The last of equal splitters has these keys. There are few groups, so they fit the lanes
// of a warp: lane g counts group g. The lanes of a row with the same group find each other by a
// vote for each bit of its number.
//
// The bits are those that a binary search in the splitters finds out, by one comparison each. One
// more bit says whether the key equals a splitter. In nearly all tiles no key does, so this bit is
// left out at first. Other tiles are ranked again with it. So is a partial tile.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/distributed/detail/distribute_arguments.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::distributed::detail {

template <class U, class V, class Shape>
class distribute_ranks {
 public:
  using arguments = distribute_arguments<U, V>;
  using storage = distribute_storage<U, V, Shape>;

  __device__ __forceinline__ distribute_ranks(const arguments& a, storage& shared, std::uint32_t tile)
      : a_(a),
        shared_(shared),
        tile_(tile),
        begin_(static_cast<std::uint64_t>(tile) * Shape::items),
        valid_(static_cast<unsigned>(ballot::detail::smaller(a.n - begin_, Shape::items))) {}

 protected:
  static constexpr int items_per_thread = Shape::items_per_thread;

  template <bool Full>
  __device__ __forceinline__ void load_keys() {
    const U* const from = a_.keys + begin_ + first_;
#pragma unroll
    for (int i = 0; i < items_per_thread; ++i) key_[i] = Full || first_ + row(i) < valid_ ? from[row(i)] : U{};
  }

  // Splitters are stored last, after zeros. No key is below a zero.
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
  // before that group. Missing items get ranks after all others, and stay where they are.
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

  static __device__ __forceinline__ unsigned row(int i) { return static_cast<unsigned>(i) * simt::warp_size; }

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

}  // namespace ballot::distributed::detail
