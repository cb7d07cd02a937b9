// SPDX-License-Identifier: Apache-2.0
// A `--where` expression compiled for an item type: a predicate of fixed size that a kernel takes
// by value. The GPU and the CPU run this same code, so they select the same items.
//
// Compiling converts every comparison to the item type (value > 10.5 on integers becomes value >=
// 11, and value < 1e30 becomes true), so that no comparison rounds. Truth values are on a stack of
// 32 bits.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include "conditions/where_expression.hpp"

#include <cstddef>
#include <cstdint>

namespace ballot::app {

inline constexpr std::size_t item_predicate_steps = 64;  // steps
inline constexpr std::size_t predicate_stack_bits = 32;  // conditions pending at a time

enum class item_op : std::uint8_t {
  never,
  always,
  less_equal,
  greater_equal,
  equal,
  not_equal,
  is_nan,
  conjunction,
  disjunction,
  negation
};

template <class T>
struct item_predicate {
  T constants[item_predicate_steps];
  item_op ops[item_predicate_steps];
  std::uint32_t size = 0;
  bool invert = false;  // select the items that the expression rejects

  BALLOT_HOST_DEVICE bool operator()(T value) const {
    std::uint32_t stack = 0;  // the top is bit 0
    for (std::uint32_t i = 0; i < size; ++i) {
      const T constant = constants[i];
      switch (ops[i]) {
        case item_op::never:
          stack = stack << 1;
          break;
        case item_op::always:
          stack = stack << 1 | 1u;
          break;
        case item_op::less_equal:
          stack = stack << 1 | static_cast<std::uint32_t>(value <= constant);
          break;
        case item_op::greater_equal:
          stack = stack << 1 | static_cast<std::uint32_t>(value >= constant);
          break;
        case item_op::equal:
          stack = stack << 1 | static_cast<std::uint32_t>(value == constant);
          break;
        case item_op::not_equal:
          stack = stack << 1 | static_cast<std::uint32_t>(value != constant);
          break;
        case item_op::is_nan:
          stack = stack << 1 | static_cast<std::uint32_t>(value != value);
          break;
        // The top two bits become one: the other bits shift down, and the result takes bit 0.
        case item_op::conjunction:
          stack = (stack >> 1 & ~1u) | (stack >> 1 & stack & 1u);
          break;
        case item_op::disjunction:
          stack = (stack >> 1 & ~1u) | ((stack >> 1 | stack) & 1u);
          break;
        case item_op::negation:
          stack ^= 1u;
          break;
      }
    }
    return ((stack & 1u) != 0) != invert;
  }
};

// A comparison with a literal, converted to a comparison with a T.
template <class T>
struct bound_comparison {
  item_op op;  // never, always, or one of the four comparisons
  T constant{};
};
template <class T>
bound_comparison<T> bind_comparison(relation rel, const literal& constant);

// T: one of the types in dtype.hpp.
template <class T>
item_predicate<T> compile_item_predicate(const where_expression& expression, bool invert);

}  // namespace ballot::app
