// SPDX-License-Identifier: Apache-2.0
// IBM 4-byte floats, the sample format of many SEG-Y files: a sign, 7 bits of a base-16 exponent,
// 24 bits of a fraction.
//
//     s eeeeeee ffffffff ffffffff ffffffff        (-1)^s  *  f / 2^24  *  16^(e - 64)
//
// Written by hand: libsegyio has these conversions, but not every distribution has it (Ubuntu 24.04
// does not). The bits are the same as libsegyio's for all normal floats and all normalised IBM
// floats. Subnormal floats and IBM floats that are not normalised are converted, too.
#pragma once

#include <ballot/core/namespace.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ballot::app {

// The nearest float, or the largest float for larger values: an IBM float reaches 7.2e75.
inline float float_of_ibm(std::uint32_t ibm) {
  static const auto scales = [] {
    std::array<double, 128> scale{};
    for (int e = 0; e < 128; ++e) scale[static_cast<std::size_t>(e)] = std::ldexp(1.0, 4 * (e - 64) - 24);
    return scale;
  }();
  const double magnitude = (ibm & 0xffffffu) * scales[ibm >> 24 & 0x7fu];  // exact
  constexpr float largest = std::numeric_limits<float>::max();
  const float nearest = magnitude > double{largest} ? largest : static_cast<float>(magnitude);
  return (ibm >> 31) != 0 && magnitude != 0 ? -nearest : nearest;
}

// The IBM float nearest towards zero: up to three of the 24 bits are lost, as its fraction begins
// with a digit of four bits. x must be finite: IBM floats have neither infinities nor NaNs.
inline std::uint32_t ibm_of_float(float x) {
  if (x == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(double{x}), &exponent);  // [0.5, 1) * 2^exponent
  const int digits = (exponent + 1024 + 3) / 4 - 256;                   // rounded up: 16^digits is not less
  const auto bits = static_cast<std::uint32_t>(std::ldexp(fraction, 24)) >> (4 * digits - exponent);
  return (std::signbit(x) ? 0x80000000u : 0u) | static_cast<std::uint32_t>(digits + 64) << 24 | bits;
}

}  // namespace ballot::app
