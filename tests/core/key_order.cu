// SPDX-License-Identifier: Apache-2.0
// Ordered bits against the order they stand for.
#include <ballot/core/key_order.hpp>

#include "support/patterns.hpp"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

using ballot::direction;

namespace {

// a before b, as the documentation of the key's type says it.
template <class K>
bool comes_before(K a, K b, direction d) {
  if constexpr (std::is_floating_point_v<K>) {
    if (std::isnan(a)) return false;
    if (std::isnan(b)) return true;
    if (a == 0 && b == 0)
      return d == direction::ascending ? std::signbit(a) > std::signbit(b) : std::signbit(a) < std::signbit(b);
  }
  return d == direction::ascending ? a < b : b < a;
}

template <class K>
std::vector<K> telling_keys() {
  using limits = std::numeric_limits<K>;
  auto keys = ballot::test::random_items<K>(60, sizeof(K));
  for (K k : {limits::lowest(), limits::max(), limits::min(), K{0}, K{1}, static_cast<K>(-1)}) keys.push_back(k);
  if constexpr (std::is_floating_point_v<K>) {
    using U = ballot::ordered_bits_t<K>;
    constexpr U sign = U{1} << (8 * sizeof(U) - 1);
    const U infinity = __builtin_bit_cast(U, limits::infinity());
    for (U bits : {infinity, static_cast<U>(infinity | sign), sign, static_cast<U>(infinity + 1),
                   static_cast<U>((infinity + 1) | sign), static_cast<U>(~sign), static_cast<U>(~U{0}), U{1},
                   static_cast<U>(sign | 1)})
      keys.push_back(__builtin_bit_cast(K, bits));
  }
  return keys;
}

}  // namespace

TEST_CASE_TEMPLATE("ordered bits order keys as documented, and come back exactly", K, std::uint8_t, std::int8_t,
                   std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float,
                   double) {
  using U = ballot::ordered_bits_t<K>;
  const auto keys = telling_keys<K>();
  for (direction d : {direction::ascending, direction::descending}) {
    bool ordered = true, exact = true;
    for (K a : keys) {
      const U bits = ballot::ordered_bits(a, d);
      const K back = ballot::from_ordered_bits<K>(bits, d);
      exact &= __builtin_bit_cast(U, back) == __builtin_bit_cast(U, a);
      for (K b : keys)
        if (comes_before(a, b, d)) ordered &= bits < ballot::ordered_bits(b, d);
    }
    CHECK(ordered);
    CHECK(exact);
  }
}

TEST_CASE("every NaN is last in both directions, whatever its sign") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  for (direction d : {direction::ascending, direction::descending})
    for (float n : {nan, -nan})
      for (float x : {infinity, -infinity, 0.0f, -1.0f}) CHECK(ballot::ordered_bits(x, d) < ballot::ordered_bits(n, d));
}

namespace {

// A 16-bit float as CUDA's headers have it: the bits in a struct.
template <int MantissaBits>
struct float16 {
  std::uint16_t bits;
  float value() const {
    const int exponent_bits = 15 - MantissaBits, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = bits >> MantissaBits & ((1 << exponent_bits) - 1);
    const int mantissa = bits & ((1 << MantissaBits) - 1);
    float magnitude;
    if (exponent == (1 << exponent_bits) - 1)
      magnitude = mantissa != 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    else if (exponent == 0) magnitude = std::ldexp(static_cast<float>(mantissa), 1 - bias - MantissaBits);
    else magnitude = std::ldexp(static_cast<float>(mantissa + (1 << MantissaBits)), exponent - bias - MantissaBits);
    return bits >> 15 != 0 ? -magnitude : magnitude;
  }
};

// totalOrder of IEEE 754 from its text: by value, then -0 before +0, NaNs beyond the infinities by
// sign and payload.
template <class K>
bool total_order_before(K a, K b) {
  if (std::isnan(a) || std::isnan(b)) {
    const auto rank = [](K x) { return std::isnan(x) ? (std::signbit(x) ? -1 : 1) : 0; };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    const auto x = __builtin_bit_cast(ballot::ordered_bits_t<K>, a),
               y = __builtin_bit_cast(ballot::ordered_bits_t<K>, b);
    return std::signbit(a) ? x > y : x < y;
  }
  return comes_before(a, b, direction::ascending);
}

}  // namespace

