// SPDX-License-Identifier: Apache-2.0
// Runs of equal items: the first item of each run, and where runs begin or how long they are.
//
//     ballot::unique(gpu, sorted_cells, cells, cell_count);
//     ballot::unique_by_key(gpu, sorted_cells, ids, cells, first_ids, cell_count);
//     // begin_of_cell[cell_count] == n
//     ballot::run_offsets(gpu, sorted_cells, cells, begin_of_cell, cell_count);
//     ballot::run_length_encode(gpu, symbols, values, lengths, run_count);
//     // By a relation of your own.
//     ballot::unique(gpu, points, is_near{}, one_of_each_group, group_count);
//
// An item is the head of a run if it is the first item, or if !same(before, item), where `before`
// is the item before it. Without a relation `same`, items are compared by ==, and then each NaN is
// a run of its own. So `unique` is a compaction by head flags, in one pass.
//
// in, keys: contiguous device range or view (views.cuh), or `counted`, of a trivially copyable T of
//           up to 128 bytes
// outputs:  device ranges or output views (outputs.cuh) that overlap neither the inputs nor each
//           other. The offsets of run_offsets are a range, not a view. Each output may be shorter
//           than needed: runs that do not fit are dropped, and the count still includes them
// same:     a function object bool(const T& before, const T& item), callable on the device. It may
//           be called more than once for an item
// count:    device address (or device_value) of one integer of 4 or 8 bytes, signed or not: the
//           number of runs, also written for n = 0. It must not overlap any other argument,
//           including a device-side length
//
// Deterministic, in the order of the input.
//
// Scratch: unique_scratch_bytes, run_*_scratch_bytes: 8 bytes a tile; 32 bytes a tile for run
// lengths of 2^31 items or more.
//
// Work on the stream: one kernel clears the tile states. A second kernel, which begins while the
// first ends, does the rest. For one tile, and from sm_90 on for up to 16 tiles, the first is not
// launched; in place it always is. run_offsets also fills the first offset.
//
// Bytes moved: inputs once, outputs once. Of the values of unique_by_key, only vectors of up to 16
// bytes that contain the head of a run are read.
//
// Errors: as for compact (compact.cuh), and invalid_argument for more items than the type of an
// offset, a length or the count can hold.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/partition/in_place.cuh>
#include <ballot/detail/partition/launch.cuh>
#include <ballot/detail/partition/run_columns.cuh>

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ballot {
namespace detail {

// The tiles of selections of heads, for items T and the types of further columns. small_in_place:
// for few items in place. Bytes are compared four at a time and counted by vectors, of which those of 16
// take few instructions. H200, 2026-12-01, us in a graph of 3, 5, 8, 12, 20 and 50 million bytes in runs
// of 5 (CUB): 7.3 9.1 10.8 14.7 25.3 51.0 (8.6 11.3 14.9 20.2 31.4 77.1); in vectors of 4: 8.6 12.1 16.9
// 25.7 36.8 79.8.
template <class... T>
struct unique_shapes : partition_shapes<rejects::dropped, false, T...> {
  using base = partition_shapes<rejects::dropped, false, T...>;
  using of_bytes = block::tile_shape<256, 4, 16>;
  static constexpr bool are_bytes = ((sizeof(T) == 1) && ...);
  using large = std::conditional_t<are_bytes, of_bytes, typename base::large>;
  using many = std::conditional_t<are_bytes, of_bytes, typename partition_shape_of<unique_tunings, T...>::type>;
  using small_in_place = small_head_shape<T...>;
};
template <class Shapes>
std::size_t heads_scratch_bytes(std::uint64_t n) {
  // In place, fewer items may take more tiles, because these are smaller. So the scratch is the
  // larger of both.
  const std::uint64_t few = smaller(n, most_small_head_items);
  return larger(tuned_scratch_bytes<offset_method::look_back, Shapes>(n),
                offset_scratch_bytes<offset_method::look_back>(larger(
                    most_tiles_for<typename Shapes::many>(n), most_tiles_for<typename Shapes::small_in_place>(few))));
}

template <int Width, class In, class Values, class Lengths>
auto run_length_columns(const In& in, const Values& values, const Lengths& lengths) {
  return make_device_columns(device_column<source_of<In>, Values>{make_source<Width>(in), values, {nullptr, 0}},
                             run_length_column<Lengths>{{}, lengths});
}

// The tiles of run lengths, for items T and positions. Each tile publishes two words, so tiles with
// more items for each thread are better.
template <class T>
struct run_length_shapes : partition_shapes<rejects::dropped, false, T, std::uint32_t> {
  using many = typename partition_shape_of<run_length_tunings, T, std::uint32_t>::type;
  using small = with_fewer_threads<small_head_shape<T, std::uint32_t>>;
  static constexpr std::uint64_t most_large = 256;
};
// Up to this number of items, positions and counts have 31 bits.
inline constexpr std::uint64_t most_in_31_bits = (std::uint64_t{1} << 31) - 1;

// From here on offsets and lengths are unsigned integers. Exact sizes of scratch.
template <class T, class Length>
std::size_t run_length_bytes(std::uint64_t n) {
  using shapes = run_length_shapes<T>;
  constexpr offset_method method = offset_method::look_back;
  return n > most_in_31_bits ? tuned_scratch_bytes<method, shapes, selected_count_and_last<std::uint64_t>>(n)
                             : tuned_scratch_bytes<method, shapes, selected_count_and_last<std::uint32_t>>(n);
}

// In: input<T> or view_input<...> of these items.
template <class In, class Same, class Out>
void unique(const exec& where, const In& in, const Same& same, const Out& out, const device_count& count) {
  using T = typename Out::value_type;
  constexpr const char* function = "unique";
  using shapes = unique_shapes<T>;
  const std::size_t bytes = heads_scratch_bytes<shapes>(in.capacity());
  require_items_of_view(function, "in", in);
  require_count(function, "count", count, in.capacity());
  require_arguments(function, where, bytes, {arguments_of("out", out), argument_of("count", count)},
                    {arguments_of("in", in), argument_of("in.length", in.length), lengths_of("out.offset", out)});
  launch_tuned_partition<rejects::dropped, shapes>(
      where, bytes, in.length, make_device_columns<shapes::many::width>(std::tuple(in), std::tuple(out), std::tuple()),
      make_head_selector(in, same), count, function);
}

template <class T, class Same>
void unique_in_place(const exec& where, const in_place_columns<T>& items, const Same& same, const device_count& count) {
  constexpr const char* function = "unique_in_place";
  using shapes = unique_shapes<T>;
  const length n = items.length;
  require_in_place(function, where, heads_scratch_bytes<shapes>(n.capacity), items, same, count);
  const output<T>& out = std::get<0>(items.ranges);
  const std::tuple inputs(as_read(out, n));
  const auto columns = make_device_columns<shapes::many::width>(inputs, items.ranges, std::tuple());
  const head_selector<T, Same> selector{out.data, same};
  if (n.capacity <= most_small_head_items)
    launch_partition<rejects::dropped, typename shapes::small_in_place, true>(where, n, columns, selector, count,
                                                                              function);
  else launch_partition<rejects::dropped, typename shapes::many, true>(where, n, columns, selector, count, function);
}

template <class Keys, class... I, class Same, class KeysOut, class... V>
void unique_by_key(const exec& where, const Keys& keys, const std::tuple<I...>& values, const Same& same,
                   const KeysOut& keys_out, const std::tuple<V...>& values_out, const device_count& count) {
  constexpr const char* function = "unique_by_key";
  using shapes = unique_shapes<typename KeysOut::value_type, typename V::value_type...>;
  const std::size_t bytes = heads_scratch_bytes<shapes>(keys.capacity());
  require_items_of_view(function, "keys", keys);
  require_columns(function, "values", values);
  require(length_of(values).count == nullptr, function, "`values` is counted: only `keys` may be counted");
  require_same_length(function, "keys", keys.capacity(), "values", length_of(values).capacity);
  require_count(function, "count", count, keys.capacity());
  require_arguments(
      function, where, bytes,
      {arguments_of("keys_out", keys_out), arguments_of("values_out", values_out), argument_of("count", count)},
      {arguments_of("keys", keys), argument_of("keys.length", keys.length), arguments_of("values", values),
       lengths_of("keys_out.offset", keys_out), lengths_of("values_out.offset", values_out)});
  launch_tuned_partition<rejects::dropped, shapes>(
      where, bytes, keys.length,
      make_device_columns<shapes::many::width>(std::tuple_cat(std::tuple(keys), values),
                                               std::tuple_cat(std::tuple(keys_out), values_out), std::tuple()),
      make_head_selector(keys, same), count, function);
}

template <class In, class Same, class Values, class Index>
void run_offsets(const exec& where, const In& in, const Same& same, const Values& values, const output<Index>& offsets,
                 const device_count& count) {
  using T = typename Values::value_type;
  constexpr const char* function = "run_offsets";
  using shapes = unique_shapes<T, Index>;
  const std::size_t bytes = heads_scratch_bytes<shapes>(in.capacity());
  require_items_of_view(function, "in", in);
  require_count(function, "count", count, in.capacity());
  require_arguments(function, where, bytes,
                    {arguments_of("values", values), argument_of("offsets", offsets), argument_of("count", count)},
                    {arguments_of("in", in), argument_of("in.length", in.length), lengths_of("values.offset", values)});
  // Checked here, so that nothing is written if there are too many items, or if the scratch is too
  // small.
  (void)tile_count(in.capacity(), shapes::many::items, function);
  const scratch_lease lease(where, bytes, function);
  if (offsets.size != 0) simt::fill_bytes(where.stream(), offsets.data, 0, sizeof(Index));  // where there are no runs
  const auto columns = make_device_columns(
      device_column<source_of<In>, Values>{make_source<shapes::many::width>(in), values, {nullptr, 0}},
      run_offset_column<Index>{{}, offsets});
  launch_tuned_partition<rejects::dropped, shapes>(exec(where.stream(), std::span(lease.base(), bytes)), bytes,
                                                   in.length, columns, make_head_selector(in, same), count, function);
}

template <class In, class Same, class Values, class Lengths>
void run_length_encode(const exec& where, const In& in, const Same& same, const Values& values, const Lengths& lengths,
                       const device_count& count) {
  using T = typename Values::value_type;
  using Length = typename Lengths::value_type;
  constexpr const char* function = "run_length_encode";
  using shapes = run_length_shapes<T>;
  const std::uint64_t n = in.capacity();
  const std::size_t bytes = run_length_bytes<T, Length>(n);
  require_items_of_view(function, "in", in);
  require_count(function, "count", count, n);
  require_arguments(function, where, bytes,
                    {arguments_of("values", values), arguments_of("lengths", lengths), argument_of("count", count)},
                    {arguments_of("in", in), argument_of("in.length", in.length), lengths_of("values.offset", values),
                     lengths_of("lengths.offset", lengths)});
  const auto columns = run_length_columns<shapes::many::width>(in, values, lengths);
  const auto selector = make_head_selector(in, same);
  if (n <= most_in_31_bits)
    launch_tuned_partition<rejects::dropped, shapes, selected_count_and_last<std::uint32_t>>(
        where, bytes, in.length, columns, selector, count, function);
  else
    launch_partition<rejects::dropped, typename shapes::many, false, offset_method::look_back,
                     selected_count_and_last<std::uint64_t>>(where, in.length, columns, selector, count, function);
}

template <class In, class Same, class Out, class Count>
using unique_checks = checks<input_or_view_check<In>, relation_check<Same, known_item_t<In>>, output_or_view_check<Out>,
                             same_items_check<Out, In>, count_check<Count>>;
template <class Items, class Same, class Count>
using unique_in_place_checks =
    checks<in_place_check<Items>, relation_check<Same, known_item_t<Items>>, count_check<Count>>;
template <class Keys, class Values, class Same, class KeysOut, class ValuesOut, class Count>
using unique_by_key_checks =
    checks<input_or_view_check<Keys>, input_table_check<Values>, relation_check<Same, known_item_t<Keys>>,
           output_or_view_check<KeysOut>, same_items_check<KeysOut, Keys>,
           output_table_or_view_check<ValuesOut, Values>, count_check<Count>>;
template <class In, class Same, class Values, class Counts, class Count>
using runs_checks =
    checks<input_or_view_check<In>, relation_check<Same, known_item_t<In>>, output_or_view_check<Values>,
           same_items_check<Values, In>, output_counts_check<Counts>, count_check<Count>>;
template <class In, class Same, class Values, class Lengths, class Count>
using run_lengths_checks =
    checks<input_or_view_check<In>, relation_check<Same, known_item_t<In>>, output_or_view_check<Values>,
           same_items_check<Values, In>, output_or_view_counts_check<Lengths>, count_check<Count>>;

}  // namespace detail

/// Bytes of scratch for n items. T... is the type of the items; for unique_by_key, the types of
/// keys and values. Index, Length: the type of offsets or lengths. Pure.
template <class... T>
std::size_t unique_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::heads_scratch_bytes<detail::unique_shapes<T...>>(n));
}
template <class T, count_integer Index>
std::size_t run_offsets_scratch_bytes(std::uint64_t n) {
  return unique_scratch_bytes<T, detail::unsigned_count_t<Index>>(n);
}
template <class T, count_integer Length>
std::size_t run_length_encode_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::run_length_bytes<T, detail::unsigned_count_t<Length>>(n));
}

