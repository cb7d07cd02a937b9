// SPDX-License-Identifier: Apache-2.0
// The demands of reductions of runs on their arguments, and the messages of their twins about a
// call that does not compile (core/explain.hpp).
#pragma once

#include <ballot/core/explain.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/common/zip.cuh>
#include <ballot/detail/reduce_by_key/results.cuh>
#include <ballot/detail/reduce_by_key/values.cuh>

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace ballot::detail {

// The type of a sum: the type of the result; for several results a row of their types.
template <class... T>
struct sum_of_columns {
  using type = row<T...>;
};
template <class T>
struct sum_of_columns<T> {
  using type = T;
};
template <class... T>
using sum_of_columns_t = typename sum_of_columns<T...>::type;

template <class T, class V>
concept result_of_value = is_item<T> && requires(const V& value) { static_cast<T>(value); };

// Each value converts to its result.
template <class Results, class Values>
inline constexpr bool converts_to_results = false;
template <class... T, class... V>
  requires(sizeof...(T) == sizeof...(V) && sizeof...(T) != 0)
inline constexpr bool converts_to_results<item_list<T...>, item_list<V...>> =
    (result_of_value<T, V> && ...) && sizeof(sum_of_columns_t<T...>) <= most_sum_bytes;

template <class Op, class Results>
inline constexpr bool is_operator_of_results = false;
template <class Op, class... T>
inline constexpr bool is_operator_of_results<Op, item_list<T...>> = (operator_of<Op, T> && ...);
template <class... Ops, class... T>
  requires(sizeof...(Ops) == sizeof...(T))
inline constexpr bool is_operator_of_results<each<Ops...>, item_list<T...>> = (operator_of<Ops, T> && ...);

inline constexpr std::size_t most_key_bytes = 32;
template <class K>
concept run_key = sizeof(K) <= most_key_bytes;

template <class Keys, class Values, class Op, class KeysOut, class Results>
concept reduces_by_key =
    run_key<item_t<Keys>> && input_table<Values> && output_range_or_view_of<KeysOut, Keys> &&
    output_table_or_view<Results> && converts_to_results<table_items_t<Results>, table_items_t<Values>> &&
    is_operator_of_results<Op, table_items_t<Results>>;

template <class Keys>
struct run_key_check {
  static constexpr bool ok = sizeof(known_item_t<Keys>) <= most_key_bytes;
  static consteval void explain() { static_assert(ok, "ballot: keys have at most 32 bytes."); }
};
template <class Results, class Values>
struct results_check {
  using to = known_items_t<Results>;
  using from = known_items_t<Values>;
  static constexpr bool is_known = !is_none<to> && !is_none<from>;
  static constexpr bool ok = !is_known || converts_to_results<to, from>;
  static consteval void explain() {
    static_assert(ok,
                  "ballot: a zip of values needs a zip of as many ranges of results. A value must convert to its "
                  "result, and the results of a run have at most 32 bytes together.");
  }
};
template <class Op, class Results>
struct run_operator_check {
  static constexpr bool ok = is_none<known_items_t<Results>> || is_operator_of_results<Op, known_items_t<Results>>;
  static consteval void explain() {
    if constexpr (!is_each<Op> && !function_check<Op>::ok) function_check<Op>::explain();
    else
      static_assert(ok,
                    "ballot: the operator cannot be called with two results of each range. Write T operator()(const "
                    "T& a, const T& b) const, or ballot::each{...} with an operator for each range of the zip.");
  }
};

template <class Keys, class Values, class Same, class Op, class KeysOut, class Results, class Count>
using reduce_by_key_checks =
    checks<input_or_view_check<Keys>, run_key_check<Keys>, input_table_check<Values>,
           relation_check<Same, known_item_t<Keys>>, output_or_view_check<KeysOut>, same_items_check<KeysOut, Keys>,
           table_check_of<output_or_view_check, Results>, results_check<Results, Values>,
           run_operator_check<Op, Results>, count_check<Count>>;

// The parts of a launch, from columns.
template <class T, class In>
values_of_range<T, typename value_of_input<In>::type> make_run_values(const std::tuple<In>& values) {
  return {source_of_input(std::get<0>(values))};
}
template <class Row, class... In>
  requires(sizeof...(In) > 1)
values_of_zip<Row, typename value_of_input<In>::type...> make_run_values(const std::tuple<In...>& values) {
  return {std::apply([](const auto&... v) { return make_value_columns<Row>(v...); }, values)};
}
template <class Out>
auto make_run_results(const std::tuple<Out>& results) {
  return make_results_of(std::get<0>(results));
}
template <class... Out>
  requires(sizeof...(Out) > 1)
auto make_run_results(const std::tuple<Out...>& results) {
  return std::apply([](const auto&... r) { return make_results(r...); }, results);
}
template <class T>
inline constexpr bool is_row = false;
template <class... T>
inline constexpr bool is_row<row<T...>> = true;
template <class T, class Op>
auto make_run_operator(const Op& op) {
  if constexpr (is_row<T>) return operator_of_rows(std::type_identity<T>(), op);
  else if constexpr (is_each<Op>) return as_operator<T>(op.first);
  else return as_operator<T>(op);
}

}  // namespace ballot::detail
