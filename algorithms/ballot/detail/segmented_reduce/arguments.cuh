// SPDX-License-Identifier: Apache-2.0
// What segmented reductions demand of their arguments, and what their twins say about a call that
// does not compile (core/explain.hpp).
#pragma once

#include <ballot/core/explain.hpp>
#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/segmented_reduce/segments.cuh>
#include <ballot/device/detail/explain_scans.hpp>
#include <ballot/device/indexed.hpp>
#include <ballot/device/segment_offsets.hpp>

#include <concepts>
#include <type_traits>

namespace ballot::detail {

template <class T>
concept flags_argument = std::same_as<T, byte_flags> || std::same_as<T, bit_flags>;

template <class T>
inline constexpr bool is_counted_segments = std::same_as<T, row_length>;
template <class Offset>
inline constexpr bool is_counted_segments<segment_offsets<Offset>> = true;
// Segments whose number the host knows.
template <class T>
concept counted_segments = is_counted_segments<T>;

// What segmented_arg_min writes: by a comparison, and by `<`.
template <class Out, class In>
concept indexed_items_by_relation_of =
    output_range_or_view<Out> && sizeof(item_t<In>) <= 8 && std::same_as<item_t<Out>, indexed<item_t<In>>>;
template <class Out, class In>
concept indexed_items_of =
    indexed_items_by_relation_of<Out, In> && requires(const item_t<In>& a) { static_cast<bool>(a < a); };

template <class Segments>
struct reduced_segments_check {
  static constexpr bool ok = counted_segments<Segments>;
  static consteval void explain() {
    static_assert(ok,
                  "ballot: segments are ballot::segment_offsets{offsets}, ballot::row_length{items}, or head flags, "
                  "ballot::byte_flags{bytes} or ballot::bit_flags{words}. By flags a count stands behind the output.");
  }
};
template <class Out, class In>
struct indexed_items_check {
  static constexpr bool ok = indexed_items_of<Out, In>;
  static consteval void explain() {
    static_assert(ok,
                  "ballot: the output's items are ballot::indexed<T>, T the type of the input's items, which have at "
                  "most 8 bytes and `<`. For the index alone write ballot::converting<ballot::indexed<T>>(indices, f), "
                  "where f gives an item's index.");
  }
};
template <class Out, class In>
struct indexed_items_by_relation_check {
  static constexpr bool ok = indexed_items_by_relation_of<Out, In>;
  static consteval void explain() {
    static_assert(ok,
                  "ballot: the output's items are ballot::indexed<T>, T the type of the input's items, which have at "
                  "most 8 bytes.");
  }
};
template <class In, class Segments, class Initial, class Op, class Out>
using segmented_reduce_checks =
    checks<input_or_view_check<In>, reduced_segments_check<Segments>, initial_check<Initial, known_item_t<Out>>,
           operator_check<Op, known_item_t<Out>>, output_or_view_check<Out>, sums_check<Out, In>>;
template <class In, class Segments, class Out>
using segmented_arg_checks = checks<input_or_view_check<In>, reduced_segments_check<Segments>,
                                    output_or_view_check<Out>, indexed_items_check<Out, In>>;
template <class In, class Segments, class Less, class Out>
using segmented_arg_by_checks =
    checks<input_or_view_check<In>, reduced_segments_check<Segments>, relation_check<Less, known_item_t<In>>,
           output_or_view_check<Out>, indexed_items_by_relation_check<Out, In>>;

}  // namespace ballot::detail
