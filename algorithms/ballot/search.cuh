// SPDX-License-Identifier: Apache-2.0
// Where keys belong in a sorted range, and whether a range is sorted.
//
//     // Where each cell begins.
//     ballot::lower_bound(gpu, cells, ballot::positions(cell_count + 1), begins);
//     ballot::upper_bound(gpu, levels, speeds, bins);
//     ballot::lower_bound(gpu, events, more_events, is_earlier{}, places);  // by a comparison
//     ballot::is_sorted(gpu, cells, answer);                                // 1 or 0
//     ballot::is_sorted_until(gpu, cells, in_order);                        // how many are in order
//     ballot::is_sorted(gpu, ballot::transformed{particles, cell_of{}}, answer);  // of a view
//
// sorted:     contiguous device range or view, or `counted`, sorted. Without `before` its items are
//             keys as sort takes them, in the order of the options. With `before` they are of any
//             trivially copyable type of up to 128 bytes. If it is a view, a search computes about
//             log2 n of its items for each key
// in:         for is_sorted and is_sorted_until: as `sorted`, but in any order. Each item of a view
//             is computed twice
// keys:       range or view of the same type, or `counted`, in any order. For integers also
//             `positions`. A position that the type of the items cannot hold comes after all items;
//             in descending order it comes before them
// before:     a function object bool(const T& a, const T& b), callable on the device: whether a
//             comes before b. A strict weak order. Without it, and with options {.direction,
//             .nans}: the order of keys (core/key_order.hpp)
// positions:  device range of integers of 4 or 8 bytes, signed or not, as long as the keys, or an
//             output view of them (outputs.cuh) with room for as many or more. lower_bound: how
//             many items come before the key. upper_bound: how many items do not come after it.
//             With counted keys, only as many positions are written as there are keys
// result:     device address (or device_value) of one integer of 4 or 8 bytes, signed or not. For n
//             = 0, is_sorted writes 1 and is_sorted_until writes 0
//
// If the range of a search is not sorted, each position is some number from 0 to its length.
// Outputs and scratch must not overlap any other argument, including device-side lengths.
// Deterministic.
//
// Scratch: none for searches, is_sorted_scratch_bytes() for the others.
//
// Work on the stream: lower_bound and upper_bound are one kernel (none if there are no keys).
// is_sorted and is_sorted_until are a fill and a kernel.
//
// Bytes moved: keys and positions once. For each key, a search also reads log2 of the range's
// length items, most of them from caches if keys are in order. is_sorted reads items up to the
// first that is not in order.
//
// Errors, before any work: invalid_argument for null with n > 0, lengths that differ, too small a
// type of positions or result, overlap, or scratch that is too small. With `before`, also for
// `positions` as keys that the type of the items cannot hold. cuda_error from a launch.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/comparison.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/explain.hpp>
#include <ballot/detail/search/launch.cuh>
#include <ballot/device/memory.cuh>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ballot {

/// Bytes of scratch of is_sorted and is_sorted_until. Pure.
inline std::size_t is_sorted_scratch_bytes() { return detail::bytes_at_any_address(detail::sorted_bytes()); }

namespace detail {

template <class Keys>
inline constexpr bool keys_are_positions = is_positions<std::remove_cvref_t<Keys>>;
template <class Index>
inline constexpr bool keys_are_positions<counted<of_view<positions<Index>>>> = true;
template <class Sorted, class Keys>
concept searchable = input_range_or_view<Sorted> && input_range_or_view<Keys> &&
                     (std::same_as<known_item_t<Keys>, item_t<Sorted>> ||
                      (keys_are_positions<std::remove_cvref_t<Keys>> && std::integral<item_t<Sorted>>));
template <class Sorted, class Keys>
struct searched_check {
  static constexpr bool ok = !input_range_or_view<Sorted> || searchable<Sorted, Keys>;
  static consteval void explain() {
    if constexpr (!input_or_view_check<Keys>::ok) input_or_view_check<Keys>::explain();
    else static_assert(ok, "ballot: keys have the type of the sorted range, or are ballot::positions beside integers.");
  }
};
template <class Sorted, class Keys, class Before, class Positions>
using search_by_checks = checks<input_or_view_check<Sorted>, searched_check<Sorted, Keys>,
                                comparison_check<Before, known_item_t<Sorted>>, output_or_view_counts_check<Positions>>;
template <class Sorted, class Keys, class Positions>
using search_checks =
    checks<key_range_or_view_check<Sorted>, searched_check<Sorted, Keys>, output_or_view_counts_check<Positions>>;

}  // namespace detail

/// How many items come before each key, by a comparison.
template <input_range_or_view Sorted, class Keys, class Before, output_range_or_view_of_counts Positions>
  requires detail::searchable<Sorted, Keys> && relation_of<Before, detail::item_t<Sorted>>
void lower_bound(const exec& where, const Sorted& sorted, const Keys& keys, const Before& before,
                 Positions&& positions) {
  detail::run_search<false>(where, detail::as_input(sorted), detail::as_input(keys), before,
                            detail::as_output(positions), "lower_bound");
}
/// How many items come before each key, in the order of keys.
template <key_range_or_view Sorted, class Keys, output_range_or_view_of_counts Positions>
  requires detail::searchable<Sorted, Keys>
