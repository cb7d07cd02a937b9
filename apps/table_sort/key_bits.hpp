// SPDX-License-Identifier: Apache-2.0
// Fields as unsigned integers in the same order, as far as 8 bytes go.
#pragma once

#include <ballot/core/namespace.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

namespace ballot::app {

constexpr std::uint64_t last_key = std::numeric_limits<std::uint64_t>::max();  // of empty fields

// Up to 8 bytes as a number in the order of the bytes; missing bytes count as 0.
inline std::uint64_t big_endian_key(std::string_view bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), std::min<std::size_t>(bytes.size(), sizeof word));
  return __builtin_bswap64(word);
}

template <class T>
T canonical(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return std::numeric_limits<T>::quiet_NaN();
    if (x == 0) return T{0};
  }
  return x;
}

}  // namespace ballot::app
