// SPDX-License-Identifier: Apache-2.0
// The values of a reduction of runs: a range, or several ranges as one. With several, an item is a
// `row`, which has an item of each range, and each range has its own operator.
//
//     values    zip{prices, prices}    row   {price, price}
//     results   zip{sums, lowest}      row   {sum, lowest} (results.cuh)
//     op        each{plus{}, minimum{}}
//
// A value is converted to the type of its result when it is loaded. A range may be a view
// (core/view.hpp), whose items are computed then. In that case V is of_view<View>.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/view.hpp>
#include <ballot/detail/common/zip.cuh>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ballot {

/// An operator for each range of a zip of results: `each{plus{}, minimum{}}`.
template <class... Ops>
struct each;
template <>
struct each<> {};
template <class First, class... Rest>
struct each<First, Rest...> {
  First first;
  each<Rest...> rest;

  each() = default;
  /// The operators, in the order of the ranges.
  BALLOT_HOST_DEVICE explicit each(const First& op, const Rest&... others) : first(op), rest(others...) {}
};
template <class... Ops>
each(const Ops&...) -> each<Ops...>;

namespace detail {

template <class Op>
inline constexpr bool is_each = false;
template <class... Ops>
inline constexpr bool is_each<each<Ops...>> = true;

// An item of each of several ranges.
template <class... T>
struct row;
template <class T>
struct row<T> {
  T first;
};
template <class T, class... Rest>
struct row<T, Rest...> {
  T first;
  row<Rest...> rest;
};

// An operator of each column of a row.
template <class Row, class Ops>
struct by_columns;
template <class T, class Op>
struct by_columns<row<T>, each<Op>> {
  each<Op> ops;
  __device__ __forceinline__ row<T> operator()(const row<T>& a, const row<T>& b) const {
    return {combine(ops.first, a.first, b.first)};
  }
};
template <class T, class... Rest, class Op, class... Ops>
struct by_columns<row<T, Rest...>, each<Op, Ops...>> {
  each<Op, Ops...> ops;
  __device__ __forceinline__ row<T, Rest...> operator()(const row<T, Rest...>& a, const row<T, Rest...>& b) const {
    return {combine(ops.first, a.first, b.first), by_columns<row<Rest...>, each<Ops...>>{ops.rest}(a.rest, b.rest)};
  }
};

// The type that is read of a range, and how many bytes a load of an item keeps in registers.
template <class V>
struct value_source {
  using type = const V*;
  static constexpr std::size_t loaded_bytes = sizeof(V);
};
template <class View>
struct value_source<of_view<View>> {
  using type = View;
  static constexpr std::size_t loaded_bytes = device::loaded_bytes<View>;
};

// The columns of a table, as rows.
template <class Row, class... V>
struct value_columns;
template <class T, class V>
struct value_columns<row<T>, V> {
  typename value_source<V>::type data;
  __device__ __forceinline__ row<T> operator[](std::uint64_t i) const { return {static_cast<T>(data[i])}; }
};
template <class T, class... Rest, class V, class... Others>
struct value_columns<row<T, Rest...>, V, Others...> {
  typename value_source<V>::type data;
  value_columns<row<Rest...>, Others...> rest;
  __device__ __forceinline__ row<T, Rest...> operator[](std::uint64_t i) const {
    return {static_cast<T>(data[i]), rest[i]};
  }
};

// The source of values of type T. They may be staged as they lie in memory, if they are one range
// of that type.
template <class T, class V>
struct values_of_range {
  using value_type = T;
  static constexpr bool is_direct = std::is_same_v<T, V>;
  static constexpr std::size_t loaded_bytes = value_source<V>::loaded_bytes;
  typename value_source<V>::type data;
  __device__ __forceinline__ T operator[](std::uint64_t i) const { return static_cast<T>(data[i]); }
};
template <class Row, class... V>
struct values_of_zip {
  using value_type = Row;
  static constexpr bool is_direct = false;
  static constexpr std::size_t loaded_bytes = (value_source<V>::loaded_bytes + ...);
  value_columns<Row, V...> columns;
  __device__ __forceinline__ Row operator[](std::uint64_t i) const { return columns[i]; }
};

// The V of an input.
template <class In>
struct value_of_input;
template <class V>
struct value_of_input<input<V>> {
  using type = V;
};
template <class View>
struct value_of_input<view_input<View>> {
  using type = of_view<View>;
};

template <class Row, class In>
value_columns<Row, typename value_of_input<In>::type> make_value_columns(const In& values) {
  return {source_of_input(values)};
}
template <class Row, class In, class... Others>
  requires(sizeof...(Others) != 0)
value_columns<Row, typename value_of_input<In>::type, typename value_of_input<Others>::type...> make_value_columns(
    const In& values, const Others&... others) {
  return {source_of_input(values), make_value_columns<decltype(Row::rest)>(others...)};
}

// The operator for rows: one for each column, or the same for all.
template <class... T, class Op>
auto operator_of_rows(std::type_identity<row<T...>>, const Op& op) {
  if constexpr (is_each<Op>) {
    return by_columns<row<T...>, Op>{op};
  } else {
    using ops = each<std::conditional_t<sizeof(T) != 0, Op, T>...>;
    const auto same = [&op](std::size_t) -> const Op& { return op; };
    return by_columns<row<T...>, ops>{ops(same(sizeof(T))...)};
  }
}

}  // namespace detail
}  // namespace ballot