/// The first item of each run.
template <input_range_or_view In, relation_of<detail::item_t<In>> Same, output_range_or_view_of<In> Out>
void unique(const exec& where, const In& in, const Same& same, Out&& out, device_count count) {
  detail::unique(where, detail::as_input(in), same, detail::as_output(out), count);
}
template <input_range_or_view In, output_range_or_view_of<In> Out>
void unique(const exec& where, const In& in, Out&& out, device_count count) {
  detail::unique(where, detail::as_input(in), equal_to{}, detail::as_output(out), count);
}
template <class In, class Same, class Out, class Count>
  requires(!detail::unique_checks<In, Same, Out, Count>::ok)
void unique(const exec&, const In&, const Same&, Out&&, const Count&) {
  detail::unique_checks<In, Same, Out, Count>::failing::explain();
}
template <class In, class Out, class Count>
  requires(!detail::unique_checks<In, equal_to, Out, Count>::ok)
void unique(const exec&, const In&, Out&&, const Count&) {
  detail::unique_checks<In, equal_to, Out, Count>::failing::explain();
}

/// The same within one range: the heads move to its front. The items after them are unspecified. It
/// takes no view, because it writes where it reads. `counted{items, length}` limits the call to the
/// first *length items; that length must not overlap the items or `count`.
template <in_place_range Items, relation_of<detail::item_t<Items>> Same>
void unique_in_place(const exec& where, Items&& items, const Same& same, device_count count) {
  detail::unique_in_place(where, detail::as_in_place_columns(items), same, count);
}
template <in_place_range Items>
void unique_in_place(const exec& where, Items&& items, device_count count) {
  detail::unique_in_place(where, detail::as_in_place_columns(items), equal_to{}, count);
}
template <class Items, class Same, class Count>
  requires(!detail::unique_in_place_checks<Items, Same, Count>::ok)
