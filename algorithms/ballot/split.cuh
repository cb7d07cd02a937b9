// SPDX-License-Identifier: Apache-2.0
// Split: first the items that a predicate or flags select, then the rejected items, both groups in
// their order.
//
//     // Two outputs: one pass.
//     ballot::split(gpu, particles, is_inside{}, inside, outside, inside_count);
//     // One output: selected, then rejected.
//     ballot::split(gpu, keys, has_bit{3}, sorted_by_bit, count);
//     ballot::split(gpu, ballot::zip{keys, ids}, ballot::on_first{has_bit{3}},
//                   ballot::zip{keys2, ids2}, count);
//     // Rejected ones from the end on.
//     ballot::split_to_both_ends(gpu, keys, has_bit{3}, sorted_by_bit, count);
//
// in, select, count:   as for compact (compact.cuh): views and zips, too
// selected, rejected:  two outputs, as compact's out: ranges or output views, or a zip of these.
//                      Either may be shorter than the input: items that do not fit are dropped. The
//                      count still includes all selected items; n - count items are rejected
// out:                 one output, as compact's, as long as the input. An appended output counts as
//                      one that ends n items after its offset; items that do not fit are dropped
//
// Stable in both groups, and deterministic.
//
// Scratch: split_scratch_bytes<T...>(n) for the types of the columns, 8 bytes a tile. With one
// output also 16 bytes for each tile of a scan of the tiles' counts.
//
// Work on the stream: with two outputs, a kernel clears the tile states. A second one begins while
// the first ends, and reads and writes each item once. For one tile, and from sm_90 on for up to 16
// tiles, the first is not launched. With one output, the same holds as long as all tiles can run at
// the same time. On an H200 this is the case for up to 4 million items of up to 4 bytes, and for
// fewer items if they are larger.
//
// With more items and one output, the number of selected items must be known before the first
// rejected item is written. So one kernel counts the selected items of each tile. It reads what the
// predicate reads, or the flags. Two tiny kernels scan the counts. The last kernel evaluates the
// predicate or flags again, and moves the items.
//
// Errors: as for compact, and invalid_argument for one output of another length than the input.
//
// Source: Blelloch 1990 (split). Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/partition/launch.cuh>
#include <ballot/detail/partition/precomputed_launch.cuh>
#include <ballot/outputs.cuh>

