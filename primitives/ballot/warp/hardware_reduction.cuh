// SPDX-License-Identifier: Apache-2.0
// The reductions of a warp that are one instruction: sums, minima, maxima and bits of integers of
// at most 32 bits. They exist from sm_80 on; on sm_75 ballot::simt implements them by shuffles.
//
// The operator's type selects them, so that generic reductions choose at compile time. The
// operators commute, and each has an identity, used for lanes without an item.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>

#include <limits>
#include <type_traits>

namespace ballot::warp {

// Specialised for the operators of the hardware. W is int or unsigned.
template <class Op>
struct hardware_reduction {
  static constexpr bool exists = false;
};

template <>
struct hardware_reduction<plus> {
  static constexpr bool exists = true;
  template <class W>
  static constexpr W identity = 0;
  template <class W>
  static __device__ __forceinline__ W over(W word, unsigned mask) {
    return simt::reduce_add(word, mask);
  }
};

template <>
struct hardware_reduction<minimum> {
  static constexpr bool exists = true;
  template <class W>
  static constexpr W identity = std::numeric_limits<W>::max();
  template <class W>
  static __device__ __forceinline__ W over(W word, unsigned mask) {
    return simt::reduce_min(word, mask);
  }
};

template <>
struct hardware_reduction<maximum> {
  static constexpr bool exists = true;
  template <class W>
  static constexpr W identity = std::numeric_limits<W>::lowest();
  template <class W>
  static __device__ __forceinline__ W over(W word, unsigned mask) {
    return simt::reduce_max(word, mask);
  }
};

template <>
struct hardware_reduction<bit_and> {
  static constexpr bool exists = true;
  template <class W>
  static constexpr W identity = static_cast<W>(~0u);
  template <class W>
  static __device__ __forceinline__ W over(W word, unsigned mask) {
    return static_cast<W>(simt::reduce_and(static_cast<unsigned>(word), mask));
  }
};

template <>
struct hardware_reduction<bit_or> {
  static constexpr bool exists = true;
  template <class W>
  static constexpr W identity = 0;
  template <class W>
  static __device__ __forceinline__ W over(W word, unsigned mask) {
    return static_cast<W>(simt::reduce_or(static_cast<unsigned>(word), mask));
  }
};

template <>
struct hardware_reduction<bit_xor> {
  static constexpr bool exists = true;
  template <class W>
  static constexpr W identity = 0;
  template <class W>
  static __device__ __forceinline__ W over(W word, unsigned mask) {
    return static_cast<W>(simt::reduce_xor(static_cast<unsigned>(word), mask));
  }
};

// The integers that fit into a word. Sums of smaller ones are taken in 32 bits and truncated, with the same result.
template <class T, class Op>
inline constexpr bool has_hardware_reduction =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 4 && hardware_reduction<Op>::exists;

/// The type in which the hardware reduces items of type T; void if it cannot.
template <class T>
using reduction_word = std::conditional_t<std::is_signed_v<T>, int, unsigned>;

}  // namespace ballot::warp