namespace ballot {
template <int MantissaBits>
struct key_traits<float16<MantissaBits>> {
  static constexpr key_kind kind = key_kind::floating;
  static constexpr int mantissa_bits = MantissaBits;
};
static_assert(radix_key<__half> && radix_key<__nv_bfloat16> && radix_key<bool> && !radix_key<void*>);
static_assert(key_traits<__half>::mantissa_bits == 10 && key_traits<__nv_bfloat16>::mantissa_bits == 7);
}  // namespace ballot

TEST_CASE_TEMPLATE("16-bit floats: all of them, in the order of their values", K, float16<10>, float16<7>) {
  for (direction d : {direction::ascending, direction::descending}) {
    std::vector<std::uint32_t> by_order(1u << 16, ~0u);
    bool exact = true;
    for (std::uint32_t bits = 0; bits < 1u << 16; ++bits) {
      const auto ordered = ballot::ordered_bits(K{static_cast<std::uint16_t>(bits)}, d);
      exact &= ballot::from_ordered_bits<K>(ordered, d).bits == bits;
      by_order[ordered] = bits;
    }
    CHECK(exact);
    bool ordered = true;
    for (std::size_t i = 1; i < by_order.size(); ++i) {
      const float before = K{static_cast<std::uint16_t>(by_order[i - 1])}.value();
      const float after = K{static_cast<std::uint16_t>(by_order[i])}.value();
      ordered &= std::isnan(after) || (d == direction::ascending ? before <= after : before >= after);
    }
    CHECK(ordered);
  }
}

TEST_CASE_TEMPLATE("NaNs last, first or by their bits", K, float, double) {
  using ballot::nan_order;
  for (K a : telling_keys<K>())
    for (K b : telling_keys<K>())
      for (direction d : {direction::ascending, direction::descending}) {
        const auto before = [&](nan_order nans) {
          return ballot::ordered_bits(a, d, nans) < ballot::ordered_bits(b, d, nans);
        };
        if (!std::isnan(a) && !std::isnan(b)) {
          CHECK(before(nan_order::last) == before(nan_order::first));
          CHECK(before(nan_order::last) == before(nan_order::by_bits));
        } else if (!std::isnan(a) || !std::isnan(b)) {
          CHECK(before(nan_order::last) == std::isnan(b));
          CHECK(before(nan_order::first) == std::isnan(a));
        }
        CHECK(before(nan_order::by_bits) ==
              (d == direction::ascending ? total_order_before(a, b) : total_order_before(b, a)));
        for (nan_order nans : {nan_order::last, nan_order::first, nan_order::by_bits}) {
          using U = ballot::ordered_bits_t<K>;
          const K back = ballot::from_ordered_bits<K>(ballot::ordered_bits(a, d, nans), d, nans);
          CHECK(__builtin_bit_cast(U, back) == __builtin_bit_cast(U, a));
        }
      }
}

TEST_CASE("128-bit integers, and zeros that are one key") {
  using ballot::detail::int128;
  const int128 large = static_cast<int128>(1) << 100;
  const int128 keys[] = {-large, -large + 1, -1, 0, 1, static_cast<int128>(~0ull), large};
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) {
      CHECK((ballot::ordered_bits(keys[i]) < ballot::ordered_bits(keys[j])) == (i < j));
      CHECK((ballot::ordered_bits(keys[i], direction::descending) <
             ballot::ordered_bits(keys[j], direction::descending)) == (i > j));
    }
  const ballot::equal_zeros one_zero;
  CHECK(!std::signbit(one_zero(-0.0f)));
  CHECK(!std::signbit(one_zero(0.0)));
  CHECK(one_zero(-1e-45f) == -1e-45f);
  CHECK(one_zero(float16<10>{0x8000}).bits == 0);
  CHECK(one_zero(float16<10>{0x8001}).bits == 0x8001);
}
