// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/device_sort.cuh"

namespace ballot::app {

template struct device_sort<std::uint64_t>;
template struct device_sort<std::int64_t>;
template struct device_sort<double>;

}  // namespace ballot::app
