// SPDX-License-Identifier: Apache-2.0
// A block sorts one segment by digits, the least significant first, in shared memory. This is the
// fallback where many keys are nearly equal: its time does not depend on their distribution.
//
// Keys are ranked as in a pass over memory (../radix_sort/rank.cuh). Digits begin at the lowest bit
// that is left to sort by, as in single_block_sort_kernel.cuh. Keys and then positions move through
// registers.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/rank.cuh>
#include <ballot/detail/segmented_sort/block_segment.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>

namespace ballot::detail {

template <class U>
class segment_digits {
 public:
  using segment = block_segment<U>;
  using word = typename segment::word;
  static constexpr int items = segment::items;

  __device__ __forceinline__ explicit segment_digits(const segment& of) : of_(of) {}

  // Sorts the keys, and the positions with them. All threads; ends with a barrier.
  __device__ __forceinline__ void sort(const word (&key)[items], word least) {
    word differing = 0;
    of_.for_each_row([&](int i) {
      if (!of_.is_there(i)) return;
      differing |= key[i] ^ least;
      of_.keys()[of_.at(i)] = static_cast<key_in_shared<U>>(key[i]);
      of_.positions[of_.at(i)] = static_cast<std::uint16_t>(of_.at(i));
    });
    word remaining = of_.reduce(of_.shared.reduced[0], differing, bit_or{});  // its barrier: all are stored
#pragma unroll 1
    while (remaining != 0) {
      const int shift = simt::find_first(remaining);
      sort_by_digit(shift);
      remaining &= ~(word{radix_digits - 1} << shift);
    }
  }

 private:
  __device__ __forceinline__ void sort_by_digit(int shift) {
    // Half a warp takes consecutive items, as ranking demands, in whole groups of rows. Items that do
    // not exist have the largest digit, and come last. Opaque: otherwise 32 addresses would be kept
    // from pass to pass.
    const unsigned rows = (of_.rows + segment_row_group - 1) / segment_row_group * segment_row_group;
    const unsigned first =
        simt::opaque(of_.thread / half_warp_lanes * half_warp_lanes * rows) + of_.thread % half_warp_lanes;
    const auto at = [&](int i) { return first + static_cast<unsigned>(i) * half_warp_lanes; };
    const auto is_there = [&](int i) { return at(i) < of_.valid; };
    word key[items] = {};
    of_.for_each_row([&](int i) { key[i] = is_there(i) ? of_.keys()[at(i)] : static_cast<word>(~word{0}); });
    simt::sync_block();  // the keys are read; counts take their memory
    auto* const counts = reinterpret_cast<warp_digit_counts*>(of_.memory);
    zero_counts(counts[of_.warp]);
    const half_warp_counters counter_of(counts[of_.warp]);
    const auto digit_of = [&](int i) { return static_cast<unsigned>(key[i] >> shift) & (radix_digits - 1u); };
    packed_words<items, 16> rank;
    of_.for_each_group([&](int group) {
      rank_stably<segment_row_group, segment_row_group>(
          counter_of, radix_digits, [&](int k) { return digit_of(group + k); },
          [&](int k, std::uint32_t r) { rank.set(group + k, r); });
    });
    simt::sync_block();  // the counts are complete
    // Digits are computed again: to keep them takes a register for each key.
    of_.for_each_row([&](int i) { key[i] = simt::opaque(key[i]); });
    counts_to_offsets_of_all(counts);
    simt::sync_block();  // the counts are offsets
    of_.for_each_row([&](int i) { rank.add(i, *counter_of(digit_of(i))); });
    simt::sync_block();  // the offsets are read; keys take their memory
    of_.for_each_row([&](int i) {
      if (is_there(i)) of_.keys()[rank.get(i)] = static_cast<key_in_shared<U>>(key[i]);
    });
    packed_words<items, 16> position;
    of_.for_each_row([&](int i) { position.set(i, is_there(i) ? of_.positions[at(i)] : 0u); });
    simt::sync_block();  // the positions are read
    of_.for_each_row([&](int i) {
      if (is_there(i)) of_.positions[rank.get(i)] = static_cast<std::uint16_t>(position.get(i));
    });
    simt::sync_block();
  }

  // Thread d: those of digit d. One barrier.
  __device__ __forceinline__ void counts_to_offsets_of_all(warp_digit_counts* counts) const {
    const bool owns_digit = of_.thread < radix_digits;
    std::uint32_t count = 0;
    if (owns_digit) {
#pragma unroll 4
      for (unsigned w = 0; w < of_.warps; ++w) count += digit_count(counts[w], of_.thread);
    }
    const std::uint32_t up_to = warp::inclusive_scan(count);
    std::uint32_t offset = of_.sum_before(simt::shuffle(up_to, simt::warp_size - 1)) + up_to - count;
    if (owns_digit) {
#pragma unroll 4
      for (unsigned w = 0; w < of_.warps; ++w) offset = counts_to_offsets(counts[w], of_.thread, offset);
    }
  }

  const segment& of_;
};

}  // namespace ballot::detail
