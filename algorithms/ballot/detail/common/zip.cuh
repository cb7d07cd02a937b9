// SPDX-License-Identifier: Apache-2.0
// Structures of arrays: ranges whose items at one position form a record.
//
//     zip{keys, ids, masses}          three arrays; record i is {keys[i], ids[i], masses[i]}
//     zip{keys, positions(n)}         with an input without memory (core/view.hpp), 0 to n - 1
//
// Every selection takes one range, or a zip of ranges as input and a zip of as many as output: a
// table. On the host both become tuples of inputs and outputs; device_columns.cuh turns these into
// the columns that kernels take. table_arguments.cuh checks them.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/view.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ballot {

namespace detail {

// A range as a zip holds it: the span of its items. Positions and counted ranges stay as they are.
// So does any other argument: the call that takes the zip then explains what is wrong.
template <class R>
auto as_view(R&& range) {
  if constexpr (device_range<R>) return span_of(range);
  else return std::decay_t<R>(range);
}

}  // namespace detail

/// Several ranges as one structure of arrays: inputs of equal length, or outputs. Up to 8 ranges
/// are sensible. An input zip may have views anywhere; only its first range may be `counted`, also
/// of a zip that is changed in place.
template <class... Views>
struct zip {
  std::tuple<Views...> views;

  template <class... R>
    requires(sizeof...(R) == sizeof...(Views))
  explicit zip(R&&... ranges) : views(detail::as_view(ranges)...) {}
};
template <class... R>
zip(R&&...) -> zip<decltype(detail::as_view(std::declval<R&>()))...>;

/// A predicate, relation or bucket function of the items of a zip's first range alone. Without it,
/// the function takes an item of each range.
template <class F>
struct on_first {
  F function;
};
template <class F>
on_first(F) -> on_first<F>;

namespace detail {

template <class F>
inline constexpr bool is_on_first = false;
template <class F>
inline constexpr bool is_on_first<on_first<F>> = true;

template <class Z>
inline constexpr bool is_zip = false;
template <class... V>
inline constexpr bool is_zip<zip<V...>> = true;

template <class Z>
inline constexpr bool is_input_zip = false;
template <class... V>
  requires(sizeof...(V) != 0)
inline constexpr bool is_input_zip<zip<V...>> = (input_range_or_view<const V&> && ...);
template <class Z>
inline constexpr bool is_output_zip = false;
template <class... V>
  requires(sizeof...(V) != 0)
inline constexpr bool is_output_zip<zip<V...>> = (output_range<const V&> && ...);
template <class Z>
inline constexpr bool is_output_zip_with_views = false;
template <class... V>
  requires(sizeof...(V) != 0)
inline constexpr bool is_output_zip_with_views<zip<V...>> = (output_range_or_view<const V&> && ...);
template <class Z>
inline constexpr bool is_in_place_zip = false;
template <class... V>
  requires(sizeof...(V) != 0)
inline constexpr bool is_in_place_zip<zip<V...>> = (in_place_range<const V&> && ...);

}  // namespace detail

/// The input of a selection: an input_range, a view, positions among them, or a zip of these.
template <class R>
concept input_table = input_range_or_view<R> || detail::is_input_zip<std::remove_cvref_t<R>>;

/// The output of a selection: an output_range, or a zip of these.
template <class R>
concept output_table = output_range<R> || detail::is_output_zip<std::remove_cvref_t<R>>;

/// The output of a selection that takes output views: an output_range_or_view, or a zip of these.
template <class R>
concept output_table_or_view = output_range_or_view<R> || detail::is_output_zip_with_views<std::remove_cvref_t<R>>;

/// The table that it changes in place: an in_place_range, or a zip of these.
template <class R>
concept in_place_table = in_place_range<R> || detail::is_in_place_zip<std::remove_cvref_t<R>>;

namespace detail {

template <input_range_or_view R>
auto as_inputs(const R& range) {
  return std::tuple(as_input(range));
}
template <class... V>
auto as_inputs(const zip<V...>& of) {
  return std::apply([](const V&... view) { return std::tuple(as_input(view)...); }, of.views);
}
template <output_range_or_view R>
auto as_outputs(R&& range) {
  return std::tuple(as_output(range));
}
template <class... V>
auto as_outputs(const zip<V...>& of) {
  return std::apply([](const V&... view) { return std::tuple(as_output(view)...); }, of.views);
}

// The ranges of a table that is changed in place, with the length of the first.
template <class... T>
struct in_place_columns {
  std::tuple<output<T>...> ranges;
  ballot::detail::length length;
  bool others_are_counted = false;
};
// For clang 16, which has no guides for aggregates.
template <class... T>
in_place_columns(std::tuple<output<T>...>, ballot::detail::length, bool = false) -> in_place_columns<T...>;

template <in_place_range R>
auto as_in_place_columns(R&& range) {
  const auto one = as_in_place(range);
  return in_place_columns{std::tuple(one.items), one.length};
}
template <class First, class... Rest>
auto as_in_place_columns(const zip<First, Rest...>& of) {
  return std::apply(
      [](const First& first, const Rest&... rest) {
        const auto one = as_in_place(first);
        return in_place_columns{std::tuple(one.items, as_in_place(rest).items...), one.length,
                                (false || ... || (as_in_place(rest).length.count != nullptr))};
      },
      of.views);
}

// The types of a table's items.
template <class... T>
struct item_list {};
template <class Table>
struct table_items {
  using type = item_list<item_t<Table>>;
};
template <class... V>
struct table_items<zip<V...>> {
  using type = item_list<item_t<V>...>;
};
template <class Table>
using table_items_t = typename table_items<std::remove_cvref_t<Table>>::type;

template <class... I>
length length_of(const std::tuple<I...>& inputs) {
  return std::get<0>(inputs).length;
}

template <class Tuple, class F>
void for_each(const Tuple& all, const F& f) {
  std::apply([&](const auto&... one) { (f(one), ...); }, all);
}

// The caller's integers as unsigned integers of the same size. So kernels are not compiled for
// signed ones, too.
template <count_integer T>
using unsigned_count_t = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <count_integer T>
output<unsigned_count_t<T>> as_unsigned(const output<T>& out) {
  return {reinterpret_cast<unsigned_count_t<T>*>(out.data), out.size};
}
template <class V>
auto as_unsigned(const view_output<V>& out) {
  using T = unsigned_count_t<typename V::value_type>;
  if constexpr (std::is_same_v<T, typename V::value_type>) return out;
  else return as_output(cast_output<T, view_output<V>>{{out}});
}
template <count_integer T>
input<unsigned_count_t<T>> as_unsigned(const input<T>& in) {
  return {reinterpret_cast<const unsigned_count_t<T>*>(in.data), in.length};
}

}  // namespace detail

/// An output table for the items of `In`: as many columns, of the same types.
template <class Out, class In>
concept output_table_of = output_table<Out> && std::same_as<detail::table_items_t<Out>, detail::table_items_t<In>>;

/// The same, also with output views.
template <class Out, class In>
concept output_table_or_view_of =
    output_table_or_view<Out> && std::same_as<detail::table_items_t<Out>, detail::table_items_t<In>>;

}  // namespace ballot