void unique_in_place(const exec&, Items&&, const Same&, const Count&) {
  detail::unique_in_place_checks<Items, Same, Count>::failing::explain();
}
template <class Items, class Count>
  requires(!detail::unique_in_place_checks<Items, equal_to, Count>::ok)
void unique_in_place(const exec&, Items&&, const Count&) {
  detail::unique_in_place_checks<Items, equal_to, Count>::failing::explain();
}

/// The first key of each run and its value. values: a range or a view (`positions` is one), or a
/// zip of these, as long as the keys; not counted. values_out: a range or an output view, or a zip
/// of as many.
template <input_range_or_view Keys, input_table Values, relation_of<detail::item_t<Keys>> Same,
          output_range_or_view_of<Keys> KeysOut, output_table_or_view_of<Values> ValuesOut>
void unique_by_key(const exec& where, const Keys& keys, const Values& values, const Same& same, KeysOut&& keys_out,
                   ValuesOut&& values_out, device_count count) {
  detail::unique_by_key(where, detail::as_input(keys), detail::as_inputs(values), same, detail::as_output(keys_out),
                        detail::as_outputs(values_out), count);
}
template <input_range_or_view Keys, input_table Values, output_range_or_view_of<Keys> KeysOut,
          output_table_or_view_of<Values> ValuesOut>
