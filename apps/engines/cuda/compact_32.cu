// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/device_compact.cuh"

namespace ballot::app {

template struct device_compact<std::uint32_t>;
template struct device_compact<std::int32_t>;
template struct device_compact<float>;
template struct device_compact_by_flags<std::uint32_t>;

}  // namespace ballot::app
