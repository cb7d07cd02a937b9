// SPDX-License-Identifier: Apache-2.0
// Histograms by width: the bin function learns at run time which of its three kinds it is.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/histogram.cuh>

namespace ballot_c {

enum class number_kind : unsigned { unsigned_integer, signed_integer, float16, bfloat16, real };

template <class U>
struct float_of_word {
  using type = float;
};
template <>
struct float_of_word<u64> {
  using type = double;
};

// The bin of an item, or -1. Words U of one type.
template <class U>
struct bin_of_word {
  ballot_bins_kind kind;
  number_kind of;
  numbers<U> order;
  // even
  u64 lower, upper;  // words
  unsigned bins;
  // digit
  int low_bit;
  unsigned mask;
  // levels
  const U* levels;

  // A 16-bit float as float, other floats as they are.
  BALLOT_HOST_DEVICE typename float_of_word<U>::type real(u64 word) const {
    if constexpr (sizeof(U) == 8) return __builtin_bit_cast(double, word);
    else if constexpr (sizeof(U) == 4) return __builtin_bit_cast(float, static_cast<u32>(word));
    else if (of == number_kind::float16) return static_cast<float>(__builtin_bit_cast(float16, static_cast<u16>(word)));
    else return static_cast<float>(__builtin_bit_cast(bfloat16, static_cast<u16>(word)));
  }
  BALLOT_HOST_DEVICE std::int64_t even_bin(U raw) const {
    if (of == number_kind::unsigned_integer)
      return ballot::even_bins<U>{static_cast<U>(lower), static_cast<U>(upper), bins}(raw);
    if (of == number_kind::signed_integer) {
      using signed_word = std::make_signed_t<U>;
      return ballot::even_bins<signed_word>{static_cast<signed_word>(lower), static_cast<signed_word>(upper),
                                            bins}(static_cast<signed_word>(raw));
    }
    if constexpr (sizeof(U) == 1) return -1;
    else return ballot::even_bins<typename float_of_word<U>::type>{real(lower), real(upper), bins}(real(raw));
  }
  // levels[bin] <= item < levels[bin + 1].
  BALLOT_HOST_DEVICE std::int64_t level_bin(U raw) const {
    if (order.is_nan(raw)) return -1;
    const U rank = order.rank(raw);
    unsigned low = 0, left = bins + 1;  // so many levels are at or below the item
    while (left != 0) {
      const unsigned half = left / 2;
      if (!(rank < order.rank(levels[low + half]))) low += left - half;
      left = half;
    }
    return low <= bins ? static_cast<std::int64_t>(low) - 1 : -1;
  }
  BALLOT_HOST_DEVICE std::int64_t operator()(const U& raw) const {
    if (kind == BALLOT_BINS_EVEN) return even_bin(raw);
    if (kind == BALLOT_BINS_LEVELS) return level_bin(raw);
    return static_cast<std::int64_t>(static_cast<u32>(order.codec.encode(raw) >> low_bit) & mask);
  }
};

template <class U>
void histogram(ballot::stream_t stream, const input<U>& in, const bin_of_word<U>& bin_of,
               const ballot::device_count& counts, u32 bins, const ballot::device_count& outside);

}  // namespace ballot_c
