// SPDX-License-Identifier: Apache-2.0
// Floats of 16 bits (IEEE binary16) as floats of 32 and back: not every compiler that builds this
// has a type for them.
#pragma once

#include <ballot/core/namespace.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

namespace ballot::app {

// Exact; a NaN keeps its sign and its payload.
inline float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16, magnitude = half & 0x7fffu;
  constexpr std::uint32_t half_infinity = 0x7c00, half_normal = 0x0400, rebias = (127 - 15) << 23;
  if (magnitude >= half_infinity) return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude >= half_normal) return std::bit_cast<float>(sign | ((magnitude << 13) + rebias));
  const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(subnormal));
}

// The nearest, ties to even; beyond the largest infinity. A NaN keeps its sign and the upper bits
// of its payload.
inline std::uint16_t half_of_float(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  constexpr std::uint32_t infinity = 0x7f800000, half_infinity = 0x7c00, quiet = 0x0200;
  if (magnitude > infinity) {
    const std::uint32_t payload = magnitude >> 13 & 0x3ffu;
    return static_cast<std::uint16_t>(sign | half_infinity | (payload != 0 ? payload : quiet));
  }
  constexpr std::uint32_t rounds_to_infinity = 0x477ff000;  // 65520
  if (magnitude >= rounds_to_infinity) return static_cast<std::uint16_t>(sign | half_infinity);
  constexpr std::uint32_t smallest_normal = 0x38800000;  // 2^-14
  if (magnitude < smallest_normal) {
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p24f;  // exact; nearbyint rounds ties to even
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::nearbyint(scaled)));
  }
  const std::uint32_t rebiased = magnitude - ((127 - 15) << 23), rounded = rebiased + 0xfff + (rebiased >> 13 & 1);
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}

}  // namespace ballot::app
