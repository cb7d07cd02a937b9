// SPDX-License-Identifier: Apache-2.0
// Do two pieces of device memory hold the same?
#pragma once

#include <ballot/core/namespace.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ballot::bench {

// The position of the first byte where they differ, rounded down to a word of 4 bytes; none where
// they are equal. Waits.
std::optional<std::uint64_t> first_difference(const void* a, const void* b, std::uint64_t bytes, cudaStream_t stream);

}  // namespace ballot::bench
