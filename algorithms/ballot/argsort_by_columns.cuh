// SPDX-License-Identifier: Apache-2.0
// Order by several keys: stable argsort by columns.
//
//     ballot::argsort_by_columns(gpu, order, year, ballot::column{price, {.bits = {0, 20}}});
//     ballot::argsort_further(gpu, more_significant_keys, order);         // by hand
//     ballot::argsort_further(gpu, ballot::gathered{price, ids}, order);  // by a view
//
// The columns are sorted one after the other, the least significant one first. Each column's keys
// are gathered in the order so far. A stable sort of these keys, with that order as the values,
// gives the next order. If the keys of a column are all equal, or in order already, it costs only
// the gather and the read of a histogram.
//
// Ranges as in sort.cuh. The keys of argsort_further may be a view, and each is computed once.
// Inputs are not changed and may be `counted`. Either all columns of one call are counted by the
// same address, or none is counted. Stable and deterministic.
//
// Bytes moved: those of the sorts. For each column but the last, also an index and a key are read
// and a key is written.
//
// Launches: an argsort by the last column. For each other column, a sort in place and a gather.
//
// Scratch: argsort_further takes three keys and an index for each item, and tile states.
// argsort_by_columns takes the most that one of its columns needs.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/view.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/computed_keys.cuh>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>
#include <ballot/detail/radix_sort/explain.hpp>

#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace ballot {

// A key column of an order and how it is sorted.
template <class Keys, class Options = sort_options>
struct column {
  Keys keys;
  Options options = {};
};
template <class Keys>
column(Keys&) -> column<Keys&>;
template <class Keys>
column(Keys&, sort_options) -> column<Keys&>;
template <class Keys, std::same_as<with_equal_zeros> Options>
column(Keys&, Options) -> column<Keys&, Options>;

namespace detail {

template <class K, class Index>
std::size_t argsort_further_bytes(std::uint64_t n) {
  using W = typename unsigned_of_size<sizeof(Index)>::type;
  return computed_keys_scratch<ordered_bits_t<K>, W>::bytes(n, sort_mode::values_only_in_place);
}
template <class Index, class... K>
std::size_t argsort_by_columns_bytes(std::uint64_t n) {
  std::size_t most = 0;
  ((most = larger(most, argsort_further_bytes<K, Index>(n))), ...);
  return most;
}

template <class Keys>
const Keys& keys_of_column(const Keys& keys) {
  return keys;
}
template <class Keys, class Options>
const auto& keys_of_column(const ballot::column<Keys, Options>& c) {
  return c.keys;
}
template <class Keys>
sort_options options_of_column(const Keys&) {
  return {};
}
template <class Keys, class Options>
Options options_of_column(const ballot::column<Keys, Options>& c) {
  return c.options;
}
template <class Column>
using keys_of_column_t = std::remove_cvref_t<decltype(keys_of_column(std::declval<const Column&>()))>;
template <class Column>
using key_of_column_t = item_t<keys_of_column_t<Column>>;

}  // namespace detail

/// A range of keys, or a `column` of a range and options.
template <class C>
concept key_column = key_range<detail::keys_of_column_t<C>>;

// Bytes of scratch for n rows, for any options. Pure.
template <class K, class Index>
std::size_t argsort_further_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>, detail::index_check<Index>>())
    return detail::bytes_at_any_address(detail::argsort_further_bytes<K, Index>(n));
  else return 0;
}
// K...: the key types of the columns.
template <class Index, class... K>
std::size_t argsort_by_columns_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::index_check<Index>, detail::sort_key_check<K>...>())
    return detail::bytes_at_any_address(detail::argsort_by_columns_bytes<Index, K...>(n));
  else return 0;
}

