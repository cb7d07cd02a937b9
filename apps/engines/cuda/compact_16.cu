// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/device_compact.cuh"

namespace ballot::app {

template struct device_compact<std::uint16_t>;
template struct device_compact<std::int16_t>;
template struct device_compact_by_flags<std::uint16_t>;

}  // namespace ballot::app
