// SPDX-License-Identifier: Apache-2.0
// How many items a predicate or flags select: the count of compact, without moving anything.
//
//     ballot::count_if(gpu, particles, is_alive{}, alive);
//     ballot::count_if(gpu, ballot::positions(n), ballot::bit_flags{words}, set_bits);
//
// in, select: as for compact (compact.cuh): ranges, views, zips. With flags, the items are not read
// count:      a device address (or device_value) of one integer of 4 or 8 bytes, signed or not. It
//             must not overlap any other argument, including a device-side length
//
// Deterministic. No scratch.
//
// Work on the stream: one kernel of one block for a few thousand items. Otherwise two kernels: the
// first clears the count. In the second, which begins while the first ends, each block adds to the
// count once. For n = 0 only a fill.
//
// Errors: as for compact.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/partition/launch.cuh>

namespace ballot {

namespace detail {

template <class In, class Select, class Count>
using count_if_checks = checks<input_table_check<In>, selector_check<Select, In>, count_check<Count>>;

}  // namespace detail

template <input_table In, selector_of<In> Select>
void count_if(const exec& where, const In& in, const Select& select, device_count count) {
  constexpr const char* function = "count_if";
  const auto inputs = detail::as_inputs(in);
  const detail::length n = detail::length_of(inputs);
  detail::require_columns(function, "in", inputs, !detail::selects_by_flags<Select>);
  detail::require_count(function, "count", count, n.capacity);
  detail::require_select(function, select, n.capacity);
  detail::require_arguments(
      function, where, 0, {detail::argument_of("count", count)},
      {detail::arguments_of("in", inputs), detail::argument_of("in.length", n), detail::argument_of_select(select)});
  [&]<class... I>(const std::tuple<I...>&) {
    using shape = detail::partition_shape<detail::rejects::dropped, typename I::value_type...>;
    const auto selector = detail::make_selector<shape::width, true>(select, inputs);
    const auto source = detail::make_source<shape::width>(std::get<0>(inputs));
    detail::launch_count_all<shape>(where.stream(), source, n, selector, count);
  }(inputs);
}
template <class In, class Select, class Count>
  requires(!detail::count_if_checks<In, Select, Count>::ok)
void count_if(const exec&, const In&, const Select&, const Count&) {
  detail::count_if_checks<In, Select, Count>::failing::explain();
}

}  // namespace ballot
