// SPDX-License-Identifier: Apache-2.0
// Communication between the lanes of a warp without memory: votes, shuffles, matches, reductions.
//
// None of these orders memory; sync_warp does. All lanes that run name the same mask, and read only
// lanes in it.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstring>

#include <cuda_runtime.h>

#include <ballot/simt/common.hpp>

namespace ballot::simt {

/// A word with a bit for each lane of the mask: whether its argument is true.
__device__ __forceinline__ unsigned ballot(bool p, unsigned mask = full_mask) { return __ballot_sync(mask, p); }
/// Whether the argument is true in any lane.
__device__ __forceinline__ bool any(bool p, unsigned mask = full_mask) { return __any_sync(mask, p) != 0; }
/// Whether the argument is true in all lanes.
__device__ __forceinline__ bool all(bool p, unsigned mask = full_mask) { return __all_sync(mask, p) != 0; }
/// Some lanes that currently run together, among them this one. Guarantees nothing more.
__device__ __forceinline__ unsigned active_mask() { return __activemask(); }

namespace detail {

template <class T>
inline constexpr int words = int((sizeof(T) + 3) / 4);

// Moves a value word by word through `move`, an exchange of 32-bit words. Smaller values are
// widened, the tail of an odd size with zeros.
template <class T, class Move>
__device__ __forceinline__ T by_words(T v, Move move) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 64, "trivially copyable values of up to 64 bytes");
  unsigned w[words<T>] = {};
  memcpy(w, &v, sizeof(T));
#pragma unroll
  for (int i = 0; i < words<T>; i++) w[i] = move(w[i]);
  memcpy(&v, w, sizeof(T));
  return v;
}

template <class T>
__device__ __forceinline__ auto match_bits(T v) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) <= 4 || sizeof(T) == 8),
                "values of 1 to 4 or of 8 bytes");
  std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned> b = 0;
  memcpy(&b, &v, sizeof(T));
  return b;
}

// sm_75 has no reduction across lanes: butterflies for a whole warp, one lane after the other for
// part of one.
template <class T, class Op>
__device__ __forceinline__ T reduce_by_shuffles(T v, unsigned mask, Op op) {
  if (mask == full_mask) {
#pragma unroll
    for (int d = 16; d > 0; d /= 2) v = op(v, T(__shfl_xor_sync(full_mask, v, d)));
    return v;
  }
  T sum = __shfl_sync(mask, v, __ffs(int(mask)) - 1);
  for (unsigned rest = mask & (mask - 1); rest != 0; rest &= rest - 1)
    sum = op(sum, T(__shfl_sync(mask, v, __ffs(int(rest)) - 1)));
  return sum;
}

}  // namespace detail

/// The value of lane `lane` (modulo 32).
template <class T>
__device__ __forceinline__ T shuffle(T v, unsigned lane, unsigned mask = full_mask) {
  return detail::by_words(v, [&](unsigned w) { return __shfl_sync(mask, w, int(lane)); });
}
/// The value of the lane `d` (at most 31) below; the lowest `d` lanes keep their own.
template <class T>
__device__ __forceinline__ T shuffle_up(T v, unsigned d, unsigned mask = full_mask) {
  return detail::by_words(v, [&](unsigned w) { return __shfl_up_sync(mask, w, d); });
}
/// The value of the lane `d` (at most 31) above; the highest `d` lanes keep their own.
template <class T>
__device__ __forceinline__ T shuffle_down(T v, unsigned d, unsigned mask = full_mask) {
  return detail::by_words(v, [&](unsigned w) { return __shfl_down_sync(mask, w, d); });
}
/// The value of the lane whose number differs in the bits `d` (at most 31).
template <class T>
__device__ __forceinline__ T shuffle_xor(T v, unsigned d, unsigned mask = full_mask) {
  return detail::by_words(v, [&](unsigned w) { return __shfl_xor_sync(mask, w, int(d)); });
}

/// The lanes whose value has the same bits as this lane's.
template <class T>
__device__ __forceinline__ unsigned match_any(T v, unsigned mask = full_mask) {
  return __match_any_sync(mask, detail::match_bits(v));
}
/// The mask if all its lanes have the same bits, else 0.
template <class T>
__device__ __forceinline__ unsigned match_all(T v, unsigned mask = full_mask) {
  int same;
  return __match_all_sync(mask, detail::match_bits(v), &same);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#  define BALLOT_SIMT_REDUCE(name, T, expression)                                           \
    __device__ __forceinline__ T reduce_##name(T v, unsigned mask = full_mask) {            \
      return detail::reduce_by_shuffles(v, mask, [](T a, T b) -> T { return expression; }); \
    }
#else
#  define BALLOT_SIMT_REDUCE(name, T, expression)                                \
    __device__ __forceinline__ T reduce_##name(T v, unsigned mask = full_mask) { \
      return __reduce_##name##_sync(mask, v);                                    \
    }
#endif
// Every lane of the mask gets the result over all of them; sums wrap.
BALLOT_SIMT_REDUCE(add, unsigned, a + b)
BALLOT_SIMT_REDUCE(add, int, int(unsigned(a) + unsigned(b)))
BALLOT_SIMT_REDUCE(min, unsigned, b < a ? b : a)
BALLOT_SIMT_REDUCE(min, int, b < a ? b : a)
BALLOT_SIMT_REDUCE(max, unsigned, a < b ? b : a)
BALLOT_SIMT_REDUCE(max, int, a < b ? b : a)
BALLOT_SIMT_REDUCE(and, unsigned, a& b)
BALLOT_SIMT_REDUCE(or, unsigned, a | b)
BALLOT_SIMT_REDUCE(xor, unsigned, a ^ b)
#undef BALLOT_SIMT_REDUCE

}  // namespace ballot::simt
