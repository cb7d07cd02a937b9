// SPDX-License-Identifier: Apache-2.0
// A checksum of a multiset, independent of the order: 128 bits, the sums of two hashes of every
// item.
#pragma once

#include <ballot/core/namespace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ballot::app {

class multiset_checksum {
 public:
  void add(std::span<const std::byte> items, std::size_t item_bytes);  // items of 1, 2, 4 or 8 bytes
  void add(const multiset_checksum& others);
  bool operator==(const multiset_checksum&) const = default;

 private:
  template <class Word>
  void add_words(std::span<const std::byte> items);

  std::array<std::uint64_t, 2> sums_{};
  std::uint64_t count_ = 0;
};

// Computed on all cores.
multiset_checksum checksum_of(std::span<const std::byte> items, std::size_t item_bytes);

}  // namespace ballot::app
