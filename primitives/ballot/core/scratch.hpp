// SPDX-License-Identifier: Apache-2.0
// Divides scratch memory into pieces. The same few lines of a call say how much is needed, and
// where each piece lies.
#pragma once

#include <ballot/core/error.hpp>
#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ballot::detail {

inline constexpr std::size_t scratch_alignment = 256;

// The size that a public `*_scratch_bytes` returns for a call that needs `bytes` at an aligned
// address. It is enough at any address.
constexpr std::size_t bytes_at_any_address(std::size_t bytes) { return bytes == 0 ? 0 : bytes + scratch_alignment; }

// Gives out pieces one after the other, each aligned to 256 bytes. With a null base it only counts.
// So a layout is run once without memory for the size, and once with memory for the addresses:
//     auto layout = [&](scratch_carver& c) {
//       pieces p;
//       p.states = c.take<word>(tiles);
//       ...
//       return p;
//     };
class scratch_carver {
 public:
  explicit scratch_carver(std::byte* base = nullptr) : base_(base) {}

  template <class T>
  T* take(std::uint64_t items) {
    return reinterpret_cast<T*>(take(items, sizeof(T)));
  }
  std::size_t bytes() const { return align_up(used_); }

 private:
  std::byte* take(std::uint64_t items, std::size_t item_bytes) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
    const std::size_t begin = align_up(used_);  // may be most + 1
    if (items != 0 && (begin > most || items > (most - begin) / item_bytes))
      throw invalid_argument("ballot: scratch for that many items exceeds the address space");
    used_ = begin + static_cast<std::size_t>(items) * item_bytes;
    return base_ == nullptr ? nullptr : base_ + begin;
  }
  static std::size_t align_up(std::size_t n) {
    return (n + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
  }

  std::byte* base_;
  std::size_t used_ = 0;
};

}  // namespace ballot::detail