void unique_by_key(const exec& where, const Keys& keys, const Values& values, KeysOut&& keys_out,
                   ValuesOut&& values_out, device_count count) {
  detail::unique_by_key(where, detail::as_input(keys), detail::as_inputs(values), equal_to{},
                        detail::as_output(keys_out), detail::as_outputs(values_out), count);
}
template <class Keys, class Values, class Same, class KeysOut, class ValuesOut, class Count>
  requires(!detail::unique_by_key_checks<Keys, Values, Same, KeysOut, ValuesOut, Count>::ok)
void unique_by_key(const exec&, const Keys&, const Values&, const Same&, KeysOut&&, ValuesOut&&, const Count&) {
  detail::unique_by_key_checks<Keys, Values, Same, KeysOut, ValuesOut, Count>::failing::explain();
}
template <class Keys, class Values, class KeysOut, class ValuesOut, class Count>
  requires(!detail::unique_by_key_checks<Keys, Values, equal_to, KeysOut, ValuesOut, Count>::ok)
void unique_by_key(const exec&, const Keys&, const Values&, KeysOut&&, ValuesOut&&, const Count&) {
  detail::unique_by_key_checks<Keys, Values, equal_to, KeysOut, ValuesOut, Count>::failing::explain();
}

/// The first item of each run, and the offset at which the run begins. Offsets are integers of 4 or
/// 8 bytes, signed or not, one more than runs: the last one, offsets[number of runs], is n.
template <input_range_or_view In, relation_of<detail::item_t<In>> Same, output_range_or_view_of<In> Values,
          output_range_of_counts Offsets>
