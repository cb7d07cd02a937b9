// SPDX-License-Identifier: Apache-2.0
// What top_k and batched_top_k select, and in which order they store it.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot {

/// The order in which top_k stores the selected items.
enum class top_k_order : std::uint8_t { sorted, by_position };

/// What top_k selects, and in which order it stores it.
struct top_k_options {
  /// The largest keys, or the smallest.
  ballot::direction direction = ballot::direction::descending;
  /// Where NaNs are.
  nan_order nans = nan_order::last;
  /// The order of the selected items.
  top_k_order order = top_k_order::sorted;
};

}  // namespace ballot
