// SPDX-License-Identifier: Apache-2.0
// Concepts of what selects items, and what the twins of selections say about a call that does not
// compile (core/explain.hpp).
#pragma once

#include <ballot/core/concepts.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/explain.hpp>
#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/detail/common/output_concepts.hpp>
#include <ballot/detail/common/zip.cuh>

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ballot {
namespace detail {

template <class Select>
inline constexpr bool selects_by_flags = std::is_same_v<Select, byte_flags> || std::is_same_v<Select, bit_flags>;

// Whether F, or the function of on_first<F>, fits the items.
template <class F, class Items>
inline constexpr bool is_predicate_of_items = false;
template <class F, class... T>
inline constexpr bool is_predicate_of_items<F, item_list<T...>> = predicate_of<F, T...>;
template <class F, class T, class... Rest>
inline constexpr bool is_predicate_of_items<on_first<F>, item_list<T, Rest...>> = predicate_of<F, T>;
template <class F, class Items>
inline constexpr bool is_integer_of_items = false;
template <class F, class... T>
inline constexpr bool is_integer_of_items<F, item_list<T...>> = integer_of<F, T...>;
template <class F, class T, class... Rest>
inline constexpr bool is_integer_of_items<on_first<F>, item_list<T, Rest...>> = integer_of<F, T>;

}  // namespace detail

/// A selector of items of a table: byte_flags, bit_flags, a predicate of an item of each column, or
/// on_first{predicate}.
template <class Select, class Table>
concept selector_of =
    detail::selects_by_flags<Select> || detail::is_predicate_of_items<Select, detail::table_items_t<Table>>;

/// A function object from an item of each column, or on_first{function}, to an integer.
template <class F, class Table>
concept bucket_function_of = detail::is_integer_of_items<F, detail::table_items_t<Table>>;

/// A device range of offsets: integers of 4 or 8 bytes, signed or not.
template <class R>
concept input_range_of_counts = device_range<R> && input_range<R> && count_integer<detail::item_t<R>>;

/// A range that gets packed bits.
template <class R>
concept output_range_of_words = output_range<R> && std::same_as<detail::item_t<R>, std::uint32_t>;

/// An output range, or output view, of the same items as `In`.
template <class Out, class In>
concept output_range_or_view_of = output_range_or_view<Out> && std::same_as<detail::item_t<Out>, detail::item_t<In>>;

/// A range or an output view that gets several counts, offsets or indices.
template <class R>
concept output_range_or_view_of_counts = output_range_or_view<R> && count_integer<detail::item_t<R>>;

namespace detail {

// The innermost check that fails, so that a compiler's trace names only that one.
template <class Check>
struct innermost_failure {
  using type = Check;
};
template <class Check>
  requires requires { typename Check::failing; }
struct innermost_failure<Check> {
  using type = typename Check::failing;
};

// Several checks as one. A twin is for calls of which one check fails; it calls failing::explain().
template <class... Checks>
struct checks {
  static constexpr bool ok = (Checks::ok && ...);
  using failing = typename innermost_failure<typename first_failure<Checks...>::type>::type;
};

// A check of a range, or of each column of a zip.
template <template <class> class Check, class Table>
struct table_check : Check<Table> {};
template <template <class> class Check, class... V>
struct table_check<Check, zip<V...>> : checks<Check<const V&>...> {};
template <template <class> class Check, class Table>
using table_check_of = std::conditional_t<is_zip<std::remove_cvref_t<Table>>,
                                          table_check<Check, std::remove_cvref_t<Table>>, table_check<Check, Table>>;

template <class In>
using input_table_check = table_check_of<input_or_view_check, In>;
template <class Items>
using in_place_table_check = table_check_of<in_place_check, Items>;

// The items of a table; item_list<> if the argument is not a table, which another check explains.
template <class Table>
struct known_items {
  using type = item_list<>;
};
template <class Table>
  requires(input_table<Table> || output_table_or_view<Table>)
struct known_items<Table> {
  using type = table_items_t<Table>;
};
template <class Table>
using known_items_t = typename known_items<Table>::type;
template <class Items>
inline constexpr bool is_none = std::is_same_v<Items, item_list<>>;

template <class... A, class... B>
consteval bool same_number(item_list<A...>, item_list<B...>) {
  return sizeof...(A) == sizeof...(B);
}

// The outputs of a table and the inputs.
template <class Out, class In>
struct same_table_check {
  using out = known_items_t<Out>;
  using in = known_items_t<In>;
  static constexpr bool same_columns = is_none<out> || is_none<in> || same_number(out(), in());
  static constexpr bool ok = is_none<out> || is_none<in> || std::is_same_v<out, in>;
  static consteval void explain() {
    static_assert(same_columns,
                  "ballot: a zip as the output needs as many ranges as the input has, in the same order. Without a "
                  "zip, each is one range.");
    static_assert(ok || !same_columns,
                  "ballot: the output's items have another type than the input's. They must be the same, column by "
                  "column.");
  }
};
template <class Out, class In>
struct output_table_check : checks<table_check_of<output_check, Out>, same_table_check<Out, In>> {};
template <class Out, class In>
struct output_table_or_view_check : checks<table_check_of<output_or_view_check, Out>, same_table_check<Out, In>> {};

// A predicate, or the function of on_first, for items T...
template <class F, class Items>
struct predicate_of_items_check {
  static constexpr bool ok = true;
  static consteval void explain() {}
};
template <class F, class First, class... Rest>
struct predicate_of_items_check<F, item_list<First, Rest...>> : predicate_check<F, First, Rest...> {};
template <class F, class First, class... Rest>
struct predicate_of_items_check<on_first<F>, item_list<First, Rest...>> : predicate_check<F, First> {};

// The check of the selector. If the input is not a table, it says nothing about a predicate,
// because another check explains the mistake.
template <class Select, class In>
struct selector_check : predicate_of_items_check<Select, known_items_t<In>> {};
template <class In>
struct selector_check<byte_flags, In> : predicate_of_items_check<byte_flags, item_list<>> {};
template <class In>
struct selector_check<bit_flags, In> : predicate_of_items_check<bit_flags, item_list<>> {};

template <class F, class Items>
struct bucket_check {
  static constexpr bool ok = is_none<Items> || is_integer_of_items<F, Items>;
  static consteval void explain() {
    if constexpr (!is_on_first<F> && !function_check<F>::ok) function_check<F>::explain();
    else
      static_assert(ok,
                    "ballot: the bucket function cannot be called with an item (of a zip: with an item of each range), "
                    "or its result is no integer. Write unsigned operator()(const T& item) const. For the first range "
                    "of a zip alone, write ballot::on_first{function}.");
  }
};

// The check of where a count is stored.
template <class Count>
struct count_check {
  static constexpr bool ok = std::is_convertible_v<const Count&, device_count>;
  static consteval void explain() {
    static_assert(ok,
                  "ballot: a count is left at the device address of one integer of 4 or 8 bytes, signed or not: a "
                  "pointer that is not const, or a ballot::device_value. A float, double or an integer of 2 bytes is "
                  "no count.");
  }
};

// A range of offsets, lengths, indices or counts that is written.
template <class R>
struct output_counts_check {
  static constexpr bool ok = output_range_of_counts<R>;
  static consteval void explain() {
    if constexpr (!output_check<R>::ok) output_check<R>::explain();
    else
      static_assert(ok,
                    "ballot: a range of offsets, lengths, indices or counts has integers of 4 or 8 bytes, signed or "
                    "not.");
  }
};
template <class R>
struct output_or_view_counts_check {
  static constexpr bool ok = output_range_or_view_of_counts<R>;
  static consteval void explain() {
    if constexpr (!output_or_view_check<R>::ok) output_or_view_check<R>::explain();
    else if constexpr (output_range<R>) output_counts_check<R>::explain();
    else
      static_assert(ok,
                    "ballot: an output view of offsets, lengths, indices or counts takes integers of 4 or 8 bytes, "
                    "signed or not. Write ballot::converting<std::uint32_t>(out), whatever `out` holds.");
  }
};
template <class R>
struct input_counts_check {
  static constexpr bool ok = input_range_of_counts<R>;
  static consteval void explain() {
    if constexpr (!input_check<R>::ok) input_check<R>::explain();
    else
      static_assert(ok,
                    "ballot: a range of offsets, lengths, indices or counts has integers of 4 or 8 bytes, signed or "
                    "not.");
  }
};

// A range of packed flag bits that is written.
template <class R>
struct output_words_check {
  static constexpr bool ok = output_range_of_words<R>;
  static consteval void explain() {
    if constexpr (!output_check<R>::ok) output_check<R>::explain();
    else static_assert(ok, "ballot: bits are packed into a range of std::uint32_t.");
  }
};

}  // namespace detail
}  // namespace ballot