namespace ballot {

namespace detail {

template <class In, class Select, class Selected, class Rejected, class Count>
using split_checks = checks<input_table_check<In>, selector_check<Select, In>, output_table_or_view_check<Selected, In>,
                            output_table_or_view_check<Rejected, In>, count_check<Count>>;
template <class In, class Select, class Out, class Count>
using split_into_one_checks =
    checks<input_table_check<In>, selector_check<Select, In>, output_table_or_view_check<Out, In>, count_check<Count>>;

// The caller has checked all arguments except the size of the scratch. `rejected`: a second_output,
// or else of the types of `selected`.
template <rejects Rejects, class... I, class Select, class... Selected, class... Rejected>
void launch_split(const exec& where, const std::tuple<I...>& inputs, const Select& select,
                  const std::tuple<Selected...>& selected, const std::tuple<Rejected...>& rejected,
                  const device_count& count, const char* function = "split") {
  using shapes = partition_shapes<Rejects, selects_by_flags<Select>, typename I::value_type...>;
  constexpr int width = shapes::many::width;
  const length n = length_of(inputs);
  launch_tuned_partition<Rejects, shapes>(where,
                                          partition_scratch_bytes<Rejects, typename I::value_type...>(n.capacity), n,
                                          make_device_columns<width>(inputs, selected, rejected),
                                          make_selector<width, true>(select, inputs), count, function);
}

template <class... I, class Select, class... Selected, class... Rejected>
void split(const exec& where, const std::tuple<I...>& inputs, const Select& select,
           const std::tuple<Selected...>& selected, const std::tuple<Rejected...>& rejected,
           const device_count& count) {
  constexpr const char* function = "split";
  constexpr detail::rejects rejects = rejects::second_output;
  const length n = length_of(inputs);
  require_columns(function, "in", inputs);
  require_count(function, "count", count, n.capacity);
  require_select(function, select, n.capacity);
  require_arguments(
      function, where, partition_scratch_bytes<rejects, typename I::value_type...>(n.capacity),
      {arguments_of("selected", selected), arguments_of("rejected", rejected), argument_of("count", count)},
      {arguments_of("in", inputs), argument_of("in.length", n), argument_of_select(select),
       lengths_of("selected.offset", selected), lengths_of("rejected.offset", rejected)});
  launch_split<rejects>(where, inputs, select, selected, rejected, count);
}

// Into one output. The rejected items go after the selected ones, or to the end of the output in
// reverse.
template <rejects Rejects, class... I, class Select, class... Out>
length require_one_output(const exec& where, const std::tuple<I...>& inputs, const Select& select,
                          const std::tuple<Out...>& outputs, const device_count& count, const char* function) {
  const length n = length_of(inputs);
  require_columns(function, "in", inputs);
  for_each(outputs, [&](const auto& out) { require_same_length(function, "in", n.capacity, "out", out.size); });
  require_count(function, "count", count, n.capacity);
  require_select(function, select, n.capacity);
  require_arguments(function, where, partition_scratch_bytes<Rejects, typename I::value_type...>(n.capacity),
                    {arguments_of("out", outputs), argument_of("count", count)},
                    {arguments_of("in", inputs), argument_of("in.length", n), argument_of_select(select),
                     lengths_of("out.offset", outputs)});
  return n;
}

template <class... I, class Select, class... Out>
void split(const exec& where, const std::tuple<I...>& inputs, const Select& select, const std::tuple<Out...>& outputs,
           const device_count& count) {
  constexpr detail::rejects rejects = rejects::after_selected;
  require_one_output<rejects>(where, inputs, select, outputs, count, "split");
  launch_split<rejects>(where, inputs, select, outputs, outputs, count);
}

template <class... I, class Select, class... Out>
void split_to_both_ends(const exec& where, const std::tuple<I...>& inputs, const Select& select,
                        const std::tuple<Out...>& outputs, const device_count& count) {
  constexpr const char* function = "split_to_both_ends";
  constexpr detail::rejects rejects = rejects::second_output;
  const length n = require_one_output<rejects>(where, inputs, select, outputs, count, function);
  const auto from_end = std::apply(
      [&](const Out&... out) {
        return std::tuple(as_output(reversed_output<Out>{{out}, n})...);
      },
      outputs);
  launch_split<rejects>(where, inputs, select, outputs, from_end, count, function);
}

}  // namespace detail

/// Bytes of scratch that split needs for n items of columns T... Pure.
template <class... T>
std::size_t split_scratch_bytes(std::uint64_t n) {
  using detail::rejects;
  return detail::bytes_at_any_address(
      detail::larger(detail::partition_scratch_bytes<rejects::second_output, T...>(n),
                     detail::partition_scratch_bytes<rejects::after_selected, T...>(n)));
}

template <input_table In, selector_of<In> Select, output_table_or_view_of<In> Selected,
          output_table_or_view_of<In> Rejected>
void split(const exec& where, const In& in, const Select& select, Selected&& selected, Rejected&& rejected,
           device_count count) {
  detail::split(where, detail::as_inputs(in), select, detail::as_outputs(selected), detail::as_outputs(rejected),
                count);
}
template <class In, class Select, class Selected, class Rejected, class Count>
  requires(!detail::split_checks<In, Select, Selected, Rejected, Count>::ok)
void split(const exec&, const In&, const Select&, Selected&&, Rejected&&, const Count&) {
  detail::split_checks<In, Select, Selected, Rejected, Count>::failing::explain();
}

template <input_table In, selector_of<In> Select, output_table_or_view_of<In> Out>
void split(const exec& where, const In& in, const Select& select, Out&& out, device_count count) {
  detail::split(where, detail::as_inputs(in), select, detail::as_outputs(out), count);
}
template <class In, class Select, class Out, class Count>
  requires(!detail::split_into_one_checks<In, Select, Out, Count>::ok)
void split(const exec&, const In&, const Select&, Out&&, const Count&) {
  detail::split_into_one_checks<In, Select, Out, Count>::failing::explain();
}

/// The selected items go to the start of one output, in order. The rejected ones go to its end, in
/// reverse: rejected item k of the n items goes to out[n - 1 - k]. One pass for any number of
/// items, as into two outputs.
template <input_table In, selector_of<In> Select, output_table_or_view_of<In> Out>
void split_to_both_ends(const exec& where, const In& in, const Select& select, Out&& out, device_count count) {
  detail::split_to_both_ends(where, detail::as_inputs(in), select, detail::as_outputs(out), count);
}
template <class In, class Select, class Out, class Count>
  requires(!detail::split_into_one_checks<In, Select, Out, Count>::ok)
void split_to_both_ends(const exec&, const In&, const Select&, Out&&, const Count&) {
  detail::split_into_one_checks<In, Select, Out, Count>::failing::explain();
}

}  // namespace ballot
