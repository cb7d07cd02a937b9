// SPDX-License-Identifier: Apache-2.0
// Stream compaction: the items that a predicate or flags select, in order, without gaps.
//
//     ballot::device_value<std::uint64_t> hits(stream);
//     ballot::compact(gpu, pairs, is_hit{}, colliding, hits);
//     ballot::compact(gpu, ballot::zip{at, speed, id}, is_alive{}, ballot::zip{at2, speed2, id2},
//                     alive);
//     ballot::compact_indices(gpu, cells, is_full{}, full_cells, full_count);
//     ballot::compact_in_place(gpu, ballot::zip{at, speed, id}, ballot::on_first{is_inside{}},
//                              alive);
//
// in:      contiguous device range or view (views.cuh; `positions` is one), or `counted`, of a
//          trivially copyable T of up to 128 bytes; or a zip of these (detail/common/zip.cuh), of
//          which the first may be counted
// select:  a function object bool(const T&), callable on the device. For a zip it takes an item of
//          each range; on_first{...} takes only the item of the first range. It may be called more
//          than once for an item. Instead of a function object: byte_flags or bit_flags, with a
//          flag for every item
// out:     device range or output view (outputs.cuh) of T; if the input is a zip, a zip of as many.
//          It must not overlap the inputs, the flags, or another output. For a view, this holds for
//          the arrays that it reads or writes. It may be shorter than the input: selected items
//          that do not fit are dropped, and the count still includes them
// count:   device address (or device_value) of one integer of 4 or 8 bytes, signed or not: the
//          number of selected items, also written for n = 0. It must not overlap any other
//          argument, including a device-side length
//
// Stable and deterministic.
//
// Scratch: compact_scratch_bytes<T...>(n) for the types of the columns, 8 bytes a tile.
//
// Work on the stream: one kernel clears the tile states, and a second kernel selects. The second
// begins while the first ends. For one tile (u32: 4096 items), and from sm_90 on for up to 16
// tiles, only the second is launched. For n = 0, only a fill of the count.
//
// Bytes moved: the input, the flags and the selected items, once each. A selection by flags does
// not read vectors of up to 16 bytes without a selected item. If the predicate takes items of
// several ranges, these are read twice: for the predicate, and when they are moved. The second read
// comes from the cache.
//
// Errors, before any work: invalid_argument for null with n > 0, no count, too few flags, different
// lengths in a zip, or overlap (of the scratch, too). Also for scratch that is too small, or too
// many items for the type of the count or of the positions. cuda_error from the launch.
//
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/partition/in_place.cuh>
#include <ballot/detail/partition/launch.cuh>

#include <cstdint>
#include <tuple>

namespace ballot {

namespace detail {

template <class In, class Select, class Out, class Count>
using compact_checks =
    checks<input_table_check<In>, selector_check<Select, In>, output_table_or_view_check<Out, In>, count_check<Count>>;
template <class In, class Select, class Indices, class Count>
using compact_indices_checks =
    checks<input_table_check<In>, selector_check<Select, In>, output_or_view_counts_check<Indices>, count_check<Count>>;
template <class Items, class Select, class Count>
using in_place_checks = checks<in_place_table_check<Items>, selector_check<Select, Items>, count_check<Count>>;

// Writes the selected items of `inputs` to `selected`, in order.
template <class... I, class Select, class... Out>
void compact(const exec& where, const std::tuple<I...>& inputs, const Select& select,
             const std::tuple<Out...>& selected, const device_count& count) {
  constexpr const char* function = "compact";
  constexpr rejects dropped = rejects::dropped;
  using shapes = partition_shapes<dropped, selects_by_flags<Select>, typename Out::value_type...>;
  constexpr int width = shapes::many::width;
  const length n = length_of(inputs);
  const std::size_t bytes = partition_scratch_bytes<dropped, typename Out::value_type...>(n.capacity);
  require_columns(function, "in", inputs);
  require_count(function, "count", count, n.capacity);
  require_select(function, select, n.capacity);
  require_arguments(function, where, bytes, {arguments_of("out", selected), argument_of("count", count)},
                    {arguments_of("in", inputs), argument_of("in.length", n), argument_of_select(select),
                     lengths_of("out.offset", selected)});
  launch_tuned_partition<dropped, shapes>(where, bytes, n, make_device_columns<width>(inputs, selected, std::tuple()),
                                          make_selector<width, true>(select, inputs), count, function);
}

// Tiles for selections of positions: by a predicate on items T..., or by flags, which read no
// items. A position is staged as a place in the tile, which has 2 bytes, whatever the type of the
// positions (detail/partition/position_items.cuh). These tiles are no smaller than those of Index,
// for which the scratch is sized. So the scratch suffices.
template <class Select, class... T>
struct position_shapes_of {
  using type = partition_shapes<rejects::dropped, false, staged_place, T...>;
};
template <class Select, class... T>
  requires selects_by_flags<Select>
struct position_shapes_of<Select, T...> {
  using type = partition_shapes<rejects::dropped, false, staged_place>;
};
// The positions of the selected items as unsigned integers.
template <class... I, class Select, class Indices>
void compact_indices(const exec& where, const std::tuple<I...>& inputs, const Select& select, const Indices& indices,
                     const device_count& count) {
  using Index = typename Indices::value_type;
  constexpr const char* function = "compact_indices";
  constexpr rejects dropped = rejects::dropped;
  using shapes = typename position_shapes_of<Select, typename I::value_type...>::type;
  constexpr int width = shapes::many::width;
  const length n = length_of(inputs);
  const std::size_t bytes = partition_scratch_bytes<dropped, Index, typename I::value_type...>(n.capacity);
  require_columns(function, "in", inputs, !selects_by_flags<Select>);
  require_count(function, "count", count, n.capacity);
  require_select(function, select, n.capacity);
  require_arguments(function, where, bytes, {arguments_of("indices", indices), argument_of("count", count)},
                    {arguments_of("in", inputs), argument_of("in.length", n), argument_of_select(select),
                     lengths_of("indices.offset", indices)});
  launch_tuned_partition<dropped, shapes>(
      where, bytes, n,
      make_device_columns<width>(std::tuple(make_position_input<Index>(n)), std::tuple(indices), std::tuple()),
      make_selector<width, false>(select, inputs), count, function);
}

}  // namespace detail

/// Bytes of scratch that compact needs for n items of columns T... Pure.
template <class... T>
std::size_t compact_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::partition_scratch_bytes<detail::rejects::dropped, T...>(n));
}

