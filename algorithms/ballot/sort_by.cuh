// Sort of items by a key that a function takes from them, and orders by several keys.
//
//     ballot::sort_by(gpu, particles, cell_of{}, sorted);             // equal cells keep their order
//     ballot::sort_by(gpu, floats, ballot::equal_zeros{}, sorted_floats);     // -0 and +0 are one key
//     ballot::argsort_by(gpu, particles, cell_of{}, order);
//     ballot::argsort_by_columns(gpu, order, year, ballot::column{price, {.bits = {0, 20}}});
//     ballot::argsort_further(gpu, more_significant_keys, order);             // one column after the other, by hand
//
// key_of is a function object that copies to the device: key_of(item) is a radix key (core/key_order.hpp). It is
// evaluated once an item (by a range of no bits not at all), by a kernel that reads the items and writes the keys;
// the sort then goes by the keys. Items of up to 8 bytes travel with them, made words if they do not lie like such
// (sort.cuh); others stay where they are until one gather at the end.
//
// An order by columns is made from the least significant column to the most significant one: each column's keys are
// gathered through the order so far and sorted stably, and the order travels with them. Columns that agree in all their
// keys, or are in order already, cost the gather and the read of a histogram.
//
// Ranges as in sort.cuh: contiguous, on the device, equally long, apart as there; inputs are kept and may be `counted`
// (columns of one order: all of them by the same address, or none). Stable and deterministic. Bytes moved, besides
// those of the sort: items read and keys written once; for items made words, two of each more; for items that stay,
// one index and two items each more; for each further column an index and two keys. Launches: those of an argsort and
// one to make the keys; two or three more for items made words, one for items that stay. Of columns: an argsort by the
// last one, then for each other one those of a sort in place and a gather. Scratch and errors: the functions say;
// errors come before any work.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/radix_sort/dispatch.cuh>

#include <type_traits>

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

namespace detail {

// What detail::call gives for key_of(item), which the host's side of nvcc does not see into.
template <class T, class KeyOf>
using key_of_t = std::remove_cvref_t<
    typename std::conditional_t<std::is_invocable_v<const KeyOf&, const T&>, std::invoke_result<const KeyOf&, const T&>,
                                std::invoke_result<KeyOf&, const T&>>::type>;

// Keys made for one sort, and that sort's own scratch.
template <class U, class W>
struct computed_keys_scratch {
  U* keys;
  std::byte* sort;
  W* order;  // for items that follow it, or the items as words

  computed_keys_scratch(scratch_carver& carver, std::uint64_t n, sort_mode target, bool with_order = false)
      : keys(carver.take<U>(n)),
        sort(carver.take<std::byte>(radix_scratch_bytes<U, W>(n, target))),
        order(with_order ? carver.take<W>(n) : nullptr) {}

