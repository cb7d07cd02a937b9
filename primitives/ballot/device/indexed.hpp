// SPDX-License-Identifier: Apache-2.0
// An item with its index: the result of arg_min and arg_max.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot {

/// The index if there is no item.
inline constexpr std::uint64_t no_index = ~std::uint64_t{0};

// An item and its index. `rest` takes the place of padding, whose bytes would be copied without
// having been written. (Two structures, not one with a [[no_unique_address]] member: device code of
// nvcc 13.0 gives such a structure 32 bytes, where sizeof says 16.)
template <class T, bool FillsWords = sizeof(T) % 8 == 0>
struct indexed {
  std::uint64_t index = no_index;
  T value{};
};
template <class T>
struct indexed<T, false> {
  std::uint64_t index = no_index;
  T value{};
  unsigned char rest[8 - sizeof(T) % 8] = {};
};

}  // namespace ballot
