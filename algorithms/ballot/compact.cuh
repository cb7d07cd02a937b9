// Stream compaction: the items that a predicate or flags keep, in order, without gaps.
//
//     ballot::device_value<std::uint64_t> hits(stream);
//     ballot::compact(gpu, pairs, is_hit{}, colliding, hits);
//     ballot::compact(gpu, ballot::zip{at, speed, id}, is_alive{}, ballot::zip{at2, speed2, id2}, alive);   // one launch
//     ballot::compact_indices(gpu, cells, is_full{}, full_cells, full_count);
//     ballot::compact_in_place(gpu, ballot::zip{at, speed, id}, ballot::on_first{is_inside{}}, alive);
//
// in:    contiguous device range (or `counted`) of a trivially copyable T of up to 128 bytes; `positions`; or a zip of
//        such (detail/common/zip.cuh), of which the first may be counted
// keep:  a function object bool(const T&) callable on the device (for a zip one that takes an item of each range, or
//        on_first{...}), or byte_flags / bit_flags with a flag for every item. It is asked once or more about an item
// out:   device range of T (or a zip of as many as the input has), apart from the inputs, the flags and each other. It
//        may be shorter than the input: kept items that do not fit are dropped, and the count still tells how many
//        there were
// count: device address (or device_value) of one std::uint64_t, the number of kept items; also written where n = 0.
//        Apart from all else, the length of a counted input, too
//
// Stable and deterministic. Scratch: compact_scratch_bytes<T...>(n) for the types of the columns, 8 bytes a tile. Work on
// the stream: a fill of the tile states and one kernel. Bytes moved: the input, the flags, and what is kept, once each;
// of a selection by flags, vectors of up to 16 bytes without a kept item are not read; a predicate on several ranges
// reads them a second time, from the cache. Errors (before any work): invalid_argument for null with n > 0, no count,
// too few flags, lengths of a zip that differ, more positions than their type counts, overlap, scratch too small or
// misaligned; cuda_error from the launch.
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/in_place.cuh>
#include <ballot/detail/partition/launch.cuh>

namespace ballot {

// Bytes of scratch that compact needs for n items of columns T... Pure.
template <class... T>
std::size_t compact_scratch_bytes(std::uint64_t n) {
  return detail::partition_scratch_bytes<detail::rejects::dropped, T...>(n);
}

template <detail::input_table In, class Keep, detail::output_table Out>
void compact(const exec& where, const In& in, const Keep& keep, Out&& out, device_count count) {
  constexpr const char* function = "compact";
  const auto inputs = detail::as_inputs(in);
  const auto kept = detail::as_outputs(out);
  const auto written = detail::with_count(kept, count, function);
  detail::require_inputs(inputs, function);
  detail::require_outputs(inputs, written, function);
  detail::require_apart_from_flags(keep, written, function);
  detail::select_items<detail::rejects::dropped>(where, inputs, keep, kept, std::tuple(), count.address(), function);
}

// Bytes of scratch that compact_indices needs for n items T... (what the predicate sees). Pure.
template <std::unsigned_integral Index, class... T>
std::size_t compact_indices_scratch_bytes(std::uint64_t n) {
  return detail::partition_scratch_bytes<detail::rejects::dropped, Index, T...>(n);
}

// The positions of the kept items, ascending: u32 (for up to 2^32 items) or u64. The items are read, not written; with
// flags, and with `positions` as the input, nothing but the flags is read.
template <detail::input_table In, class Keep, detail::output_range Indices>
void compact_indices(const exec& where, const In& in, const Keep& keep, Indices&& indices, device_count count) {
  constexpr const char* function = "compact_indices";
  const auto inputs = detail::as_inputs(in);
  const auto out = detail::as_outputs(indices);
  const auto written = detail::with_count(out, count, function);
  detail::require_inputs(inputs, function, detail::selects_by_flags<Keep>);
  detail::require_outputs(inputs, written, function);
  detail::require_apart_from_flags(keep, written, function);
  detail::select_positions(where, inputs, keep, out, count.address(), function);
}

// Bytes of scratch that compact_in_place needs for n items of ranges T...; of a zip also n / 8 for its flags. Pure.
template <class... T>
std::size_t compact_in_place_scratch_bytes(std::uint64_t n) {
  return detail::compact_in_place_scratch_bytes_of<T...>(n);
}

// Compaction within a range, or within each range of a zip: the kept items move to the front, what lies behind them is
// left over. `length`, a device address or null, limits it to the first *length items; it and flags are apart from the
// items and the count. A tile reads its items before it tells later tiles of itself, and they write only then
// (detail/partition/tile_offsets.cuh has the argument). That holds for one range; of a zip, one kernel writes the flags as bits
// (it reads what keep reads), and then each range is a compaction by them. Otherwise as compact.
template <detail::output_table Items, class Keep>
void compact_in_place(const exec& where, Items&& items, const Keep& keep, device_count count,
                      const std::uint64_t* length = nullptr) {
  constexpr const char* function = "compact_in_place";
  const auto all = detail::as_outputs(items);
  const auto written = detail::require_in_place(all, count, length, function);
  detail::require_apart_from_flags(keep, written, function);
  detail::launch_compact_in_place(where, all, detail::length{std::get<0>(all).size, length}, keep, count.address(),
                                  function);
}

}  // namespace ballot
