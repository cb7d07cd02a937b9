// SPDX-License-Identifier: Apache-2.0
// Stores a count of 0: for calls without items, and before a kernel that adds to it.
#pragma once

#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

inline void clear_counts(stream_t stream, const device_count& count, std::uint64_t counts = 1) {
  simt::fill_bytes(stream, count.address(), 0, counts * count.type().bytes());
}

template <class Count>
__global__ void clear_count_kernel(Count* count) {
  simt::let_next_launch_begin();
  *count = 0;
}

// For a kernel that overlaps this launch and waits for it (compare device/clear_words.cuh).
inline void launch_clear_count(stream_t stream, const device_count& count) {
  const simt::launch_config config{dim3(1), dim3(1), 0, stream};
  if (count.type().is_wide)
    simt::launch(clear_count_kernel<std::uint64_t>, config, static_cast<std::uint64_t*>(count.address()));
  else simt::launch(clear_count_kernel<std::uint32_t>, config, static_cast<std::uint32_t*>(count.address()));
}

}  // namespace ballot::detail
