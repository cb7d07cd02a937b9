// SPDX-License-Identifier: Apache-2.0
// Copies a stretch of each of two ranges to shared memory, 16 bytes at once. Addresses keep their
// value modulo 16. So what lies beside a stretch in its first and last 16 bytes is copied with it.
//
//     first  . . a b|c d e f|g . . .      shared . . a b c d e f g . . . . s t u v w . .
//     second . s t u|v w . .                     first = 2               second = 13
//
// Types whose size is not their alignment, and large types, are copied item by item.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

inline constexpr unsigned stage_bytes = 16;

template <class T>
inline constexpr bool staged_at_once = sizeof(T) <= stage_bytes && alignof(T) == sizeof(T);

// Items [begin, end) of `items`.
template <class T>
struct stretch {
  const T* range;
  std::uint64_t items;
  std::uint64_t begin, end;
};

// Where the stretches begin, and where the memory ends that has items: numbers of items of the staging memory.
struct staged_at {
  unsigned first, second, end;
};

// So many items of staging memory for two stretches of so many together.
template <class T>
BALLOT_HOST_DEVICE constexpr unsigned staging_items(unsigned items) {
  if constexpr (staged_at_once<T>) return items + 4 * (stage_bytes / static_cast<unsigned>(sizeof(T)));
  else return items;
}

template <class T>
struct stage_pieces {
  static constexpr unsigned of_piece = stage_bytes / sizeof(T);
  const T* from;  // aligned
  unsigned lead;  // items before the stretch
  unsigned pieces;
  bool is_partial;  // a piece reaches out of the range

  __device__ __forceinline__ explicit stage_pieces(const stretch<T>& s) {
    const T* const first = s.range + s.begin;
    const auto items = static_cast<unsigned>(s.end - s.begin);
    lead = items == 0 ? 0u : static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first) % stage_bytes / sizeof(T));
    from = first - lead;
    pieces = ceil_div(lead + items, of_piece);
    is_partial = items != 0 && (s.begin < lead || s.items - s.begin + lead < std::uint64_t{pieces} * of_piece);
  }
  // Of pieces that reach out of the range: items of it, whichever.
  __device__ __forceinline__ T item(const stretch<T>& s, unsigned at) const {
    const std::uint64_t of_range = s.begin + at;  // and lead more
    return s.range[of_range < lead ? 0 : smaller(of_range - lead, s.items - 1)];
  }
};

// Copies both stretches. The copies are there after wait_for_copies and a barrier. All threads; Most: items of both
// together at most.
template <int Threads, unsigned Most, class T>
__device__ __forceinline__ staged_at stage(T* to, const stretch<T>& first, const stretch<T>& second) {
  const unsigned thread = simt::thread_rank();
  if constexpr (!staged_at_once<T>) {
    const auto of_first = static_cast<unsigned>(first.end - first.begin);
    const unsigned all = of_first + static_cast<unsigned>(second.end - second.begin);
    for (unsigned at = thread; at < all; at += Threads)
      to[at] = at < of_first ? first.range[first.begin + at] : second.range[second.begin + (at - of_first)];
    return {0, of_first, all};
  } else {
    const stage_pieces<T> a(first), b(second);
    constexpr unsigned each = a.of_piece;
    const unsigned all = a.pieces + b.pieces;
    if (!a.is_partial && !b.is_partial) {
      constexpr unsigned most = staging_items<T>(Most) / each;
#pragma unroll
      for (unsigned piece = 0; piece < ceil_div(most, unsigned{Threads}); ++piece) {
        const unsigned at = piece * Threads + thread;
        const T* const from = at < a.pieces ? a.from + at * each : b.from + (at - a.pieces) * each;
        if (at < all) simt::copy_async<stage_bytes>(to + at * each, from);
      }
    } else {
      for (unsigned at = thread; at < all * each; at += Threads)
        to[at] = at < a.pieces * each ? a.item(first, at) : b.item(second, at - a.pieces * each);
    }
    return {a.lead, a.pieces * each + b.lead, all * each};
  }
}

}  // namespace ballot::detail