void run_offsets(const exec& where, const In& in, const Same& same, Values&& values, Offsets&& offsets,
                 device_count count) {
  const auto items = detail::as_input(in);
  detail::require_counts_fit("run_offsets", "offsets", detail::count_type::of<detail::item_t<Offsets>>(),
                             items.capacity());
  detail::run_offsets(where, items, same, detail::as_output(values), detail::as_unsigned(detail::as_output(offsets)),
                      count);
}
template <input_range_or_view In, output_range_or_view_of<In> Values, output_range_of_counts Offsets>
void run_offsets(const exec& where, const In& in, Values&& values, Offsets&& offsets, device_count count) {
  run_offsets(where, in, equal_to{}, values, offsets, count);
}
template <class In, class Same, class Values, class Offsets, class Count>
  requires(!detail::runs_checks<In, Same, Values, Offsets, Count>::ok)
void run_offsets(const exec&, const In&, const Same&, Values&&, Offsets&&, const Count&) {
  detail::runs_checks<In, Same, Values, Offsets, Count>::failing::explain();
}
template <class In, class Values, class Offsets, class Count>
  requires(!detail::runs_checks<In, equal_to, Values, Offsets, Count>::ok)
void run_offsets(const exec&, const In&, Values&&, Offsets&&, const Count&) {
  detail::runs_checks<In, equal_to, Values, Offsets, Count>::failing::explain();
}

/// The first item of each run and the length of the run: an integer of 4 or 8 bytes, signed or not.
template <input_range_or_view In, relation_of<detail::item_t<In>> Same, output_range_or_view_of<In> Values,
          output_range_or_view_of_counts Lengths>
void run_length_encode(const exec& where, const In& in, const Same& same, Values&& values, Lengths&& lengths,
                       device_count count) {
  const auto items = detail::as_input(in);
  detail::require_counts_fit("run_length_encode", "lengths", detail::count_type::of<detail::item_t<Lengths>>(),
                             items.capacity());
  detail::run_length_encode(where, items, same, detail::as_output(values),
                            detail::as_unsigned(detail::as_output(lengths)), count);
}
template <input_range_or_view In, output_range_or_view_of<In> Values, output_range_or_view_of_counts Lengths>
void run_length_encode(const exec& where, const In& in, Values&& values, Lengths&& lengths, device_count count) {
  run_length_encode(where, in, equal_to{}, values, lengths, count);
}
template <class In, class Same, class Values, class Lengths, class Count>
  requires(!detail::run_lengths_checks<In, Same, Values, Lengths, Count>::ok)
void run_length_encode(const exec&, const In&, const Same&, Values&&, Lengths&&, const Count&) {
  detail::run_lengths_checks<In, Same, Values, Lengths, Count>::failing::explain();
}
template <class In, class Values, class Lengths, class Count>
  requires(!detail::run_lengths_checks<In, equal_to, Values, Lengths, Count>::ok)
void run_length_encode(const exec&, const In&, Values&&, Lengths&&, const Count&) {
  detail::run_lengths_checks<In, equal_to, Values, Lengths, Count>::failing::explain();
}

}  // namespace ballot
