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
