// SPDX-License-Identifier: Apache-2.0
// Keys of random types and the order that random options ask for.
#pragma once

#include <ballot/core/namespace.hpp>

#include "stress/draws.cuh"

#include <ballot/core/key_order.hpp>
#include <ballot/detail/radix_sort/launch.cuh>

#include <span>
#include <type_traits>

namespace ballot::test {

// Words of bits as an order of keys has them: the words that a stable sort compares.
template <class U>
struct asked_order {
  key_codec<U> codec;
  int low;
  U mask;
  __host__ __device__ U bits(U word) const { return static_cast<U>(static_cast<U>(codec.encode(word) >> low) & mask); }
  __host__ __device__ bool operator()(U a, U b) const { return bits(a) < bits(b); }
};

template <class K>
struct drawn_order {
  using U = ordered_bits_t<K>;
  sort_options options;
  asked_order<U> before;

  explicit drawn_order(draws& draw) {
    constexpr int width = static_cast<int>(8 * sizeof(U));
    int low = 0, high = width;  // half of all calls sort by whole keys
    if (draw.yes()) {
      if (draw.yes()) low = static_cast<int>(draw.below(static_cast<u64>(width)));
      high = low + 1 + static_cast<int>(draw.below(static_cast<u64>(width - low)));
    }
    options.direction = draw.yes() ? direction::ascending : direction::descending;
    options.nans = draw.yes() ? nan_order::last : draw.yes() ? nan_order::first : nan_order::by_bits;
    options.bits = {low, high};
    before = {key_codec_of<K>(options.direction, options.nans), low,
              static_cast<U>(static_cast<U>(~U{0}) >> (width - (high - low)))};
  }
};

template <class K>
std::span<K> as_keys(const placed<ordered_bits_t<K>>& words) {
  return {reinterpret_cast<K*>(words.data()), words.size()};
}

// Calls check with one of the types of keys.
template <class Check>
void with_drawn_key(draws& draw, Check check) {
  with_drawn_word(draw, [&]<class U>(std::type_identity<U>) {
    const u64 kind = draw.below(4);
    if (kind == 0) return check(std::type_identity<std::make_signed_t<U>>{});
    if constexpr (sizeof(U) >= 4) {
      if (kind == 1) return check(std::type_identity<std::conditional_t<sizeof(U) == 4, float, double>>{});
    }
    check(std::type_identity<U>{});
  });
}

}  // namespace ballot::test
