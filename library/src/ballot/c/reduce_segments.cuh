// SPDX-License-Identifier: Apache-2.0
// The instances of reductions of segments: included by the sources that library/instances.cmake
// generates.
#pragma once

#include <ballot/c/reduce_segment_calls.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/detail/segmented_reduce/launch.cuh>

namespace ballot_c {

template <class T, class In, class Op>
void reduce_segments(ballot::stream_t stream, std::byte* scratch, const input<In>& in, const segments_request<T>& r,
                     const Op& op) {
  const auto run = [&]<class Sum>(const auto& out, Sum initial) {
    ballot::detail::launch_segmented_reduce<ballot::device::items_as<Sum>>(stream, scratch, in, r.segments, r.out.size,
                                                                           initial, op, out, r.function);
  };
  if constexpr (is_short_float<T>) {  // as sums of scans, rounded once
    using rounded = ballot::detail::cast_output<float, output<T>>;
    run(ballot::detail::view_output<rounded>{{{r.out}}, r.out.size}, static_cast<float>(r.initial));
  } else {
    run(r.out, r.initial);
  }
}
template <class U>
void arg_first_of_segments(ballot::stream_t stream, std::byte* scratch, const input<U>& in,
                           const segments_request<ballot::indexed<U>>& r, const first_by<U>& first) {
  ballot::detail::launch_segmented_reduce<first_by<U>>(stream, scratch, in, r.segments, r.out.size, r.initial, first,
                                                       r.out, r.function);
}

}  // namespace ballot_c
