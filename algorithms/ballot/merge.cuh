// SPDX-License-Identifier: Apache-2.0
// Merges two sorted ranges into one, stably.
//
//     ballot::merge(gpu, old_cells, new_cells, cells);
//     ballot::merge_pairs(gpu, old_cells, old_ids, new_cells, new_ids, cells, ids);
//     ballot::merge(gpu, events, more_events, is_earlier{}, all_events);  // a comparison
//
// first, second:  contiguous device ranges of one type, sorted. Each may be `counted` by a count of
//                 its own. Without `before` their items are keys as sort takes them, in the order
//                 of the options. With `before` they are of any trivially copyable type of up to
//                 128 bytes. No views: the kernels load vectors, and read some items more than once
// before:         a function object bool(const T& a, const T& b), callable on the device: whether a
//                 comes before b. A strict weak order. Without it, and with options {.direction,
//                 .nans}: the order of keys (core/key_order.hpp)
// values:         device ranges of any trivially copyable type, as long as their keys
// outputs:        device ranges, as long as both inputs together. With counted inputs, only as many
//                 items are written as there are in both
//
// Stable: if neither of two items comes before the other, the one of `first` comes before the one
// of `second`; items of the same range keep their order. Inputs that are not sorted leave the
// outputs unspecified. Outputs and scratch must not overlap any other argument, including
// device-side lengths. Deterministic.
//
// Scratch: merge_scratch_bytes<T>(n), n the length of both ranges together. None up to 64 MiB of
// keys, else 8 bytes a tile.
//
// Work on the stream: one kernel up to 64 MiB of keys, else two; none if there are no items.
//
// Bytes moved: each item is read and written once. In addition, items are read to search: up to
// 131,072 items take a search for each item, more take a search at both ends of each tile.
//
// Errors, before any work: invalid_argument for null with n > 0, lengths that do not fit, overlap,
// or scratch that is too small. cuda_error from a launch.
//
// Source: Green, McColl and Bader, GPU Merge Path, 2012.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/comparison.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/merge/launch.cuh>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/explain.hpp>
#include <ballot/device/memory.cuh>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ballot {

/// Bytes of scratch of merge and merge_pairs for n items of both ranges together. Pure.
template <class T>
std::size_t merge_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::merge_bytes<T>(n));
}

namespace detail {

template <class First, class Second, class Before, class Out>
using merge_by_checks = checks<input_check<First>, input_check<Second>, comparison_check<Before, known_item_t<First>>,
                               output_check<Out>, same_items_check<Out, First>, same_items_check<Out, Second>>;
template <class First, class Second, class Out>
using merge_checks = checks<key_range_check<First>, key_range_check<Second>, output_check<Out>,
                            same_items_check<Out, First>, same_items_check<Out, Second>>;
template <class First, class Second, class Out>
using merge_values_checks = checks<value_range_check<First>, value_range_check<Second>, output_check<Out>,
                                   same_items_check<Out, First>, same_items_check<Out, Second>>;

// Keys by their bits.
template <class K>
input<ordered_bits_t<K>> as_words(const input<K>& keys) {
  return {reinterpret_cast<const ordered_bits_t<K>*>(keys.data), keys.length};
}
template <class K>
output<ordered_bits_t<K>> as_words(const output<K>& keys) {
  return {reinterpret_cast<ordered_bits_t<K>*>(keys.data), keys.size};
}

template <class T, class Codec, class Before>
void run_merge(const exec& where, const input<T>& first, const input<T>& second, const Codec& codec,
               const Before& before, const output<T>& out) {
  constexpr const char* function = "merge";
  const std::uint64_t n = sum_of_lengths<T>(first.capacity(), second.capacity(), function);
  require_same_lengths(function, {"first and second", n}, {{"out", out.size}});
  require_arguments(function, where, {argument_of("out", out)},
                    {argument_of("first", first), argument_of("second", second),
                     argument_of("first.length", first.length), argument_of("second.length", second.length)});
  const scratch_lease lease(where, merge_bytes<T>(n), function);
  launch_merge<T, no_value>(
      where.stream(), lease.base(),
      {first.data, second.data, first.length, second.length, nullptr, nullptr, out.data, nullptr, nullptr}, codec,
      before, function);
}

template <class K, class V, class Codec, class Before>
void run_merge_pairs(const exec& where, const input<K>& first, const input<V>& first_values, const input<K>& second,
                     const input<V>& second_values, const Codec& codec, const Before& before, const output<K>& keys_out,
                     const output<V>& values_out) {
  constexpr const char* function = "merge_pairs";
  const std::uint64_t n = sum_of_lengths<K>(first.capacity(), second.capacity(), function);
  require_same_lengths(function, {"first", first.capacity()}, {{"first_values", first_values.capacity()}});
  require_same_lengths(function, {"second", second.capacity()}, {{"second_values", second_values.capacity()}});
  require_same_lengths(function, {"first and second", n},
                       {{"keys_out", keys_out.size}, {"values_out", values_out.size}});
  require_arguments(function, where, {argument_of("keys_out", keys_out), argument_of("values_out", values_out)},
                    {argument_of("first", first), argument_of("first_values", first_values),
                     argument_of("second", second), argument_of("second_values", second_values),
                     argument_of("first.length", first.length), argument_of("second.length", second.length)});
  const scratch_lease lease(where, merge_bytes<K>(n), function);
  launch_merge<K, V>(where.stream(), lease.base(),
                     {first.data, second.data, first.length, second.length, first_values.data, second_values.data,
                      keys_out.data, values_out.data, nullptr},
                     codec, before, function);
}

}  // namespace detail

