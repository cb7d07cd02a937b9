// SPDX-License-Identifier: Apache-2.0
// Definitions for device_algorithms.hpp: a translation unit includes this and instantiates some
// types.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/cuda/device_algorithms.hpp"

#include <ballot/batched_scan.cuh>

namespace ballot::app {

template <class T, class Sum>
std::size_t device_scan<T, Sum>::scratch_bytes(const scan_request& request) {
  return ballot::batched_scan_scratch_bytes<T, Sum>(request.rows, request.length);
}

template <class T, class Sum>
void device_scan<T, Sum>::rows(const exec& gpu, const scan_request& request, std::span<T> items) {
  const auto directions = request.direction == row_direction::forward    ? scan_directions::forward
                          : request.direction == row_direction::backward ? scan_directions::backward
                                                                         : scan_directions::forward_then_backward;
  ballot::batched_scan<Sum>(gpu, items, items, {.rows = request.rows, .length = request.length}, directions);
}

}  // namespace ballot::app
