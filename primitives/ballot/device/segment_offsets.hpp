// SPDX-License-Identifier: Apache-2.0
// Segments given by the indices at which they begin: an argument of segmented scans.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <concepts>

namespace ballot {

// The indices at which segments begin: a device range (or `counted`) of integers of 4 or 8 bytes.
// The end may be a last entry. Equal adjacent offsets are empty segments. Items before the first
// offset are a segment of their own, and the last segment ends with the items. The order of the
// offsets does not matter; offsets that are negative, or not below the number of items, are
// ignored.
template <class Offset>
struct segment_offsets {
  static_assert(std::integral<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8),
                "offsets are integers of 4 or 8 bytes");
  detail::input<Offset> offsets;

  template <input_range R>
  explicit segment_offsets(const R& range) : offsets(detail::as_input(range)) {}
};
template <class R>
segment_offsets(const R&) -> segment_offsets<detail::item_t<R>>;

}  // namespace ballot
