// SPDX-License-Identifier: Apache-2.0
// IBM floats: known values, every power of two, and conversions from and to floats with their
// losses.
#include <ballot/core/namespace.hpp>

#include "arrays/ibm_float.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

using ballot::app::float_of_ibm;
using ballot::app::ibm_of_float;

TEST_CASE("IBM floats: known values") {
  const struct {
    std::uint32_t ibm;
    float value;
  } known[] = {{0, 0.0f},          {0x41100000, 1.0f},        {0xc1100000, -1.0f},      {0xc276a000, -118.625f},
               {0x40800000, 0.5f}, {0x46ffffff, 16777215.0f}, {0x47100000, 16777216.0f}};
  for (const auto& [ibm, value] : known) {
    CAPTURE(ibm);
    CHECK(float_of_ibm(ibm) == value);
    CHECK(ibm_of_float(value) == ibm);
  }
  CHECK(float_of_ibm(0x41010000) == 1.0f / 16);  // a fraction that begins with a digit of 0
  CHECK(float_of_ibm(0x80000000) == 0.0f);
  CHECK(float_of_ibm(0x7fffffff) == std::numeric_limits<float>::max());
  CHECK(float_of_ibm(0xffffffff) == -std::numeric_limits<float>::max());
  CHECK(float_of_ibm(0x00100000) == 0.0f);  // 16^-65
  CHECK(ibm_of_float(-0.0f) == 0);
}

TEST_CASE("IBM floats: every power of two that is a float") {
  for (int e = -149; e < 128; ++e)
    for (const float x : {std::ldexp(1.0f, e), -std::ldexp(1.0f, e)}) {
      CAPTURE(e);
      CHECK(float_of_ibm(ibm_of_float(x)) == x);
    }
}

TEST_CASE("IBM floats: of any float, the nearest towards zero") {
  std::mt19937 random(5);
  for (int i = 0; i < 200'000; ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(x)) continue;
    const std::uint32_t ibm = ibm_of_float(x);
    const float back = float_of_ibm(ibm);
    // No further than a unit of the fraction's last place, and not beyond.
    const double unit = std::ldexp(1.0, 4 * (static_cast<int>(ibm >> 24 & 0x7f) - 64) - 24);
    const double lost = std::fabs(double{x}) - std::fabs(double{back});
    REQUIRE((lost >= 0 && lost < unit && std::signbit(x) == (ibm >> 31 != 0)));
    if (x != 0) REQUIRE((ibm & 0x00f00000u) != 0);
  }
}
