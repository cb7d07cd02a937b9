// How many items a predicate or flags select: the count of compact, without moving anything.
//
//     ballot::count_if(gpu, particles, is_alive{}, alive);
//     ballot::count_if(gpu, ballot::positions(n), ballot::bit_flags{words}, set_bits);
//
// in, select: as for compact (compact.cuh). in is read only by a predicate
// count:      a device address (or device_value) of one std::uint64_t. It must not overlap any other argument,
//             including a device-side length
//
// Deterministic. No scratch. Work on the stream: a fill of 8 bytes and one kernel, in which each block adds once; for
// n = 0 only the fill. Errors: as for compact.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/launch.cuh>

namespace ballot {

template <detail::input_table In, class Select>
void count_if(const exec& where, const In& in, const Select& select, device_count count) {
  constexpr const char* function = "count_if";
  const auto inputs = detail::as_inputs(in);
  const auto written = detail::with_count(std::tuple(), count, function);
  detail::require_inputs(inputs, function, detail::selects_by_flags<Select>);
  detail::require_outputs(inputs, written, function);
  detail::require_apart_from_flags(select, written, function);
  [&]<class... I>(const std::tuple<I...>&) {
    using shape = detail::partition_shape<detail::rejects::dropped, typename I::value_type...>;
    const auto selector = detail::make_selector<shape::width, true>(select, inputs, function);
    const auto source = detail::make_source<shape::width>(std::get<0>(inputs));
    simt::fill_bytes(where.stream(), count.address(), 0, sizeof(std::uint64_t));
    detail::launch_count<shape>(where.stream(), source, detail::length_of(inputs), selector, count.address());
  }(inputs);
}

}  // namespace ballot