  static std::size_t bytes(std::uint64_t n, sort_mode target, bool with_order = false) {
    scratch_carver measure;
    if (n != 0) computed_keys_scratch(measure, n, target, with_order);
    return measure.bytes();
  }
};

// Makes the keys and sorts `values`, or positions where they are null, by them into values_out.
template <class K, class W, class T, class KeyOf>
void launch_sort_by(stream_t stream, const computed_keys_scratch<ordered_bits_t<K>, W>& scratch, const input<T>& items,
                    const KeyOf& key_of, const W* values, W* values_out, const sort_options& options,
                    radix_digit_plan digits, const char* function) {
  using U = ordered_bits_t<K>;
  simt::launch(compute_keys_kernel<K, T, KeyOf>, elementwise_launch(stream, items.capacity(), function), items.data,
               items.length, key_of, scratch.keys);
  launch_radix_sort<U, W>(stream, scratch.sort, {{scratch.keys, items.length}, nullptr, values, values_out},
                          codec_of<K>(options), digits);
}

// Items of up to 8 bytes, which lie like words.
template <class K, class T, class KeyOf>
void sort_by_inline(const exec& where, const input<T>& items, const KeyOf& key_of, T* out, const sort_options& options,
                    radix_digit_plan digits, const char* function) {
  using W = value_word_t<T>;
  using made = computed_keys_scratch<ordered_bits_t<K>, W>;
  const std::uint64_t n = items.capacity();
  const scratch_lease lease(where, made::bytes(n, sort_mode::values_only), function);
  scratch_carver carver(lease.base());
  launch_sort_by<K, W, T>(where.stream(), made(carver, n, sort_mode::values_only), items, key_of,
                          reinterpret_cast<const W*>(items.data), reinterpret_cast<W*>(out), options, digits, function);
}
// ... and which are made words.
template <class K, class T, class KeyOf>
void sort_by_repacked(const exec& where, const input<T>& items, const KeyOf& key_of, T* out,
                      const sort_options& options, radix_digit_plan digits, const char* function) {
  using W = value_word_t<T>;
  using made = computed_keys_scratch<ordered_bits_t<K>, W>;
  const std::uint64_t n = items.capacity();
  const scratch_lease lease(where, made::bytes(n, sort_mode::values_only_in_place, true), function);
  scratch_carver carver(lease.base());
  const made scratch(carver, n, sort_mode::values_only_in_place, true);
  W* const words = scratch.order;
  launch_repack_values(where.stream(), items.data, words, items.length, function);
  launch_sort_by<K, W, T>(where.stream(), scratch, items, key_of, words, words, options, digits, function);
  launch_unpack_values(where.stream(), words, out, items.length, function);
}

template <class K, class Index, class T, class KeyOf>
void sort_by_indirect(const exec& where, const input<T>& items, const KeyOf& key_of, T* out,
                      const sort_options& options, radix_digit_plan digits, const char* function) {
  using made = computed_keys_scratch<ordered_bits_t<K>, Index>;
  const std::uint64_t n = items.capacity();
  const scratch_lease lease(where, made::bytes(n, sort_mode::values_only, true), function);
  scratch_carver carver(lease.base());
  const made scratch(carver, n, sort_mode::values_only, true);
  launch_sort_by<K, Index, T>(where.stream(), scratch, items, key_of, nullptr, scratch.order, options, digits,
                              function);
  launch_gather(where.stream(), items.data, scratch.order, out, items.length, function);
}

}  // namespace detail

// Bytes of scratch for n items, whatever the options. Pure. K is the type of the keys, T that of the items.
template <radix_key K, class T>
std::size_t sort_by_scratch_bytes(std::uint64_t n) {
  using U = ordered_bits_t<K>;
  constexpr auto target = detail::sort_mode::values_only;
  if constexpr (detail::travels<T>) {
    using made = detail::computed_keys_scratch<U, detail::value_word_t<T>>;
    if constexpr (detail::is_inline_value<T>) return made::bytes(n, target);
    else return detail::larger(made::bytes(n, detail::sort_mode::values_only_in_place, true), made::bytes(n, target));
  } else {
    return n <= std::uint64_t{1} << 32 ? detail::computed_keys_scratch<U, std::uint32_t>::bytes(n, target, true)
                                       : detail::computed_keys_scratch<U, std::uint64_t>::bytes(n, target, true);
  }
}
template <radix_key K, std::unsigned_integral Index>
std::size_t argsort_by_scratch_bytes(std::uint64_t n) {
  using W = typename detail::unsigned_of_size<sizeof(Index)>::type;
  return detail::computed_keys_scratch<ordered_bits_t<K>, W>::bytes(n, detail::sort_mode::values_only);
}
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

// Sorts `items` into `out` by key_of(item). Errors (before any work): invalid_argument for null with n > 0, lengths
// that differ, overlap, a bit range that is inverted or outside the key, scratch too small or misaligned.
template <detail::input_range Items, class KeyOf, detail::output_range Out>
void sort_by(const exec& where, const Items& items, const KeyOf& key_of, Out&& out, const sort_options& options = {}) {
  using T = detail::item_t<Items>;
  using K = detail::key_of_t<T, KeyOf>;
  static_assert(radix_key<K>, "key_of gives no key: see key_traits");
  constexpr const char* function = "sort_by";
  const auto in = detail::as_input(items);
  const auto to = detail::as_output(out);
  const std::uint64_t n = in.capacity();
  detail::require_readable(in, function);
  detail::require_writable(to, function);
  detail::require(to.size == n, function, "input and output have different lengths");
  detail::require_apart(in.data, n, to.data, n, function);
  detail::require_apart(in.length, to, function);
  const detail::radix_digit_plan digits = detail::plan_digits(options.bits, 8 * sizeof(K), function);
  if (n == 0) return;
  if (digits.passes() == 0) return detail::launch_copy(where.stream(), in, to.data, function);
  if constexpr (detail::travels<T>) {
    if (detail::are_inline<T>(in.data, to.data))
      detail::sort_by_inline<K>(where, in, key_of, to.data, options, digits, function);
    else if constexpr (!detail::is_inline_value<T>)
      detail::sort_by_repacked<K>(where, in, key_of, to.data, options, digits, function);
  } else if (n <= std::uint64_t{1} << 32) {
    detail::sort_by_indirect<K, std::uint32_t>(where, in, key_of, to.data, options, digits, function);
  } else {
    detail::sort_by_indirect<K, std::uint64_t>(where, in, key_of, to.data, options, digits, function);
  }
}

