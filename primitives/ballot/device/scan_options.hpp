// SPDX-License-Identifier: Apache-2.0
// The options of a scan.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <cstdint>

namespace ballot {

// The direction of a scan. Backward: out[i] = in[n - 1] op in[n - 2] op ... op in[i], operands in that order. (Backward
// scans of a warp or a block keep the operands in the order of the items.)
enum class scan_order : std::uint8_t { forward, backward };

// T: the type of the sums.
//     ballot::exclusive_scan(gpu, weights, 0.0f, ballot::plus{}, before, {.total = sum, .reproducible = true});
template <class T>
struct scan_options {
  // Receives op of all items, preceded by `initial` in an exclusive scan. Null: not wanted.
  device_result<T> total = {};
  scan_order order = scan_order::forward;
  // The same bits on every run and every GPU, also if op is only nearly associative (sums of floats).
  bool reproducible = false;
};

}  // namespace ballot
