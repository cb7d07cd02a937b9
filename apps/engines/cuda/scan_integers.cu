// SPDX-License-Identifier: Apache-2.0
// Cumulative sums of rows of integers: they wrap, so an unsigned type stands for the signed one of
// its width.
#include "engines/cuda/device_scan.cuh"

namespace ballot::app {
template struct device_scan<std::uint8_t, std::uint8_t>;
template struct device_scan<std::uint16_t, std::uint16_t>;
template struct device_scan<std::uint32_t, std::uint32_t>;
template struct device_scan<std::uint64_t, std::uint64_t>;
}  // namespace ballot::app
