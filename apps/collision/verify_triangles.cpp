// SPDX-License-Identifier: Apache-2.0
// Two triangles have a point in common if and only if 0 is in the convex hull of the differences of
// their corners, d1 to d9. It is not if and only if some n has n.di > 0 for all i. The n with
// n.di >= 0 for all i are a cone. Where the di span the space, its edges are among the +-(di x dj).
// The sum of all of these that are in the cone is inside of it. So this sum is such an n, or there
// is none. Where the di span a plane or a line, the same holds within it.
#include "collision/verify_triangles.hpp"

#include "base/failure.hpp"
#include "collision/verify.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace ballot::app::collision {
namespace {

__extension__ using two_words = unsigned __int128;
__extension__ using double_word = __int128;

// A whole number in two's complement. Results are cut off to its words: the caller knows that they
// fit.
template <std::size_t words>
class wide_integer {
 public:
  wide_integer() = default;
  explicit wide_integer(std::int64_t value) {
    words_.fill(value < 0 ? ~std::uint64_t{0} : 0);
    words_[0] = static_cast<std::uint64_t>(value);
  }

  wide_integer operator-() const { return wide_integer() - *this; }
  wide_integer operator+(const wide_integer& other) const {
    wide_integer sum;
    two_words carry = 0;
    for (std::size_t i = 0; i < words; ++i) {
      carry += two_words{words_[i]} + other.words_[i];
      sum.words_[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return sum;
  }
  wide_integer operator-(const wide_integer& other) const {
    wide_integer flipped;
    for (std::size_t i = 0; i < words; ++i) flipped.words_[i] = ~other.words_[i];
    return *this + flipped + wide_integer(1);
  }
  wide_integer operator*(const wide_integer& other) const {
    wide_integer product;
    for (std::size_t i = 0; i < words; ++i) {
      two_words carry = 0;
      for (std::size_t j = 0; i + j < words; ++j) {
        carry += two_words{words_[i]} * other.words_[j] + product.words_[i + j];
        product.words_[i + j] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
    }
    return product;
  }
  wide_integer shifted(unsigned bits) const {
    wide_integer result;
    for (std::size_t i = words; i-- > bits / 64;) {
      const std::size_t from = i - bits / 64;
      result.words_[i] = words_[from] << bits % 64;
      if (bits % 64 != 0 && from > 0) result.words_[i] |= words_[from - 1] >> (64 - bits % 64);
    }
    return result;
  }
  int sign() const {
    if (words_.back() >> 63 != 0) return -1;
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w == 0; }) ? 0 : 1;
  }

 private:
  std::array<std::uint64_t, words> words_{};
};

template <std::size_t words>
int sign_of(const wide_integer<words>& x) {
  return x.sign();
}
int sign_of(double_word x) { return (x > 0) - (x < 0); }

template <std::size_t words>
wide_integer<words> shifted(std::int64_t x, unsigned bits, const wide_integer<words>*) {
  return wide_integer<words>(x).shifted(bits);
}
double_word shifted(std::int64_t x, unsigned bits, const double_word*) {
  return double_word{x} * (double_word{1} << bits);
}

template <class Integer>
using three = std::array<Integer, 3>;

template <class Integer>
three<Integer> cross(const three<Integer>& a, const three<Integer>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class Integer>
int sign_of_dot(const three<Integer>& a, const three<Integer>& b) {
  return sign_of(Integer(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]));
}
template <class Integer>
bool is_zero(const three<Integer>& a) {
  return sign_of(a[0]) == 0 && sign_of(a[1]) == 0 && sign_of(a[2]) == 0;
}

template <class Integer>
using differences = std::array<three<Integer>, 9>;

// 1: n.d > 0 for all d; 0: n.d >= 0; -1: neither.
template <class Integer>
int least_sign(const three<Integer>& n, const differences<Integer>& all) {
  int least = 1;
  for (std::size_t i = 0; i < all.size() && least >= 0; ++i) least = std::min(least, sign_of_dot(n, all[i]));
  return least;
}

// Adds up those of +-n that are in the cone.
template <class Integer>
void add_if_in_cone(const three<Integer>& n, const differences<Integer>& all, three<Integer>& sum) {
  if (is_zero(n)) return;
  const three<Integer> opposite{-n[0], -n[1], -n[2]};
  for (const three<Integer>& edge : {n, opposite})
    if (least_sign(edge, all) >= 0)
      for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] = sum[axis] + edge[axis];
}

template <class Integer>
bool hull_has_origin(differences<Integer> all) {
  const auto first = std::find_if(all.begin(), all.end(), [](const auto& d) { return !is_zero(d); });
  if (first == all.end()) return true;
  three<Integer> normal{};
  for (const three<Integer>& d : all)
    if (is_zero(normal)) normal = cross(*first, d);
  if (is_zero(normal)) return least_sign(*first, all) <= 0;  // on a line

  three<Integer> sum{};
  const bool is_flat = std::all_of(all.begin(), all.end(), [&](const auto& d) { return sign_of_dot(normal, d) == 0; });
  if (is_flat) {
    // In the plane of two axes. The plane of all is not upright there.
    std::size_t up = 0;
    while (sign_of(normal[up]) == 0) ++up;
    for (three<Integer>& d : all) d[up] = Integer(0);
    for (const three<Integer>& d : all) {
      three<Integer> across{};
      across[(up + 1) % 3] = -d[(up + 2) % 3];
      across[(up + 2) % 3] = d[(up + 1) % 3];
      add_if_in_cone(across, all, sum);
    }
  } else {
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j) add_if_in_cone(cross(all[i], all[j]), all, sum);
  }
  return least_sign(sum, all) <= 0;
}

