// SPDX-License-Identifier: Apache-2.0
#include "conditions/item_predicate.hpp"
#include <ballot/core/namespace.hpp>

#include "conditions/where_expression.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

namespace ballot::app {
namespace {

// The nearest numbers of a type below and above a literal, if there are such. They are the same
// number if the type has the literal itself.
template <class T>
struct neighbours {
  std::optional<T> below;  // largest that is <= the literal
  std::optional<T> above;  // smallest that is >= the literal
};

template <class T>
neighbours<T> integers_around(__int128 floor, bool is_whole) {
  constexpr __int128 lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  const __int128 ceiling = is_whole ? floor : floor + 1;
  neighbours<T> n;
  if (floor >= lowest) n.below = static_cast<T>(floor < highest ? floor : highest);
  if (ceiling <= highest) n.above = static_cast<T>(ceiling > lowest ? ceiling : lowest);
  return n;
}

template <std::integral T>
neighbours<T> around(double x) {
  constexpr double beyond = 0x1p100;  // of every 64-bit integer, and yet convertible
  const double bounded = x > beyond ? beyond : x < -beyond ? -beyond : x;
  return integers_around<T>(static_cast<__int128>(std::floor(bounded)), bounded == std::floor(bounded));
}

template <std::integral T>
neighbours<T> around(__int128 x) {
  return integers_around<T>(x, true);
}

// `nearest` is x rounded to T in some direction; `side` tells where it lies: negative below x,
// positive above.
template <std::floating_point T>
neighbours<T> floats_around(T nearest, int side) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  if (side == 0) return {nearest, nearest};
  return side < 0 ? neighbours<T>{nearest, std::nextafter(nearest, infinity)}
                  : neighbours<T>{std::nextafter(nearest, -infinity), nearest};
}

template <std::floating_point T>
neighbours<T> around(double x) {
  const T nearest = static_cast<T>(x);
  return floats_around(nearest, static_cast<double>(nearest) < x ? -1 : static_cast<double>(nearest) > x ? 1 : 0);
}

template <std::floating_point T>
neighbours<T> around(__int128 x) {
  const T nearest = static_cast<T>(x);  // within 64 bits: finite, and a whole number
  const auto whole = static_cast<__int128>(nearest);
  return floats_around(nearest, whole < x ? -1 : whole > x ? 1 : 0);
}

}  // namespace

template <class T>
bound_comparison<T> bind_comparison(relation rel, const literal& constant) {
  if (const double* x = std::get_if<double>(&constant); x != nullptr && std::isnan(*x))
    return {rel == relation::not_equal ? item_op::always : item_op::never};
  const neighbours<T> n = std::visit([](auto x) { return around<T>(x); }, constant);
  const bool exact = n.below && n.above && *n.below == *n.above;
  // Strict comparisons become others with the next number, except where that would leave the type.
  switch (rel) {
    case relation::less_equal:
      return n.below ? bound_comparison<T>{item_op::less_equal, *n.below} : bound_comparison<T>{item_op::never};
    case relation::greater_equal:
      return n.above ? bound_comparison<T>{item_op::greater_equal, *n.above} : bound_comparison<T>{item_op::never};
    case relation::equal:
      return exact ? bound_comparison<T>{item_op::equal, *n.below} : bound_comparison<T>{item_op::never};
    case relation::not_equal:
      return exact ? bound_comparison<T>{item_op::not_equal, *n.below} : bound_comparison<T>{item_op::always};
    case relation::less:
    case relation::greater:
      break;
  }
  const bool is_less = rel == relation::less;
  if (!exact) return bind_comparison<T>(is_less ? relation::less_equal : relation::greater_equal, constant);
  const T limit = *n.below;
  if constexpr (std::is_integral_v<T>) {
    if (limit == (is_less ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max())) return {item_op::never};
    return is_less ? bound_comparison<T>{item_op::less_equal, static_cast<T>(limit - 1)}
                   : bound_comparison<T>{item_op::greater_equal, static_cast<T>(limit + 1)};
  } else {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    if (limit == (is_less ? -infinity : infinity)) return {item_op::never};
    return is_less ? bound_comparison<T>{item_op::less_equal, std::nextafter(limit, -infinity)}
                   : bound_comparison<T>{item_op::greater_equal, std::nextafter(limit, infinity)};
  }
}

template <class T>
item_predicate<T> compile_item_predicate(const where_expression& expression, bool invert) {
  item_predicate<T> predicate{};
  predicate.invert = invert;
  for (const where_step& step : expression.steps) {
    bound_comparison<T> bound{};
    switch (step.kind) {
      case where_step_kind::compare:
        bound = bind_comparison<T>(step.rel, step.constant);
        break;
      case where_step_kind::is_nan:
        bound.op = item_op::is_nan;
        break;
      case where_step_kind::conjunction:
        bound.op = item_op::conjunction;
        break;
      case where_step_kind::disjunction:
        bound.op = item_op::disjunction;
        break;
      case where_step_kind::negation:
        bound.op = item_op::negation;
        break;
    }
    predicate.ops[predicate.size] = bound.op;
    predicate.constants[predicate.size] = bound.constant;
    ++predicate.size;
  }
  return predicate;
}

template item_predicate<std::uint8_t> compile_item_predicate(const where_expression&, bool);
template item_predicate<std::uint16_t> compile_item_predicate(const where_expression&, bool);
template item_predicate<std::uint32_t> compile_item_predicate(const where_expression&, bool);
template item_predicate<std::uint64_t> compile_item_predicate(const where_expression&, bool);
template item_predicate<std::int8_t> compile_item_predicate(const where_expression&, bool);
template item_predicate<std::int16_t> compile_item_predicate(const where_expression&, bool);
template item_predicate<std::int32_t> compile_item_predicate(const where_expression&, bool);
template item_predicate<std::int64_t> compile_item_predicate(const where_expression&, bool);
template item_predicate<float> compile_item_predicate(const where_expression&, bool);
template item_predicate<double> compile_item_predicate(const where_expression&, bool);

template bound_comparison<std::int64_t> bind_comparison(relation, const literal&);
template bound_comparison<std::uint64_t> bind_comparison(relation, const literal&);
template bound_comparison<double> bind_comparison(relation, const literal&);

}  // namespace ballot::app
