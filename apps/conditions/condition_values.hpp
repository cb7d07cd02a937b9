// SPDX-License-Identifier: Apache-2.0
// The meaning of a condition's comparisons, for its program and for the check of it.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"
#include "conditions/where_expression.hpp"

#include <string_view>
#include <variant>

namespace ballot::app {

inline bool texts_hold(std::string_view a, relation rel, std::string_view b) {
  return holds(static_cast<__int128>(a.compare(b)), rel, static_cast<__int128>(0));
}

inline double as_double(const literal& x) {
  return std::visit([](auto value) { return static_cast<double>(value); }, x);
}

inline bool is_integer(dtype type) { return type != dtype::f32 && type != dtype::f64; }

}  // namespace ballot::app
