// SPDX-License-Identifier: Apache-2.0
// A warp sorts words of 32 or 64 bits in registers, in groups of lanes side by side.
//
//     lanes       0 0 0 0 | 1 1 1 1 | 2 2 2 2 | 3 3 3 3     four words each
//     sort        each lane its own, by Batcher's merge exchange
//     merge       runs of one lane, then of two, ...: a bitonic merge whose first step compares the
//                 first run with the second one in reverse
//
// So all comparisons put the smaller word first. Comparisons within a lane cost a minimum and a
// maximum, others a shuffle, a comparison and a selection.
// Source: Batcher, Sorting Networks and Their Applications, 1968.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <utility>

namespace ballot::detail {

template <class Word>
__device__ __forceinline__ void exchange(Word& first, Word& second) {
  const Word least = second < first ? second : first, most = second < first ? first : second;
  first = least, second = most;
}

// A step of Batcher's merge exchange: compares words that are K apart, in stretches of 2 P words.
template <int P, int K, class Word, int Items, int... I>
__device__ __forceinline__ void exchange_step(Word (&word)[Items], std::integer_sequence<int, I...>) {
  const auto at = [&]<int First>(std::integral_constant<int, First>) {
    constexpr int before = K % P;  // these have no partner
    if constexpr (First >= before && (First - before) / K % 2 == 0 && First + K < Items &&
                  First / (2 * P) == (First + K) / (2 * P))
      exchange(word[First], word[First + K]);
  };
  (at(std::integral_constant<int, I>{}), ...);
}

// Sorts the lane's own words.
template <int P = 1, int K = P, class Word, int Items>
__device__ __forceinline__ void sort_in_lane(Word (&word)[Items]) {
  exchange_step<P, K>(word, std::make_integer_sequence<int, Items>{});
  if constexpr (K > 1) sort_in_lane<P, K / 2>(word);
  else if constexpr (2 * P < Items) sort_in_lane<2 * P, 2 * P>(word);
}

// Sorts the words of each group of `lanes`, a power of two, which may differ. All lanes. most: the
// largest of them.
template <class Word, int Items>
__device__ __forceinline__ void sort_in_lanes(Word (&word)[Items], unsigned lanes, unsigned most) {
  sort_in_lane(word);
  const unsigned lane = simt::lane_id();
#pragma unroll 1
  for (unsigned run = 1; run < most; run *= 2) {
    // The lanes of a smaller group exchange words with themselves, which are in order.
    const bool is_merged = run < lanes;
    const unsigned mirrored = is_merged ? 2 * run - 1 : 0;
    const bool is_lower = (lane & run) == 0, first_is_lower = is_lower || !is_merged,
               second_is_lower = is_lower && is_merged;
#pragma unroll
    for (int i = 0; i < Items / 2; ++i) {
      const Word early = simt::shuffle_xor(word[Items - 1 - i], mirrored), late = simt::shuffle_xor(word[i], mirrored);
      word[i] = (word[i] < early) == first_is_lower ? word[i] : early;
      word[Items - 1 - i] = (word[Items - 1 - i] < late) == second_is_lower ? word[Items - 1 - i] : late;
    }
#pragma unroll 1
    for (unsigned apart = run / 2; apart > 0; apart /= 2) {
      const bool keeps_smaller = (lane & apart) == 0;
      const unsigned other_lane = is_merged ? apart : 0;
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        const Word other = simt::shuffle_xor(word[i], other_lane);
        word[i] = (word[i] < other) == keeps_smaller ? word[i] : other;
      }
    }
#pragma unroll
    for (int apart = Items / 2; apart > 0; apart /= 2)
#pragma unroll
      for (int i = 0; i < Items; ++i)
        if ((i & apart) == 0) exchange(word[i], word[i + apart]);
  }
}

}  // namespace ballot::detail
