// SPDX-License-Identifier: Apache-2.0
// The instances of sorts: included by the sources that library/instances.cmake generates.
#pragma once

#include <ballot/c/sort.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/launch.cuh>
#include <ballot/detail/segmented_sort/launch.cuh>

namespace ballot_c {

template <class U, class W>
void sort_words(ballot::stream_t stream, std::byte* scratch, const sort_request<U, W>& r) {
  ballot::detail::launch_radix_sort<U, W>(stream, scratch,
                                          {r.keys, r.keys_out, r.values, r.values_out, r.keys_spare, r.values_spare},
                                          r.codec, ballot::detail::radix_digit_plan{r.bits.low, r.bits.high});
}

template <class U, class W>
std::size_t sort_words_bytes(u64 n, sort_use use) {
  using ballot::detail::sort_mode;
  const sort_mode mode = use == sort_use::out_of_place  ? sort_mode::out_of_place
                         : use == sort_use::in_place    ? sort_mode::in_place
                         : use == sort_use::values_only ? sort_mode::values_only
                                                        : sort_mode::double_buffer;
  return ballot::detail::radix_scratch_bytes<U, W>(n, mode);
}

template <class U, class W>
std::size_t segmented_sort_words_bytes(u64 n, u64 longest) {
  return ballot::detail::segmented_sort_bytes<U, W>(n, false, longest);
}

template <class U, class W>
bool segmented_sort_has_room_for(u64 row) {
  return ballot::detail::sorts_rows_in_blocks<U>(row);
}

template <class U, class W>
void segmented_sort_words(ballot::stream_t stream, std::byte* scratch, const segmented_sort_request<U, W>& r,
                          const char* function) {
  ballot::detail::scratch_carver carver(scratch);
  ballot::detail::segment_sort_arguments<U, ballot::detail::any_offsets, W> a{};
  a.keys = r.keys.data;
  a.n = r.keys.length;
  a.offsets = r.at;
  a.segments = r.segments;
  a.layout = {r.codec, r.bits.low, r.bits.high};
  a.keys_out = r.keys_out;
  a.values = r.values;
  a.values_out = r.values_out;
  ballot::detail::launch_segment_sort(stream, carver, a, function, r.longest);
}

}  // namespace ballot_c
