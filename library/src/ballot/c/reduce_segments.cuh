// SPDX-License-Identifier: Apache-2.0
// The instances of reductions of segments: included by the sources that library/instances.cmake generates.
#pragma once

#include <ballot/c/reduce_segment_calls.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_reduce/launch.cuh>

namespace ballot_c {

template <class T, class In, class Op>
void reduce_segments(ballot::stream_t stream, std::byte* scratch, const input<In>& in, const segments_request<T>& r,
                     const Op& op) {
  ballot::detail::launch_segmented_reduce<ballot::device::items_as<T>>(stream, scratch, in, r.segments, r.out.size,
                                                                       r.initial, op, r.out, r.function);
}
template <class U>
void arg_first_of_segments(ballot::stream_t stream, std::byte* scratch, const input<U>& in,
                           const segments_request<ballot::indexed<U>>& r, const first_by<U>& first) {
  ballot::detail::launch_segmented_reduce<first_by<U>>(stream, scratch, in, r.segments, r.out.size, r.initial, first,
                                                       r.out, r.function);
}

}  // namespace ballot_c