void lower_bound(const exec& where, const Sorted& sorted, const Keys& keys, Positions&& positions,
                 const order_options& order = {}) {
  detail::run_search<false>(where, detail::as_input(sorted), detail::as_input(keys),
                            detail::before_in<detail::item_t<Sorted>>(order), detail::as_output(positions),
                            "lower_bound");
}
template <class Sorted, class Keys, class Before, class Positions>
  requires(!detail::search_by_checks<Sorted, Keys, Before, Positions>::ok &&
           !std::convertible_to<Positions, order_options>)
void lower_bound(const exec&, const Sorted&, const Keys&, const Before&, Positions&&) {
  detail::search_by_checks<Sorted, Keys, Before, Positions>::failing::explain();
}
template <class Sorted, class Keys, class Positions>
  requires(!detail::search_checks<Sorted, Keys, Positions>::ok)
void lower_bound(const exec&, const Sorted&, const Keys&, Positions&&, const order_options& = {}) {
  detail::search_checks<Sorted, Keys, Positions>::failing::explain();
}

/// How many items do not come after each key, by a comparison.
template <input_range_or_view Sorted, class Keys, class Before, output_range_or_view_of_counts Positions>
  requires detail::searchable<Sorted, Keys> && relation_of<Before, detail::item_t<Sorted>>
void upper_bound(const exec& where, const Sorted& sorted, const Keys& keys, const Before& before,
                 Positions&& positions) {
  detail::run_search<true>(where, detail::as_input(sorted), detail::as_input(keys), before,
                           detail::as_output(positions), "upper_bound");
}
/// How many items do not come after each key, in the order of keys.
template <key_range_or_view Sorted, class Keys, output_range_or_view_of_counts Positions>
  requires detail::searchable<Sorted, Keys>
void upper_bound(const exec& where, const Sorted& sorted, const Keys& keys, Positions&& positions,
                 const order_options& order = {}) {
  detail::run_search<true>(where, detail::as_input(sorted), detail::as_input(keys),
                           detail::before_in<detail::item_t<Sorted>>(order), detail::as_output(positions),
                           "upper_bound");
}
template <class Sorted, class Keys, class Before, class Positions>
  requires(!detail::search_by_checks<Sorted, Keys, Before, Positions>::ok &&
           !std::convertible_to<Positions, order_options>)
void upper_bound(const exec&, const Sorted&, const Keys&, const Before&, Positions&&) {
  detail::search_by_checks<Sorted, Keys, Before, Positions>::failing::explain();
}
template <class Sorted, class Keys, class Positions>
  requires(!detail::search_checks<Sorted, Keys, Positions>::ok)
void upper_bound(const exec&, const Sorted&, const Keys&, Positions&&, const order_options& = {}) {
  detail::search_checks<Sorted, Keys, Positions>::failing::explain();
}

/// 1 if no item comes before its predecessor, else 0; by a comparison.
template <input_range_or_view In, class Before>
  requires relation_of<Before, detail::item_t<In>>
void is_sorted(const exec& where, const In& in, const Before& before, device_count result) {
  detail::run_sorted<true>(where, detail::as_input(in), before, result, "is_sorted");
}
/// 1 if no item comes before its predecessor, else 0; in the order of keys.
template <key_range_or_view In>
void is_sorted(const exec& where, const In& in, device_count result, const order_options& order = {}) {
  detail::run_sorted<true>(where, detail::as_input(in), detail::before_in<detail::item_t<In>>(order), result,
                           "is_sorted");
}
template <class In, class Before>
  requires(!(input_range_or_view<In> && relation_of<Before, detail::known_item_t<In>>) &&
           !std::convertible_to<const Before&, device_count>)
void is_sorted(const exec&, const In&, const Before&, device_count) {
  detail::explain<detail::input_or_view_check<In>, detail::comparison_check<Before, detail::known_item_t<In>>>();
}
template <class In>
  requires(!key_range_or_view<In>)
void is_sorted(const exec&, const In&, device_count, const order_options& = {}) {
  detail::explain<detail::key_range_or_view_check<In>>();
}

/// How many items are in order at the front, by a comparison: the position of the first that comes
/// before its predecessor, or n.
template <input_range_or_view In, class Before>
  requires relation_of<Before, detail::item_t<In>>
void is_sorted_until(const exec& where, const In& in, const Before& before, device_count result) {
  detail::run_sorted<false>(where, detail::as_input(in), before, result, "is_sorted_until");
}
/// How many items are in order at the front, in the order of keys. This is the position of the
/// first that comes before its predecessor, or n.
template <key_range_or_view In>
void is_sorted_until(const exec& where, const In& in, device_count result, const order_options& order = {}) {
  detail::run_sorted<false>(where, detail::as_input(in), detail::before_in<detail::item_t<In>>(order), result,
                            "is_sorted_until");
}
template <class In, class Before>
  requires(!(input_range_or_view<In> && relation_of<Before, detail::known_item_t<In>>) &&
           !std::convertible_to<const Before&, device_count>)
void is_sorted_until(const exec&, const In&, const Before&, device_count) {
  detail::explain<detail::input_or_view_check<In>, detail::comparison_check<Before, detail::known_item_t<In>>>();
}
template <class In>
  requires(!key_range_or_view<In>)
void is_sorted_until(const exec&, const In&, device_count, const order_options& = {}) {
  detail::explain<detail::key_range_or_view_check<In>>();
}

}  // namespace ballot
