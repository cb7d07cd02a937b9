// SPDX-License-Identifier: Apache-2.0
// Cumulative sums of rows of floats, in each accumulator.
#include "engines/cuda/device_scan.cuh"

namespace ballot::app {
template struct device_scan<float, float>;
template struct device_scan<float, double_float>;
template struct device_scan<float, double>;
template struct device_scan<double, double>;
}  // namespace ballot::app
