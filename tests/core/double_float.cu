// SPDX-License-Identifier: Apache-2.0
// Sums in pairs of floats: the error of an addition is exact, and the bound that the header states
// holds.
#include <ballot/core/double_float.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace ballot;

namespace {

// Finite floats of all signs and sizes between 2^-40 and 2^40. The exact sum of two fits no double.
// But the rounded sum and its error do, and so does their difference from either float.
float any_float(std::mt19937_64& random, int exponents) {
  const float fraction = std::ldexp(static_cast<float>(random() % (1u << 24)), -23) - 1.0f;
  return std::ldexp(fraction, static_cast<int>(random() % static_cast<unsigned>(2 * exponents + 1)) - exponents);
}

}  // namespace

TEST_CASE("double_float: two_sum loses nothing") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const float a = any_float(random, 14), b = any_float(random, 14);  // 24 + 28 bits: exact in double
    const double_float sum = two_sum(a, b);
    if (sum.high != a + b || double(sum.high) + double(sum.low) != double(a) + double(b)) FAIL(a << " + " << b);
    const double_float other_way = two_sum(b, a);
    if (!(sum == other_way)) FAIL("not commutative: " << a << " + " << b);
  }
  // Errors far below the sum's own bits.
  const double_float sum = two_sum(0x1p60f, 0x1.000002p-40f);
  CHECK(sum.high == 0x1p60f);
  CHECK(sum.low == 0x1.000002p-40f);
}

TEST_CASE("double_float: sums of pairs, of pairs and floats") {
  const double_float one_and_little{1.0f, 0x1p-30f};
  CHECK(one_and_little + one_and_little == double_float{2.0f, 0x1p-29f});
  CHECK(one_and_little + 0x1p-26f == double_float{1.0f, 0x1p-30f + 0x1p-26f});
  CHECK(static_cast<double>(one_and_little) == 1.0 + 0x1p-30);
  CHECK(static_cast<float>(one_and_little) == 1.0f);
  CHECK(static_cast<float>(double_float{1.0f, 0x1.000002p-24f}) == 1.0f + 0x1p-23f);  // rounded up: past the half
  CHECK(static_cast<float>(double_float{1.0f, 0x1p-24f}) == 1.0f);                    // a tie goes to even
  CHECK(static_cast<float>(double_float{1.0f + 0x1p-23f, 0x1p-24f}) == 1.0f + 0x1p-22f);
}

TEST_CASE("double_float: within the stated bound, also where sums cancel") {
  const double u = 0x1p-24;
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    double_float sum{0.0f, 0.0f};
    float plain = 0.0f;
    long double exact = 0, sizes = 0;
    const int n = 3000;
    for (int i = 0; i < n; ++i) {
      const float x = seed % 2 ? any_float(random, 5) : std::fabs(any_float(random, 2));
      sum = sum + x;
      plain += x;
      exact += x;
      sizes += std::fabs(x);
    }
    CHECK(sum.high == plain);
    const double h = n - 1, bound = 2 * h * h * u * u * double(sizes);
    CHECK(std::fabs(double(static_cast<long double>(sum.high) + sum.low - exact)) <= bound);
    CHECK(std::fabs(double(sum.low)) <= h * u * double(sizes));
  }
}

TEST_CASE("double_float: what overflows is what floats give") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const double_float infinite = double_float{inf, 0.0f} + 1.0f;
  CHECK(static_cast<float>(infinite) == inf);
  CHECK(static_cast<double>(infinite) == inf);
  CHECK(static_cast<float>(infinite + double_float{2.0f, 0.0f}) == inf);
  CHECK(std::isnan(static_cast<float>(infinite + -inf)));
  CHECK(static_cast<float>(double_float{0x1p127f, 0.0f} + 0x1p127f) == inf);
  CHECK(static_cast<float>(double_float{-0x1p127f, 0.0f} + -0x1p127f) == -inf);
}

TEST_CASE("double_float: a sum of negative zeros is one, as floats give it") {
  const double_float zero{-0.0f, 0.0f};
  for (const double_float sum : {zero, zero + -0.0f, zero + zero}) {
    CHECK(std::signbit(static_cast<float>(sum)));
    CHECK(std::signbit(static_cast<double>(sum)));
  }
  for (const double_float sum : {zero + 0.0f, double_float{0.0f, 0.0f} + zero}) {
    CHECK_FALSE(std::signbit(static_cast<float>(sum)));
    CHECK_FALSE(std::signbit(static_cast<double>(sum)));
  }
}