// The positions of the items in the order of key_of(item). Errors as sort_by, and more items than the index type
// counts.
template <detail::input_range Items, class KeyOf, detail::output_range Indices>
void argsort_by(const exec& where, const Items& items, const KeyOf& key_of, Indices&& indices,
                const sort_options& options = {}) {
  using T = detail::item_t<Items>;
  using K = detail::key_of_t<T, KeyOf>;
  static_assert(radix_key<K>, "key_of gives no key: see key_traits");
  constexpr const char* function = "argsort_by";
  const auto in = detail::as_input(items);
  const auto out = detail::as_output(indices);
  using W = typename detail::unsigned_of_size<sizeof(typename decltype(out)::value_type)>::type;
  const std::uint64_t n = in.capacity();
  detail::require_readable(in, function);
  detail::require_indices(out, n, function);
  detail::require_apart(in.data, n, out.data, n, function);
  detail::require_apart(in.length, out, function);
  const detail::radix_digit_plan digits = detail::plan_digits(options.bits, 8 * sizeof(K), function);
  if (n == 0) return;
  if (digits.passes() == 0) return detail::launch_positions(where.stream(), out.data, in.length, function);
  using made = detail::computed_keys_scratch<ordered_bits_t<K>, W>;
  const detail::scratch_lease lease(where, made::bytes(n, detail::sort_mode::values_only), function);
  detail::scratch_carver carver(lease.base());
  detail::launch_sort_by<K, W, T>(where.stream(), made(carver, n, detail::sort_mode::values_only), in, key_of, nullptr,
                                  reinterpret_cast<W*>(out.data), options, digits, function);
}

// Sorts a given order further, by a more significant key: `order` has positions of `keys`, and afterwards the same
// positions with their keys in order, those with equal keys as they were. Errors as argsort.
template <detail::input_range Keys, detail::output_range Indices>
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
  using made = detail::computed_keys_scratch<U, W>;
  const detail::scratch_lease lease(where, made::bytes(n, target), function);
  detail::scratch_carver carver(lease.base());
  const made scratch(carver, n, target);
  W* const positions = reinterpret_cast<W*>(out.data);
  detail::launch_gather(where.stream(), reinterpret_cast<const U*>(in.data), positions, scratch.keys, in.length,
                        function);
  detail::launch_radix_sort<U, W>(where.stream(), scratch.sort,
                                  {{scratch.keys, in.length}, nullptr, positions, positions},
                                  detail::codec_of<K>(options), digits);
}

namespace detail {

// ballot::column, by its whole name: there is a detail::column, too, where selections are included (detail/columns.cuh).
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

// Checks a column, so that an error of a later one comes before any work. `rows`: the length of every column. An order
// of fewer rows than a further column has would not have a position for each of its keys.
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

// The positions of rows in the order of several columns, the most significant first. A column is a range of keys, or a
// `column` of a range and options. Errors as argsort, and columns that are counted by different addresses; before any
// work.
template <detail::output_range Indices, class... Columns>
  requires(sizeof...(Columns) > 0)
void argsort_by_columns(const exec& where, Indices&& indices, const Columns&... columns) {
  constexpr const char* function = "argsort_by_columns";
  const auto out = detail::as_output(indices);
  using Index = typename decltype(out)::value_type;
  detail::require_indices(out, out.size, function);
  const std::uint64_t* const counts[] = {detail::as_input(detail::keys_of_column(columns)).length.count...};
  const detail::length rows{out.size, counts[0]};
  detail::require_apart(rows, out, function);
  (detail::require_column(columns, rows, out, function), ...);
  if (out.size == 0) return;
  // Taken once, for all columns.
  const std::size_t bytes = argsort_by_columns_scratch_bytes<Index, detail::key_of_column_t<Columns>...>(out.size);
  const detail::scratch_lease lease(where, bytes, function);
  bool first = true;
  detail::order_by_columns(exec(where.stream(), std::span(lease.base(), bytes)), indices, first, columns...);
}

}  // namespace ballot
