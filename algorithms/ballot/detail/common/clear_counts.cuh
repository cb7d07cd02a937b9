// SPDX-License-Identifier: Apache-2.0
// Stores a count of 0, for calls without items.
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

}  // namespace ballot::detail