// A float as a whole number that is odd, or 0, and a power of two.
struct whole_float {
  std::int64_t digits = 0;
  int exponent = 0;
};
whole_float in_whole_numbers(float x) {
  if (x == 0) return {};
  const int exponent = std::ilogb(x) - 23;
  const auto digits = static_cast<std::int64_t>(std::ldexp(static_cast<double>(x), -exponent));
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(digits));
  return {digits >> zeros, exponent + zeros};
}

template <class Integer>
bool hull_has_origin(const std::array<std::array<whole_float, 3>, 6>& corners, int lowest) {
  std::array<three<Integer>, 6> at;
  for (std::size_t c = 0; c < 6; ++c)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto& [digits, exponent] = corners[c][axis];
      const unsigned bits = digits == 0 ? 0u : static_cast<unsigned>(exponent - lowest);
      at[c][axis] = shifted(digits, bits, static_cast<const Integer*>(nullptr));
    }
  differences<Integer> all;
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) all[i][axis] = at[i / 3][axis] - at[3 + i % 3][axis];
  return hull_has_origin(all);
}

bool are_apart_along_an_axis(const triangle& a, const triangle& b) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto least = [axis](const triangle& t) { return std::min({t[0][axis], t[1][axis], t[2][axis]}); };
    const auto largest = [axis](const triangle& t) { return std::max({t[0][axis], t[1][axis], t[2][axis]}); };
    if (largest(a) < least(b) || largest(b) < least(a)) return true;
  }
  return false;
}

}  // namespace

bool touch_in_whole_numbers(const triangle& a, const triangle& b) {
  std::array<std::array<whole_float, 3>, 6> corners;
  int lowest = 0, highest = 0;
  bool has_any = false;
  for (std::size_t c = 0; c < 6; ++c)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const whole_float x = in_whole_numbers(c < 3 ? a[c][axis] : b[c - 3][axis]);
      corners[c][axis] = x;
      if (x.digits == 0) continue;
      const int end = x.exponent + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::abs(x.digits))));
      lowest = has_any ? std::min(lowest, x.exponent) : x.exponent;
      highest = has_any ? std::max(highest, end) : end;
      has_any = true;
    }
  // A coordinate has highest - lowest bits, a difference at most one more: b. A cross product has
  // 2b + 1, a sum of 72 of them 7 more. Its product with a difference has 3b + 8, and 2 more as a
  // sum of three. With the sign that is less than 3b + 12.
  const int needed = 3 * (highest - lowest + 1) + 12;
  if (needed <= 128) return hull_has_origin<double_word>(corners, lowest);
  if (needed <= 64 * 6) return hull_has_origin<wide_integer<6>>(corners, lowest);
  // Floats up to 1e18 are multiples of 2^-149 and less than 2^60: this is enough for all of them.
  return hull_has_origin<wide_integer<11>>(corners, lowest);
}

void verify_triangles(std::span<const triangle> triangles, std::span<const object_pair> of_spheres,
                      std::span<const object_pair> touching) {
  // The list has those that touch of the pairs of spheres, and no others.
  std::vector<std::uint8_t> touches(of_spheres.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, of_spheres.size(), 64), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i)
      touches[i] = touch_in_whole_numbers(triangles[of_spheres[i].a], triangles[of_spheres[i].b]);
  });
  std::vector<std::uint32_t> listed(triangles.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < of_spheres.size(); ++i) {
    const bool is_listed = at < touching.size() && touching[at] == of_spheres[i];
    if (is_listed) ++at;
    if (is_listed != (touches[i] != 0))
      throw verification_failure(fmt::format("verification failed: triangles {} and {} {}", of_spheres[i].a,
                                             of_spheres[i].b,
                                             is_listed ? "do not touch" : "touch, and are not listed"));
    if (!is_listed) continue;
    ++listed[of_spheres[i].a];
    ++listed[of_spheres[i].b];
  }
  if (at != touching.size())
    throw verification_failure(
        fmt::format("verification failed: triangles {} and {} are listed, and their spheres are not", touching[at].a,
                    touching[at].b));

  // Their spheres may have missed some. So triangles are asked how many others they touch.
  const std::vector<std::uint32_t> asked = objects_to_ask(triangles.size());
  std::atomic<std::uint32_t> wrong{0xffffffffu};
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, asked.size()), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      const triangle& one = triangles[asked[i]];
      std::uint32_t touched = 0;
      for (std::uint32_t other = 0; other < triangles.size(); ++other)
        if (other != asked[i] && !are_apart_along_an_axis(one, triangles[other]))
          touched += touch_in_whole_numbers(one, triangles[other]);
      if (touched != listed[asked[i]]) wrong = asked[i];
    }
  });
  if (wrong != 0xffffffffu)
    throw verification_failure(fmt::format("verification failed: pairs of triangle {} are missing, {} are there",
                                           wrong.load(), listed[wrong]));
}

}  // namespace ballot::app::collision
