// SPDX-License-Identifier: Apache-2.0
// The checks of arguments and the number of blocks, common to all steps of the block-wise scan.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/tiles.hpp>
#include <ballot/survey/scan_arguments.hpp>

#include <span>

namespace ballot::survey {

// The number of blocks, 0 for no items. invalid_argument for null with n > 0, lengths that differ,
// overlap.
template <class T>
std::uint32_t scan_blocks(std::span<const T> in, std::span<T> out, std::uint64_t block_items, const char* function) {
  require_scan_arguments(function, detail::as_input(in), detail::as_output(out), may_be_in_place::no);
  return detail::tile_count(in.size(), block_items, function);
}

}  // namespace ballot::survey
