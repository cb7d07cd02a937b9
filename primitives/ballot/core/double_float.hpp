// SPDX-License-Identifier: Apache-2.0
// A sum kept as a pair of floats: the rounded sum, and the sum of the rounding errors.
//
//     a        1 0 1 1 0 1          two_sum gives the rounded sum and the exact error of that
//     b              1 1 0 1 1 1    rounding, so that a + b == sum + error as real numbers,
//     sum      1 0 1 1 1 1          whatever the sizes of a and b
//     error              + 0 1 1    (the bits that did not fit)
//
// double_float adds to `high` exactly as a float would, and sums the errors in `low`. Its value is
// high + low, which is not evaluated and not normalised (|low| may exceed half an ulp of high where
// a sum cancels). So `high` always equals the result of plain float additions in the same order,
// also if that is infinite or NaN.
//
// Error: let x be the n items of a sum, and h the additions between an item and the result. (h is
// the depth of the tree, or n - 1 in a loop.) With u = 2^-24 and h u << 1,
//
//     |high + low - sum of x|  <=  2 h^2 u^2 sum of |x|
//
// A level of the tree adds errors of at most u sum of |x|. So |low| is at most h u sum of |x|, and
// it is made with at most 2 h roundings. Rounded to a float at the end, the result is within half
// an ulp and this bound of the exact sum. A sum of plain floats is within h u sum of |x|. Overflow
// is as for floats: `low` is then NaN and is ignored.
//
// There are only additions and subtractions, so a compiler cannot contract them to a fused
// multiply-add. It must not reassociate them. nvcc never does. Host compilers do with -ffast-math,
// which is an error below.
// Sources: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B (two_sum); Dekker 1971; the
// pair without normalisation: Ogita, Rump and Oishi, Accurate Sum and Dot Product, 2005 (Sum2).
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cfloat>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
#  error "ballot/core/double_float.hpp: the errors of a sum are lost if the compiler may reassociate it (-ffast-math)"
#endif

namespace ballot {

static_assert(FLT_EVAL_METHOD == 0 && FLT_RADIX == 2 && FLT_MANT_DIG == 24,
              "double_float needs float operations that are rounded to IEEE binary32 one by one");

struct double_float {
  float high;
  float low;

  // Rounded once. An overflowed sum is the infinity or NaN of plain floats; a sum of negative zeros
  // is a negative zero.
  BALLOT_HOST_DEVICE explicit operator float() const { return has_error() ? high + low : high; }
  BALLOT_HOST_DEVICE explicit operator double() const {
    return has_error() ? static_cast<double>(high) + static_cast<double>(low) : static_cast<double>(high);
  }
  friend bool operator==(const double_float&, const double_float&) = default;

 private:
  // Whether `low` is to be added: not a NaN, and not a zero, which would lose the sign of a
  // negative zero.
  BALLOT_HOST_DEVICE bool has_error() const { return low < 0 || low > 0; }
};

// The rounded sum of a and b, and the error: a + b == high + low exactly (no overflow). Six
// operations, no branch.
BALLOT_HOST_DEVICE double_float two_sum(float a, float b) {
  const float sum = a + b;
  const float b_of_sum = sum - a;
  const float a_of_sum = sum - b_of_sum;
  return {sum, (a - a_of_sum) + (b - b_of_sum)};
}

// Seven operations.
BALLOT_HOST_DEVICE double_float operator+(double_float a, float b) {
  const double_float sum = two_sum(a.high, b);
  return {sum.high, a.low + sum.low};
}
// Eight operations. Commutes bit by bit, except for signs of zeros.
BALLOT_HOST_DEVICE double_float operator+(double_float a, double_float b) {
  const double_float sum = two_sum(a.high, b.high);
  return {sum.high, (a.low + b.low) + sum.low};
}

}  // namespace ballot