/// By a comparison.
template <input_range First, input_range Second, class Before, output_range_of<First> Out>
  requires std::same_as<detail::item_t<First>, detail::item_t<Second>> && relation_of<Before, detail::item_t<First>>
void merge(const exec& where, const First& first, const Second& second, const Before& before, Out&& out) {
  detail::run_merge(where, detail::as_input(first), detail::as_input(second),
                    detail::plain_items<detail::item_t<First>>{}, before, detail::as_output(out));
}
/// In the order of keys.
template <key_range First, key_range Second, output_range_of<First> Out>
  requires std::same_as<detail::item_t<First>, detail::item_t<Second>>
void merge(const exec& where, const First& first, const Second& second, Out&& out, const order_options& order = {}) {
  using namespace detail;
  run_merge(where, as_words(as_input(first)), as_words(as_input(second)),
            merge_codec<item_t<First>>(order.direction, order.nans), smaller_bits{}, as_words(as_output(out)));
}
/// Keys with values, by a comparison of keys.
template <input_range First, value_range FirstValues, input_range Second, value_range SecondValues, class Before,
          output_range_of<First> KeysOut, output_range_of<FirstValues> ValuesOut>
  requires std::same_as<detail::item_t<First>, detail::item_t<Second>> &&
           std::same_as<detail::item_t<FirstValues>, detail::item_t<SecondValues>> &&
           relation_of<Before, detail::item_t<First>>
void merge_pairs(const exec& where, const First& first, const FirstValues& first_values, const Second& second,
                 const SecondValues& second_values, const Before& before, KeysOut&& keys_out, ValuesOut&& values_out) {
  detail::run_merge_pairs(where, detail::as_input(first), detail::as_input(first_values), detail::as_input(second),
                          detail::as_input(second_values), detail::plain_items<detail::item_t<First>>{}, before,
                          detail::as_output(keys_out), detail::as_output(values_out));
}
/// Keys with values, in the order of keys.
template <key_range First, value_range FirstValues, key_range Second, value_range SecondValues,
          output_range_of<First> KeysOut, output_range_of<FirstValues> ValuesOut>
  requires std::same_as<detail::item_t<First>, detail::item_t<Second>> &&
           std::same_as<detail::item_t<FirstValues>, detail::item_t<SecondValues>>
void merge_pairs(const exec& where, const First& first, const FirstValues& first_values, const Second& second,
                 const SecondValues& second_values, KeysOut&& keys_out, ValuesOut&& values_out,
                 const order_options& order = {}) {
  using namespace detail;
  run_merge_pairs(where, as_words(as_input(first)), as_input(first_values), as_words(as_input(second)),
                  as_input(second_values), merge_codec<item_t<First>>(order.direction, order.nans), smaller_bits{},
                  as_words(as_output(keys_out)), as_output(values_out));
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class First, class Second, class Before, class Out>
  requires(!detail::merge_by_checks<First, Second, Before, Out>::ok && !std::convertible_to<Out, order_options>)
void merge(const exec&, const First&, const Second&, const Before&, Out&&) {
  detail::merge_by_checks<First, Second, Before, Out>::failing::explain();
}
template <class First, class Second, class Out>
  requires(!detail::merge_checks<First, Second, Out>::ok)
void merge(const exec&, const First&, const Second&, Out&&, const order_options& = {}) {
  detail::merge_checks<First, Second, Out>::failing::explain();
}
template <class First, class FirstValues, class Second, class SecondValues, class Before, class KeysOut,
          class ValuesOut>
  requires(!(detail::merge_by_checks<First, Second, Before, KeysOut>::ok &&
             detail::merge_values_checks<FirstValues, SecondValues, ValuesOut>::ok) &&
           !std::convertible_to<ValuesOut, order_options>)
void merge_pairs(const exec&, const First&, const FirstValues&, const Second&, const SecondValues&, const Before&,
                 KeysOut&&, ValuesOut&&) {
  detail::checks<detail::merge_by_checks<First, Second, Before, KeysOut>,
                 detail::merge_values_checks<FirstValues, SecondValues, ValuesOut>>::failing::explain();
}
template <class First, class FirstValues, class Second, class SecondValues, class KeysOut, class ValuesOut>
  requires(!(detail::merge_checks<First, Second, KeysOut>::ok &&
             detail::merge_values_checks<FirstValues, SecondValues, ValuesOut>::ok))
void merge_pairs(const exec&, const First&, const FirstValues&, const Second&, const SecondValues&, KeysOut&&,
                 ValuesOut&&, const order_options& = {}) {
  detail::checks<detail::merge_checks<First, Second, KeysOut>,
                 detail::merge_values_checks<FirstValues, SecondValues, ValuesOut>>::failing::explain();
}

}  // namespace ballot
