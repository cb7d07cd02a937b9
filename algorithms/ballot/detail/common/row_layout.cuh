// SPDX-License-Identifier: Apache-2.0
// Rows at a fixed pitch, for the calls that take them.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ballot {
namespace detail {

// The lengths of rows, on the device: integers of a type that is known at run time.
struct row_lengths {
  const void* address = nullptr;  // null: all rows have the full width
  count_type type = {};

  row_lengths(std::nullptr_t = nullptr) {}
  template <count_integer T>
  row_lengths(const T* lengths) : address(lengths), type(count_type::of<T>()) {}

  __device__ __forceinline__ std::uint64_t operator[](std::uint64_t row) const {
    return type.load(static_cast<const std::uint32_t*>(address) + (type.is_wide ? 2 : 1) * row);
  }
};

}  // namespace detail

/// Where the rows lie.
struct row_layout {
  /// How many rows there are.
  std::uint64_t rows;
  /// Items of a row.
  std::uint64_t width;
  std::uint64_t pitch = width;       // from the beginning of a row to that of the next
  detail::row_lengths lengths = {};  // of each row, on the device: the address of integers of 4 or 8 bytes
};

namespace detail {

// Requires that rows do not overlap and fit the address space. Returns the number of items from the
// first row to the end of the last.
inline std::uint64_t require_layout(const char* function, const row_layout& layout) {
  if (layout.rows > 1 && layout.pitch < layout.width)
    fail(function,
         joined({"rows overlap: the pitch, ", decimal(layout.pitch), ", is below the width, ", decimal(layout.width)}));
  require(layout.rows <= 1 || layout.pitch <= ~std::uint64_t{0} / layout.rows, function,
          "the rows exceed the address space");
  return layout.rows == 0 ? 0 : (layout.rows - 1) * layout.pitch + layout.width;
}

}  // namespace detail
}  // namespace ballot
