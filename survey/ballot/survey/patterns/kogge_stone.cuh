// SPDX-License-Identifier: Apache-2.0
// Kogge-Stone: in each step every item adds the item `distance` below it; the distance doubles.
//
//     item          0   1   2   3   4   5   6   7
//     distance 1    o-->+   o-->+   o-->+   o-->+
//                       o-->+   o-->+   o-->+
//     distance 2    o------>+       o------>+              (0 to 2, 4 to 6)
//                       o------>+       o------>+          (1 to 3, 5 to 7)
//                           o------>+                      (2 to 4)
//                               o------>+                  (3 to 5)
//     distance 4    o-------------->+                      (and 1 to 5, 2 to 6, 3 to 7)
//     then          0  0-1 0-2 0-3 0-4 0-5 0-6 0-7
//
// Steps: log2 n, the fewest there can be. Additions: n log2 n - n + 1, the most of all.
//
// Every item is read by one thread and written by another in the same step. So each step goes from
// one array to the other: n spare items, one barrier a step. (In one array it takes two, and
// without the second it is a race.) After an odd number of steps the result is copied back, one
// barrier more. No bank conflicts for items of 4 bytes: adjacent lanes read adjacent items.
// Sources: Kogge and Stone 1973; Hillis and Steele 1986.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/pattern.cuh>

namespace ballot::survey {

struct kogge_stone : block_pattern<kogge_stone> {
  static constexpr const char* name = "kogge_stone";
  static constexpr bool full_warps = false;
  static BALLOT_HOST_DEVICE constexpr unsigned spare_items(unsigned n, unsigned) { return n; }
  static BALLOT_HOST_DEVICE constexpr unsigned barriers(unsigned n, unsigned) {
    return doublings_to(n) + doublings_to(n) % 2;
  }
  static BALLOT_HOST_DEVICE constexpr unsigned exclusive_barriers(unsigned n, unsigned) {
    return n == 0 ? 0 : 1 + doublings_to(n) + (1 + doublings_to(n)) % 2;
  }
  static BALLOT_HOST_DEVICE constexpr std::uint64_t additions(unsigned n, unsigned) {
    std::uint64_t sum = 0;
    for (unsigned distance = 1; distance < n; distance *= 2) sum += n - distance;
    return sum;
  }

  template <class T, class Op>
  static __device__ __forceinline__ void inclusive(T* items, unsigned n, T* spare, Op op) {
    steps(items, spare, items, n, op);
  }
  // The shift is one more step of the same kind: it costs no more than one barrier.
  template <class T, class Op>
  static __device__ __forceinline__ void exclusive(T* items, unsigned n, T* spare, T initial, Op op) {
    if (n == 0) return;
    for (unsigned i = simt::thread_rank(); i < n; i += block_threads()) spare[i] = i == 0 ? initial : items[i - 1];
    simt::sync_block();
    steps(spare, items, items, n, op);
  }

 private:
  // All steps on `from`, by way of `to`; the result ends up in `result`, which is one of the two.
  template <class T, class Op>
  static __device__ __forceinline__ void steps(T* from, T* to, T* result, unsigned n, Op op) {
    const unsigned threads = block_threads();
    for (unsigned distance = 1; distance < n; distance *= 2) {
      for (unsigned i = simt::thread_rank(); i < n; i += threads)
        to[i] = i < distance ? from[i] : op(from[i - distance], from[i]);
      simt::sync_block();
      T* const written = to;
      to = from;
      from = written;
    }
    if (from == result) return;
    for (unsigned i = simt::thread_rank(); i < n; i += threads) to[i] = from[i];
    simt::sync_block();
  }
};

}  // namespace ballot::survey
