// SPDX-License-Identifier: Apache-2.0
// What top_k and batched_top_k select, and how they leave it.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot {

/// The order of the items that top_k leaves.
enum class top_k_order : std::uint8_t { sorted, by_position };

/// What top_k selects, and how it leaves it.
struct top_k_options {
  /// The largest keys, or the smallest.
  ballot::direction direction = ballot::direction::descending;
  /// Where NaNs are.
  nan_order nans = nan_order::last;
  /// How the selected items are left.
  top_k_order order = top_k_order::sorted;
};

}  // namespace ballot
