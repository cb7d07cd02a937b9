// SPDX-License-Identifier: Apache-2.0
// The accumulator of a batched scan: the item type itself, or a wider type. A sum of a wider type
// is rounded to the item type wherever an item is written.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/double_float.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>

#include <type_traits>

namespace ballot {

// The accumulator that is the item type.
struct same_as_items {};

namespace detail {

template <class T, class Accumulator>
using accumulator_t = std::conditional_t<std::is_same_v<Accumulator, same_as_items>, T, Accumulator>;

// Integers wrap in their own type; floats may be summed in double or double_float, numbers of 16 bits that are no
// integers in float.
template <class T, class Sum>
inline constexpr bool is_accumulator_of =
    std::is_same_v<T, Sum> ||
    (std::is_same_v<T, float> && (std::is_same_v<Sum, double> || std::is_same_v<Sum, double_float>)) ||
    (is_number<T> && !std::is_arithmetic_v<T> && sizeof(T) == 2 && std::is_same_v<Sum, float>);

// x + sum_identity == x for every x: of floats that is the negative zero, since -0 + +0 is +0.
template <class Sum>
BALLOT_HOST_DEVICE constexpr Sum sum_identity() {
  if constexpr (std::is_same_v<Sum, double_float>) return {-0.0f, 0.0f};
  else if constexpr (std::is_floating_point_v<Sum>) return Sum(-0.0);
  else return Sum(0);
}

template <class Sum, class T>
BALLOT_HOST_DEVICE Sum add_item(Sum sum, T item) {
  if constexpr (std::is_same_v<Sum, double_float>) return sum + item;
  else return plus{}(sum, static_cast<Sum>(item));
}

}  // namespace detail
}  // namespace ballot
