// SPDX-License-Identifier: Apache-2.0
// The order of calls that compare items: keys by their ordered bits, or the caller's comparison.
#pragma once

#include <ballot/core/concepts.hpp>
#include <ballot/core/explain.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>

#include <type_traits>

namespace ballot {

/// The order in which keys are.
struct order_options {
  /// Ascending or descending.
  ballot::direction direction = ballot::direction::ascending;
  /// Where NaNs are.
  nan_order nans = nan_order::last;
};

namespace detail {

// Whether a key comes before another.
template <class K>
struct key_before {
  key_codec<ordered_bits_t<K>> codec;
  BALLOT_HOST_DEVICE bool operator()(const K& a, const K& b) const {
    using U = ordered_bits_t<K>;
    return codec.encode(__builtin_bit_cast(U, a)) < codec.encode(__builtin_bit_cast(U, b));
  }
};
template <class K>
key_before<K> before_in(const order_options& order) {
  return {key_codec_of<K>(order.direction, order.nans)};
}

template <class F, class T>
struct comparison_check {
  static constexpr bool ok = relation_of<F, T> || (function_object<F> && std::is_same_v<T, unknown>);
  static consteval void explain() {
    if constexpr (!function_check<F>::ok) function_check<F>::explain();
    else
      static_assert(ok,
                    "ballot: the comparison cannot be called with two items, or its result is no bool. Write "
                    "bool operator()(const T& a, const T& b) const: whether a comes before b.");
  }
};

}  // namespace detail
}  // namespace ballot
