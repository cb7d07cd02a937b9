// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/device_compact.cuh"

namespace ballot::app {

template struct device_compact<std::uint64_t>;
template struct device_compact<std::int64_t>;
template struct device_compact<double>;
template struct device_compact_by_flags<std::uint64_t>;

}  // namespace ballot::app
