// SPDX-License-Identifier: Apache-2.0
// Conversions of floats of 16 bits, which are passed as their bits. Kernels use instructions of the
// GPU, other code uses integers and floats. Not in simt.cuh, because few need them.
//
//     half      IEEE binary16: 10 bits of mantissa
//     bfloat    the upper half of a float: 7 bits of mantissa
//
// Rounded to the nearest, ties to even; numbers that are too large become infinite. Each NaN
// becomes 0x7fff.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::simt {

namespace detail {

BALLOT_HOST_DEVICE float widen_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  // The product moves the exponent, and makes subnormal numbers normal.
  const std::uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;  // of infinity and NaNs: the largest exponent
  const float scaled = __builtin_bit_cast(float, magnitude << 13) * 0x1p112f;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, scaled) | special | sign);
}
BALLOT_HOST_DEVICE std::uint16_t round_to_half(float from) {
  const auto x = __builtin_bit_cast(std::uint32_t, from);
  const std::uint32_t sign = x >> 16 & 0x8000u, magnitude = x & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fffu;
  // The addition rounds: its other operand is so large that the sum has 10 bits of this number's mantissa left. The
  // first product takes what is too large to infinity. (The way of M. Dukhan's FP16.)
  const float base = __builtin_bit_cast(float, magnitude) * 0x1p112f * 0x1p-110f;
  const std::uint32_t exponent = magnitude & 0x7f800000u, least = 0x38800000u;
  const std::uint32_t rounder = (exponent < least ? least : exponent) + 0x07800000u;
  const auto sum = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, rounder) + base);
  return static_cast<std::uint16_t>(sign | ((sum >> 13 & 0x7c00u) + (sum & 0xfffu)));
}
BALLOT_HOST_DEVICE std::uint16_t round_to_bfloat(float from) {
  const auto x = __builtin_bit_cast(std::uint32_t, from);
  const std::uint32_t sign = x >> 16 & 0x8000u, magnitude = x & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fffu;
  return static_cast<std::uint16_t>(sign | (magnitude + 0x7fffu + (magnitude >> 16 & 1u)) >> 16);
}

}  // namespace detail

/// The float that a half is.
BALLOT_HOST_DEVICE float float_of_half(std::uint16_t bits) {
#if defined(__CUDA_ARCH__)
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
#else
  return detail::widen_half(bits);
#endif
}
/// The half nearest to a float.
BALLOT_HOST_DEVICE std::uint16_t half_of_float(float x) {
#if defined(__CUDA_ARCH__)
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
#else
  return detail::round_to_half(x);
#endif
}
/// The float that a bfloat is.
BALLOT_HOST_DEVICE float float_of_bfloat(std::uint16_t bits) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
}
/// The bfloat nearest to a float.
BALLOT_HOST_DEVICE std::uint16_t bfloat_of_float(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint16_t bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
#else
  return detail::round_to_bfloat(x);
#endif
}

}  // namespace ballot::simt
