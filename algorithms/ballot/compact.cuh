// Stream compaction: the items that a predicate or flags select, in order, without gaps.
//
//     ballot::device_value<std::uint64_t> hits(stream);
//     ballot::compact(gpu, pairs, is_hit{}, colliding, hits);
//     ballot::compact(gpu, ballot::zip{at, speed, id}, is_alive{}, ballot::zip{at2, speed2, id2}, alive);
//     ballot::compact_indices(gpu, cells, is_full{}, full_cells, full_count);
//     ballot::compact_in_place(gpu, ballot::zip{at, speed, id}, ballot::on_first{is_inside{}}, alive);
//
// in:     contiguous device range (or `counted`) of a trivially copyable T of up to 128 bytes; or `positions`; or a zip
//         of these (detail/common/zip.cuh), of which the first may be counted
// select: a function object bool(const T&), callable on the device (for a zip: of an item of each range, or
//         on_first{...}); or byte_flags / bit_flags with a flag for every item. It may be called more than once for an
//         item
// out:    device range of T (or a zip of as many as the input has). It must not overlap the inputs, the flags, or
//         another output. It may be shorter than the input: selected items that do not fit are dropped, and the count
//         still includes them
// count:  device address (or device_value) of one std::uint64_t: the number of selected items, also written for n = 0.
//         It must not overlap any other argument, including a device-side length
//
// Stable and deterministic. Scratch: compact_scratch_bytes<T...>(n) for the types of the columns, 8 bytes a tile. Work
// on the stream: a fill of the tile states and one kernel. Bytes moved: the input, the flags and the selected items,
// once each. A selection by flags does not read vectors of up to 16 bytes without a selected item. A predicate of
// several ranges reads them a second time, from the cache. Errors, before any work: invalid_argument for null with
// n > 0, no count, too few flags, different lengths in a zip, more positions than their type counts, overlap, scratch
// that is too small or misaligned; cuda_error from the launch.
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/in_place.cuh>
#include <ballot/detail/partition/launch.cuh>

#include <concepts>
#include <limits>

namespace ballot {

// Bytes of scratch that compact needs for n items of columns T... Pure.
template <class... T>
std::size_t compact_scratch_bytes(std::uint64_t n) {
  return detail::partition_scratch_bytes<detail::rejects::dropped, T...>(n);
}

template <detail::input_table In, class Select, detail::output_table Out>
void compact(const exec& where, const In& in, const Select& select, Out&& out, device_count count) {
  constexpr const char* function = "compact";
  const auto inputs = detail::as_inputs(in);
  const auto selected = detail::as_outputs(out);
  const auto written = detail::with_count(selected, count, function);
  detail::require_inputs(inputs, function);
  detail::require_outputs(inputs, written, function);
  detail::require_apart_from_flags(select, written, function);
  [&]<class... I>(const std::tuple<I...>&) {
    using shapes =
        detail::partition_shapes<detail::rejects::dropped, detail::selects_by_flags<Select>, typename I::value_type...>;
    constexpr int width = shapes::many::width;
    const detail::length n = detail::length_of(inputs);
    detail::launch_tuned_partition<detail::rejects::dropped, shapes>(
        where, compact_scratch_bytes<typename I::value_type...>(n.capacity), n,
        detail::make_device_columns<width>(inputs, selected, std::tuple()),
        detail::make_selector<width, true>(select, inputs, function), count.address(), function);
  }(inputs);
}

// Bytes of scratch that compact_indices needs for n items T... (of the predicate). Pure.
template <std::unsigned_integral Index, class... T>
std::size_t compact_indices_scratch_bytes(std::uint64_t n) {
  return detail::partition_scratch_bytes<detail::rejects::dropped, Index, T...>(n);
}

// The positions of the selected items, ascending. Indices: device range of u32 (for up to 2^32 items) or u64. Items are
// read, not written. With flags, or with `positions` as the input, only the flags are read.
template <detail::input_table In, class Select, output_range Indices>
void compact_indices(const exec& where, const In& in, const Select& select, Indices&& indices, device_count count) {
  constexpr const char* function = "compact_indices";
  const auto inputs = detail::as_inputs(in);
  const auto out = detail::as_outputs(indices);
  using Index = typename decltype(detail::as_output(indices))::value_type;
  static_assert(std::unsigned_integral<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8), "indices are u32 or u64");
  const auto written = detail::with_count(out, count, function);
  detail::require_inputs(inputs, function, detail::selects_by_flags<Select>);
  detail::require_outputs(inputs, written, function);
  detail::require_apart_from_flags(select, written, function);
  const detail::length n = detail::length_of(inputs);
  detail::require(n.capacity == 0 || n.capacity - 1 <= std::numeric_limits<Index>::max(), function,
                  "more items than the index type counts");
  [&]<class... I>(const std::tuple<I...>&) {
    // By flags only the flags are read: the tiles are large then, too.
    using shapes = detail::partition_shapes<detail::rejects::dropped, false, Index, typename I::value_type...>;
    constexpr int width = shapes::many::width;
    const std::tuple positions(detail::position_input<Index>{n});
    detail::launch_tuned_partition<detail::rejects::dropped, shapes>(
        where, compact_indices_scratch_bytes<Index, typename I::value_type...>(n.capacity), n,
        detail::make_device_columns<width>(positions, out, std::tuple()),
        detail::make_selector<width, false>(select, inputs, function), count.address(), function);
  }(inputs);
}

// Bytes of scratch that compact_in_place needs for n items of ranges T...; for a zip also n / 8 for its flags. Pure.
template <class... T>
std::size_t compact_in_place_scratch_bytes(std::uint64_t n) {
  return detail::compact_in_place_scratch_bytes_of<T...>(n);
}

// Compaction within a range, or within each range of a zip: the selected items move to the front. The items behind them
// are unspecified. length: a device address or null; limits the call to the first *length items. Neither the length nor
// flags may overlap the items or the count. One range is one launch: a tile reads its items before it publishes its
// state, and later tiles write only after that (detail/partition/tile_offsets.cuh has the argument). For a zip, one
// kernel writes the flags as bits (it reads what `select` reads), and then each range is compacted by them. Otherwise
// as compact.
template <detail::output_table Items, class Select>
void compact_in_place(const exec& where, Items&& items, const Select& select, device_count count,
                      const std::uint64_t* length = nullptr) {
  constexpr const char* function = "compact_in_place";
  const auto ranges = detail::as_outputs(items);
  const auto written = detail::require_in_place(ranges, count, length, function);
  detail::require_apart_from_flags(select, written, function);
  detail::launch_compact_in_place(where, ranges, detail::length{std::get<0>(ranges).size, length}, select,
                                  count.address(), function);
}

}  // namespace ballot
