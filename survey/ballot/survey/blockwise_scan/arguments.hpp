// The checks of arguments and the number of blocks, common to all steps of the block-wise scan.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/tiles.hpp>

#include <span>

namespace ballot::survey {

// The number of blocks, 0 for no items. invalid_argument for null with n > 0, lengths that differ, overlap.
template <class T>
std::uint32_t scan_blocks(std::span<const T> in, std::span<T> out, std::uint64_t block_items, const char* function) {
  detail::require_readable(detail::as_input(in), function);
  detail::require_writable(detail::as_output(out), function);
  detail::require(in.size() == out.size(), function, "input and output have different lengths");
  detail::require_apart(in.data(), in.size(), out.data(), out.size(), function);
  return detail::tile_count(in.size(), block_items, function);
}

}  // namespace ballot::survey
