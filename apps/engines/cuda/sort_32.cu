// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/device_sort.cuh"

namespace ballot::app {

template struct device_sort<std::uint32_t>;
template struct device_sort<std::int32_t>;
template struct device_sort<float>;

}  // namespace ballot::app
