// Order by several keys: stable argsort by columns.
//
//     ballot::argsort_by_columns(gpu, order, year, ballot::column{price, {.bits = {0, 20}}});
//     ballot::argsort_further(gpu, more_significant_keys, order);             // one column after the other, by hand
//
// The order is made from the least significant column to the most significant one: each column's keys are gathered through
// the order so far and sorted stably, with the order as values. A column whose keys all agree, or are in order already,
// costs the gather and the read of a histogram.
//
// Ranges as in sort.cuh. Inputs are not changed and may be `counted` (the columns of one order: all by the same address, or
// none). Stable and deterministic. Bytes moved, beside those of the sorts: for each column but the last, an index and two
// keys. Launches: an argsort by the last column; for each other one, a sort in place and a gather.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/radix_sort/computed_keys.cuh>
#include <ballot/detail/radix_sort/dispatch.cuh>

#include <span>
#include <type_traits>
#include <utility>

namespace ballot {

// A key column of an order and how it is sorted.
template <class Keys>
struct column {
  Keys keys;
  sort_options options = {};
};
template <class Keys>
column(Keys&) -> column<Keys&>;
template <class Keys>
column(Keys&, sort_options) -> column<Keys&>;

// Bytes of scratch for n rows, for any options. Pure.
template <radix_key K, std::unsigned_integral Index>
std::size_t argsort_further_scratch_bytes(std::uint64_t n) {
  using W = typename detail::unsigned_of_size<sizeof(Index)>::type;
  return detail::computed_keys_scratch<ordered_bits_t<K>, W>::bytes(n, detail::sort_mode::values_only_in_place);
}
// K...: the key types of the columns.
template <std::unsigned_integral Index, radix_key... K>
std::size_t argsort_by_columns_scratch_bytes(std::uint64_t n) {
  std::size_t most = 0;
  ((most = detail::larger(most, argsort_further_scratch_bytes<K, Index>(n))), ...);
  return most;
}

// Refines an order by a more significant key, in place: `order` has positions of `keys`, and afterwards the same positions
// in the order of their keys; those with equal keys keep their order. Errors as argsort.
template <input_range Keys, output_range Indices>
void argsort_further(const exec& where, const Keys& keys, Indices&& order, const sort_options& options = {}) {
  using K = detail::item_t<Keys>;
  using U = ordered_bits_t<K>;
  static_assert(radix_key<K>, "no key: see key_traits");
  constexpr const char* function = "argsort_further";
  const auto in = detail::as_input(keys);
  const auto out = detail::as_output(order);
  using W = typename detail::unsigned_of_size<sizeof(typename decltype(out)::value_type)>::type;
  const std::uint64_t n = in.capacity();
  detail::require_readable(in, function);
  detail::require_indices(out, n, function);
  detail::require_apart(in.data, n, out.data, n, function);
  detail::require_apart(in.length, out, function);
  const detail::radix_digit_plan digits = detail::plan_digits(options.bits, 8 * sizeof(K), function);
  if (n == 0 || digits.passes() == 0) return;
  constexpr auto target = detail::sort_mode::values_only_in_place;
  using scratch_type = detail::computed_keys_scratch<U, W>;
  const detail::scratch_lease lease(where, scratch_type::bytes(n, target), function);
  detail::scratch_carver carver(lease.base());
  const scratch_type scratch(carver, n, target);
  W* const positions = reinterpret_cast<W*>(out.data);
  detail::launch_gather(where.stream(), reinterpret_cast<const U*>(in.data), positions, scratch.keys, in.length,
                        function);
  detail::launch_radix_sort<U, W>(where.stream(), scratch.sort,
                                  {{scratch.keys, in.length}, nullptr, positions, positions},
                                  detail::codec_of<K>(options), digits);
}

namespace detail {

// ballot::column is qualified: selections have a detail::column, too (detail/columns.cuh).
template <class Keys>
const Keys& keys_of_column(const Keys& keys) {
  return keys;
}
template <class Keys>
const auto& keys_of_column(const ballot::column<Keys>& c) {
  return c.keys;
}
template <class Keys>
sort_options options_of_column(const Keys&) {
  return {};
}
template <class Keys>
sort_options options_of_column(const ballot::column<Keys>& c) {
  return c.options;
}
template <class Column>
using key_of_column_t = item_t<std::remove_cvref_t<decltype(keys_of_column(std::declval<const Column&>()))>>;

// Checks a column before any work. rows: the length of every column. A longer further column would have keys without a
// position in the order.
template <class Column, class Index>
void require_column(const Column& c, const length& rows, const output<Index>& out, const char* function) {
  const auto in = as_input(keys_of_column(c));
  require_readable(in, function);
  require(in.capacity() == rows.capacity, function, "columns and indices have different lengths");
  require(in.length.count == rows.count, function, "columns have different lengths on the device");
  require_apart(in.data, in.capacity(), out.data, out.size, function);
  (void)plan_digits(options_of_column(c).bits, 8 * sizeof(key_of_column_t<Column>), function);
}

template <class Indices>
void order_by_columns(const exec&, Indices&, bool& /*first*/) {}
template <class Indices, class Column, class... Less>
void order_by_columns(const exec& where, Indices& indices, bool& first, const Column& more, const Less&... less) {
  order_by_columns(where, indices, first, less...);  // the least significant column first
  if (first)
    dispatch_argsort<key_of_column_t<Column>>(where, as_input(keys_of_column(more)),
                                              static_cast<key_of_column_t<Column>*>(nullptr), as_output(indices),
                                              options_of_column(more), "argsort_by_columns");
  else argsort_further(where, keys_of_column(more), indices, options_of_column(more));
  first = false;
}

}  // namespace detail

// Writes the positions of the rows in the order of several columns, the most significant first, as u32 or u64. A column is
// a range of keys, or a `column` of a range and options. Errors, before any work: as argsort, and columns that are counted
// by different addresses.
template <output_range Indices, class... Columns>
  requires(sizeof...(Columns) > 0)
void argsort_by_columns(const exec& where, Indices&& indices, const Columns&... columns) {
  constexpr const char* function = "argsort_by_columns";
  const auto out = detail::as_output(indices);
  using Index = typename decltype(out)::value_type;
  detail::require_indices(out, out.size, function);
  const void* const counts[] = {detail::as_input(detail::keys_of_column(columns)).length.count...};
  const detail::length rows{out.size, counts[0]};
  detail::require_apart(rows, out, function);
  (detail::require_column(columns, rows, out, function), ...);
  if (out.size == 0) return;
  // One lease for all columns.
  const std::size_t bytes = argsort_by_columns_scratch_bytes<Index, detail::key_of_column_t<Columns>...>(out.size);
  const detail::scratch_lease lease(where, bytes, function);
  bool first = true;
  detail::order_by_columns(exec(where.stream(), std::span(lease.base(), bytes)), indices, first, columns...);
}

}  // namespace ballot
