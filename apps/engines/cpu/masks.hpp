// SPDX-License-Identifier: Apache-2.0
// Conditions evaluated block by block: each step of a predicate is a loop over a block of items,
// with a byte for each item's truth. conditions/ says what a predicate means; both give the same
// bytes.
#pragma once

#include <ballot/core/namespace.hpp>

#include "conditions/item_predicate.hpp"
#include "conditions/row_predicate.hpp"

#include <cstddef>
#include <cstdint>

namespace ballot::app::cpu {

inline constexpr std::size_t mask_block = 2048;  // items

// mask[i] = predicate(items[i]) for up to mask_block items; 1 or 0.
template <class T>
void mask_items(const item_predicate<T>& predicate, const T* items, std::size_t count, std::uint8_t* mask);

// mask[i] = predicate(first + i).
void mask_rows(const row_predicate& predicate, std::uint64_t first, std::size_t count, std::uint8_t* mask);

// mask[i] = (flags[i] != 0) != invert
void mask_flags(const std::uint8_t* flags, std::size_t count, bool invert, std::uint8_t* mask);

// The number of ones.
std::size_t count_mask(const std::uint8_t* mask, std::size_t count);

}  // namespace ballot::app::cpu
