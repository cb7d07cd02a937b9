// SPDX-License-Identifier: Apache-2.0
// The instances of histograms: included by the sources that library/instances.cmake generates.
#pragma once

#include <ballot/c/histogram.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/histogram/launch.cuh>

namespace ballot_c {

template <class U>
void histogram(ballot::stream_t stream, const input<U>& in, const bin_of_word<U>& bin_of,
               const ballot::device_count& counts, u32 bins, const ballot::device_count& outside) {
  using namespace ballot::detail;
  const auto plan =
      histogram_plan::of(in.capacity(), bins, ballot::simt::shared_bytes_limit() - sizeof(histogram_storage));
  launch_histogram(stream, plan, in, bin_of, counts, bins, outside);
}

}  // namespace ballot_c