namespace detail {

// The keys of a view, as words of their bits.
template <class V>
struct key_words_of_view {
  using value_type = ordered_bits_t<typename V::value_type>;
  V keys;
  __device__ __forceinline__ value_type operator[](std::uint64_t i) const {
    return __builtin_bit_cast(value_type, item_at(keys, i));
  }
};
template <class K>
auto key_words_of(const input<K>& keys) {
  return as_key_words(keys).data;
}
template <class V>
key_words_of_view<V> key_words_of(const view_input<V>& keys) {
  return {keys.view};
}

// The caller has checked everything, and n > 0. K: the type by which the options sort the keys.
// Keys: input<...> or view_input<...>.
template <class K, class Keys, class W>
void sort_further(const exec& where, const Keys& keys, W* positions, const sort_options& options,
                  const char* function) {
  using U = ordered_bits_t<K>;
  const std::uint64_t n = keys.capacity();
  const radix_digit_plan digits = plan_digits(options.bits, 8 * sizeof(K), function);
  if (digits.passes() == 0) return;
  constexpr auto target = sort_mode::values_only_in_place;
  using scratch_type = computed_keys_scratch<U, W>;
  const scratch_lease lease(where, scratch_type::bytes(n, target), function);
  scratch_carver carver(lease.base());
  const scratch_type scratch(carver, n, target);
  launch_gather(where.stream(), key_words_of(keys), positions, scratch.keys, keys.length, function);
  launch_radix_sort<U, W>(where.stream(), scratch.sort, {{scratch.keys, keys.length}, nullptr, positions, positions},
                          codec_of<K>(options), digits);
}

// All columns need as many rows as the first one, also by their counts on the device. A longer
// column would have keys whose position is not in the order.
inline void require_rows(const char* function, std::uint64_t indices, std::span<const length> columns) {
  const length& first = columns.front();
  for (const length& other : columns) {
    require_same_lengths(function, {"indices", indices}, {{"columns", other.capacity}});
    if (!first.is_same(other))
      fail(function, joined({"columns have different lengths on the device: counts at 0x",
                             hexadecimal(reinterpret_cast<std::uintptr_t>(first.count)), " and 0x",
                             hexadecimal(reinterpret_cast<std::uintptr_t>(other.count))}));
  }
}

template <class W>
void order_by_columns(const exec&, W*, bool& /*first*/, const char*) {}
template <class W, class Column, class... Less>
void order_by_columns(const exec& where, W* positions, bool& first, const char* function, const Column& more,
                      const Less&... less) {
  order_by_columns(where, positions, first, function, less...);  // the least significant column first
  const auto options = options_of_column(more);
  const auto in = as_sorted<std::remove_const_t<decltype(options)>>(as_input(keys_of_column(more)));
  if (first) dispatch_argsort(where, in, nullptr, positions, options, function);
  else sort_further<typename decltype(in)::value_type>(where, in, positions, options, function);
  first = false;
}

}  // namespace detail

// Sorts an order further by a more significant key, in place. `order` holds positions of `keys`.
// Afterwards it holds the same positions, in the order of their keys. Positions with equal keys
// keep their order. Errors as argsort.
template <key_range_or_view Keys, output_range_of_counts Indices, options_of_sort Options = sort_options>
void argsort_further(const exec& where, const Keys& keys, Indices&& order, const Options& options = {}) {
  using namespace detail;
  constexpr const char* function = "argsort_further";
  const auto in = as_input(keys);
  const auto out = as_output(order);
  const std::uint64_t n = in.capacity();
  require_items_of_view(function, "keys", in);
  require_same_lengths(function, {"keys", n}, {{"order", out.size}});
  require_positions_fit(function, "order", count_type::of<item_t<Indices>>(), n);
  require_arguments(function, where, {argument_of("order", out)},
                    {arguments_of("keys", in), argument_of("keys.length", in.length)});
  (void)plan_digits(options.bits, 8 * sizeof(item_t<Keys>), function);
  if (n != 0) sort_further<sorted_key_t<item_t<Keys>, Options>>(where, in, as_positions(out).data, options, function);
}

// Writes the positions of the rows in the order of several columns, the most significant first, as
// integers of 4 or 8 bytes. A column is a range of keys, or a `column` of a range and options. The
// columns are the last arguments, because there may be any number of them. Errors, before any work:
// as argsort, and columns that are counted by different addresses.
template <output_range_of_counts Indices, key_column... Columns>
  requires(sizeof...(Columns) > 0)
void argsort_by_columns(const exec& where, Indices&& indices, const Columns&... columns) {
  using namespace detail;
  constexpr const char* function = "argsort_by_columns";
  const auto out = as_output(indices);
  const length rows[] = {as_input(keys_of_column(columns)).length...};
  require_rows(function, out.size, rows);
  require_positions_fit(function, "indices", count_type::of<item_t<Indices>>(), out.size);
  int column = 0;
  require_arguments(
      function, where, {argument_of("indices", out)},
      {argument_of("columns", as_input(keys_of_column(columns)), column++)..., argument_of("columns.length", rows[0])});
  ((void)plan_digits(options_of_column(columns).bits, 8 * sizeof(key_of_column_t<Columns>), function), ...);
  if (out.size == 0) return;
  // One lease for all columns.
  const std::size_t bytes = argsort_by_columns_bytes<item_t<Indices>, key_of_column_t<Columns>...>(out.size);
  const scratch_lease lease(where, bytes, function);
  bool first = true;
  order_by_columns(exec(where.stream(), std::span(lease.base(), bytes)), as_positions(out).data, first, function,
                   columns...);
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class Keys, class Indices, options_of_sort Options = sort_options>
void argsort_further(const exec&, const Keys&, Indices&&, const Options& = {}) {
  detail::explain<detail::key_range_or_view_check<Keys>, detail::positions_check<Indices>>();
}
template <class Indices, class... Columns>
void argsort_by_columns(const exec&, Indices&&, const Columns&...) {
  detail::explain<detail::positions_check<Indices>, detail::key_range_check<detail::keys_of_column_t<Columns>>...>();
}

}  // namespace ballot