template <input_table In, selector_of<In> Select, output_table_or_view_of<In> Out>
void compact(const exec& where, const In& in, const Select& select, Out&& out, device_count count) {
  detail::compact(where, detail::as_inputs(in), select, detail::as_outputs(out), count);
}
template <class In, class Select, class Out, class Count>
  requires(!detail::compact_checks<In, Select, Out, Count>::ok)
void compact(const exec&, const In&, const Select&, Out&&, const Count&) {
  detail::compact_checks<In, Select, Out, Count>::failing::explain();
}

/// Bytes of scratch that compact_indices needs for n items. T...: the types that the predicate
/// takes. Pure.
template <count_integer Index, class... T>
std::size_t compact_indices_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(
      detail::partition_scratch_bytes<detail::rejects::dropped, detail::unsigned_count_t<Index>, T...>(n));
}

/// The positions of the selected items, ascending. `indices` is a device range or output view of
/// integers of 4 or 8 bytes, signed or not. Their type must be able to hold every position. Like
/// `out` of compact, it may be shorter than needed. No items are written. With flags, only the
/// flags are read.
template <input_table In, selector_of<In> Select, output_range_or_view_of_counts Indices>
void compact_indices(const exec& where, const In& in, const Select& select, Indices&& indices, device_count count) {
  const auto inputs = detail::as_inputs(in);
  const std::uint64_t n = detail::length_of(inputs).capacity;
  detail::require_counts_fit("compact_indices", "indices", detail::count_type::of<detail::item_t<Indices>>(),
                             n == 0 ? 0 : n - 1);
  detail::compact_indices(where, inputs, select, detail::as_unsigned(detail::as_output(indices)), count);
}
template <class In, class Select, class Indices, class Count>
  requires(!detail::compact_indices_checks<In, Select, Indices, Count>::ok)
void compact_indices(const exec&, const In&, const Select&, Indices&&, const Count&) {
  detail::compact_indices_checks<In, Select, Indices, Count>::failing::explain();
}

/// Bytes of scratch that compact_in_place needs for n items of ranges T...; for a zip this includes
/// n / 8 for the flags as bits. Pure.
template <class... T>
std::size_t compact_in_place_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::compact_in_place_bytes<T...>(n));
}

/// Compaction within a range, or within each range of a zip: the selected items move to the front.
/// The items after them are unspecified. No views, because the call writes where it reads.
/// `counted{items, length}` (of a zip: as its first range) limits the call to the first *length
/// items; later items are not touched. Neither that length nor flags may overlap the items or
/// `count`. For one range there are two kernels: one clears the tile states, one selects. A tile
/// reads its items before it publishes its state, and later tiles write only after that. So no item
/// is overwritten before it is read (detail/partition/tile_offsets.cuh has the argument). For a
/// zip, a kernel first writes the flags as bits (it reads what `select` reads). Then each range is
/// compacted by these bits, in two kernels. Otherwise as compact.
template <in_place_table Items, selector_of<Items> Select>
void compact_in_place(const exec& where, Items&& items, const Select& select, device_count count) {
  constexpr const char* function = "compact_in_place";
  const auto columns = detail::as_in_place_columns(items);
  [&]<class... T>(const detail::in_place_columns<T...>&) {
    detail::require_in_place(function, where, detail::compact_in_place_bytes<T...>(columns.length.capacity), columns,
                             select, count);
  }(columns);
  detail::launch_compact_in_place(where, columns.ranges, columns.length, select, count, function);
}
template <class Items, class Select, class Count>
  requires(!detail::in_place_checks<Items, Select, Count>::ok)
void compact_in_place(const exec&, Items&&, const Select&, const Count&) {
  detail::in_place_checks<Items, Select, Count>::failing::explain();
}

}  // namespace ballot
