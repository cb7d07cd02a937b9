// How many items a predicate or flags keep: the number that compact would leave, without moving anything.
//
//     ballot::count_if(gpu, particles, is_alive{}, alive);
//     ballot::count_if(gpu, ballot::positions(n), ballot::bit_flags{words}, set_bits);
//
// in, keep: as for compact (compact.cuh); in is read only by a predicate. count: a device address of one std::uint64_t,
// apart from what is read, the length of a counted input, too.
// Deterministic. No scratch. Work on the stream: a fill of 8 bytes and one kernel, whose blocks add once each; where
// n = 0 the fill alone. Errors as for compact.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/launch.cuh>

namespace ballot {

template <detail::input_table In, class Keep>
void count_if(const exec& where, const In& in, const Keep& keep, device_count count) {
  constexpr const char* function = "count_if";
  const auto inputs = detail::as_inputs(in);
  const auto written = detail::with_count(std::tuple(), count, function);
  detail::require_inputs(inputs, function, detail::selects_by_flags<Keep>);
  detail::require_outputs(inputs, written, function);
  detail::require_apart_from_flags(keep, written, function);
  [&]<class... I>(const std::tuple<I...>&) {
    using shape = detail::partition_shape<detail::rejects::dropped, typename I::value_type...>;
    const auto selector = detail::make_selector<shape::width, true>(keep, inputs, function);
    const auto from = detail::make_source<shape::width>(std::get<0>(inputs));
    simt::fill_bytes(where.stream(), count.address(), 0, sizeof(std::uint64_t));
    detail::launch_count<shape>(where.stream(), from, detail::length_of(inputs), selector, count.address());
  }(inputs);
}

}  // namespace ballot
