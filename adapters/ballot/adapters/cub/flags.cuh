// SPDX-License-Identifier: Apache-2.0
// The flags of selections and partitions. Bytes in memory are taken by ballot as they are. Other
// numbers, and the stencil of FlaggedIf, are a column beside the items.
#pragma once

#include <ballot/adapters/cub/input.cuh>
#include <ballot/core/concepts.hpp>
#include <ballot/core/flags.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

namespace ballot::adapters::detail {

// Variables, not concepts: see input.cuh.
template <class Flags>
inline constexpr bool are_bytes = [] {
  if constexpr (std::is_pointer_v<Flags> && std::is_integral_v<item_of<Flags>>) return sizeof(item_of<Flags>) == 1;
  else return false;
}();
template <class Flags>
inline constexpr bool are_numbers = std::is_arithmetic_v<item_of<Flags>> && !are_bytes<Flags>;

template <class Flag>
byte_flags flags_of_bytes(const Flag* flags, std::uint64_t n) {
  return {std::span(reinterpret_cast<const std::uint8_t*>(flags), n)};
}
struct is_not_zero {
  template <class Flag>
    requires std::is_arithmetic_v<Flag>
  __device__ bool operator()(const Flag& flag) const {
    return static_cast<bool>(flag);
  }
};

template <class Stencil, class Select>
inline constexpr bool asks_about = [] {
  using T = item_of<Stencil>;
  if constexpr (plain<T>) return sizeof(T) <= 128 && predicate_of<Select, T>;
  else return false;
}();

}  // namespace ballot::adapters::detail
