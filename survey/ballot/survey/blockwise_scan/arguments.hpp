// What every block-wise scan of the ladder demands of its arguments, and how many blocks it has.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/tiles.hpp>

#include <span>

namespace ballot::survey {

// How many blocks the scan takes, 0 where there is nothing to scan. invalid_argument for null that is not empty,
// lengths that differ, overlap.
template <class T>
std::uint32_t scan_blocks(std::span<const T> in, std::span<T> out, std::uint64_t block_items, const char* function) {
  detail::require_readable(detail::as_input(in), function);
  detail::require_writable(detail::as_output(out), function);
  detail::require(in.size() == out.size(), function, "input and output have different lengths");
  detail::require_apart(in.data(), in.size(), out.data(), out.size(), function);
  return detail::tile_count(in.size(), block_items, function);
}

}  // namespace ballot::survey
