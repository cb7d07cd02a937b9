// SPDX-License-Identifier: Apache-2.0
// A block sorts words by digits of 8 bits, the least significant first, in shared memory. It is the fallback where many
// words agree in their leading bits: its time does not depend on their distribution.
//
// Words are ranked as in a pass over memory (rank.cuh).
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/rank.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class Shape>
struct digit_sort_counts {
  static_assert(Shape::threads >= radix_digits, "one thread a digit");
  warp_digit_counts of_warp[Shape::warps];
};

// Bits [low, low + count) of a word.
struct word_bits {
  int low;
  int count;
};

// Stably sorts the block's words into words[0, valid): by their bits `lower` and, above those,
// `upper`. item[i] is at position thread + i * threads, if that is less than `valid`. All threads;
// ends with a barrier. Waits for the thread's asynchronous copies. `counts` and `words` may
// overlap: barriers separate their uses.
template <class Shape, class W, class Scan>
__device__ __forceinline__ void sort_by_digits(digit_sort_counts<Shape>& counts, Scan& scan, W* words,
                                               const W (&item)[Shape::items_per_thread], unsigned valid,
                                               word_bits lower, word_bits upper) {
  constexpr int items = Shape::items_per_thread;
  const unsigned thread = simt::thread_rank(), warp = simt::warp_id();
  // Half a warp takes contiguous words, as ranking demands.
  const unsigned first = thread / half_warp_lanes * (half_warp_lanes * items) + thread % half_warp_lanes;
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned at = thread + static_cast<unsigned>(i) * Shape::threads;
    words[at] = at < valid ? item[i] : static_cast<W>(~W{0});  // missing words are last in every order
  }
  simt::wait_for_copies();  // of values, which are ready after the same barriers
  simt::sync_block();
#pragma unroll 1
  for (int shift = lower.low, end = shift + lower.count, digit_bits;; shift += digit_bits) {
    if (shift == end) {
      if (upper.count == 0) break;
      shift = upper.low, end = shift + upper.count, upper.count = 0;
    }
    digit_bits = end - shift < radix_bits ? end - shift : radix_bits;
    const auto digit_of_word = [&](W w) { return static_cast<unsigned>(w >> shift) & ((1u << digit_bits) - 1u); };
    W word[items];
#pragma unroll
    for (int i = 0; i < items; ++i) word[i] = words[first + static_cast<unsigned>(i) * half_warp_lanes];
    simt::sync_block();
    zero_counts(counts.of_warp[warp]);
    const half_warp_counters counter_of(counts.of_warp[warp]);
    packed_words<items, 16> rank;
    rank_stably<items>(
        counter_of, radix_digits, [&](int i) { return digit_of_word(word[i]); },
        [&](int i, std::uint32_t r) { rank.set(i, r); });
    simt::sync_block();
    std::uint32_t count = 0;
    if (thread < radix_digits) {
#pragma unroll
      for (int w = 0; w < Shape::warps; ++w) count += digit_count(counts.of_warp[w], thread);
    }
    std::uint32_t total;
    std::uint32_t offset = block::scan<std::uint32_t, Shape::threads>::exclusive(scan, count, 0u, total);
    if (thread < radix_digits) {
#pragma unroll
      for (int w = 0; w < Shape::warps; ++w) offset = counts_to_offsets(counts.of_warp[w], thread, offset);
    }
    simt::sync_block();
#pragma unroll
    for (int i = 0; i < items; ++i) rank.add(i, *counter_of(digit_of_word(word[i])));
    simt::sync_block();
#pragma unroll
    for (int i = 0; i < items; ++i) words[rank.get(i)] = word[i];
    simt::sync_block();
  }
}

}  // namespace ballot::detail
