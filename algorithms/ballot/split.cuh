// Split: first the items that a predicate or flags select, then the rejected items, both groups in their order.
//
//     ballot::split(gpu, particles, is_inside{}, inside, outside, inside_count);  // two outputs: one pass
//     ballot::split(gpu, keys, has_bit{3}, sorted_by_bit, count);                // one output: selected, then rejected
//
//     ballot::split(gpu, ballot::zip{keys, ids}, ballot::on_first{has_bit{3}}, ballot::zip{keys2, ids2}, count);
//
// in, select, count: as for compact (compact.cuh), zips too
// selected, rejected: two outputs, as compact's out. Either may be shorter than the input: items that do not fit are
//                     dropped. The count still includes all selected items; n - count items are rejected
// out:                one output, as long as the input
//
// Stable in both groups, and deterministic. Scratch: split_scratch_bytes<T...>(n) for the types of the columns, 8 bytes
// a tile (with one output also 16 bytes for each tile of a scan of the tiles' counts). Work on the stream: with two
// outputs a fill of the tile states and one kernel, which reads and writes each item once. With one output the same, as
// long as all tiles run at once (on an H200: 4 million items of up to 4 bytes, fewer larger ones). With more items, the
// number of selected items must be known before the first rejected item is written: a kernel counts each tile (it reads
// what the predicate reads, or the flags), an exclusive scan of the counts follows (a fill and a kernel, tiny), and
// then a kernel that moves the items and evaluates the predicate or flags again. Errors: as for compact, and
// invalid_argument for one output of another length than the input.
// Source: Blelloch 1990 (split); Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/launch.cuh>

#include <algorithm>

namespace ballot {

// Bytes of scratch that split needs for n items of columns T... Pure.
template <class... T>
std::size_t split_scratch_bytes(std::uint64_t n) {
  using detail::rejects;
  return std::max(detail::partition_scratch_bytes<rejects::second_output, T...>(n),
                  detail::partition_scratch_bytes<rejects::after_selected, T...>(n));
}

template <detail::input_table In, class Select, detail::output_table Selected, detail::output_table Rejected>
void split(const exec& where, const In& in, const Select& select, Selected&& selected, Rejected&& rejected,
           device_count count) {
  constexpr const char* function = "split";
  const auto inputs = detail::as_inputs(in);
  const auto first = detail::as_outputs(selected), second = detail::as_outputs(rejected);
  const auto written = detail::with_count(std::tuple_cat(first, second), count, function);
  detail::require_inputs(inputs, function);
  detail::require_outputs(inputs, written, function);
  detail::require_apart_from_flags(select, written, function);
  [&]<class... I>(const std::tuple<I...>&) {
    constexpr detail::rejects rejects = detail::rejects::second_output;
    using shapes = detail::partition_shapes<rejects, detail::selects_by_flags<Select>, typename I::value_type...>;
    constexpr int width = shapes::many::width;
    const detail::length n = detail::length_of(inputs);
    detail::launch_tuned_partition<rejects, shapes>(
        where, detail::partition_scratch_bytes<rejects, typename I::value_type...>(n.capacity), n,
        detail::make_device_columns<width>(inputs, first, second),
        detail::make_selector<width, true>(select, inputs, function), count.address(), function);
  }(inputs);
}

template <detail::input_table In, class Select, detail::output_table Out>
void split(const exec& where, const In& in, const Select& select, Out&& out, device_count count) {
  constexpr const char* function = "split";
  const auto inputs = detail::as_inputs(in);
  const auto outputs = detail::as_outputs(out);
  const auto written = detail::with_count(outputs, count, function);
  detail::require_inputs(inputs, function);
  detail::require_outputs(inputs, written, function);
  detail::require_lengths(outputs, detail::length_of(inputs).capacity, function);
  detail::require_apart_from_flags(select, written, function);
  [&]<class... I>(const std::tuple<I...>&) {
    constexpr detail::rejects rejects = detail::rejects::after_selected;
    using shapes = detail::partition_shapes<rejects, detail::selects_by_flags<Select>, typename I::value_type...>;
    constexpr int width = shapes::many::width;
    const detail::length n = detail::length_of(inputs);
    detail::launch_tuned_partition<rejects, shapes>(
        where, detail::partition_scratch_bytes<rejects, typename I::value_type...>(n.capacity), n,
        detail::make_device_columns<width>(inputs, outputs, outputs),
        detail::make_selector<width, true>(select, inputs, function), count.address(), function);
  }(inputs);
}

}  // namespace ballot
