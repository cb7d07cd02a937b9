// SPDX-License-Identifier: Apache-2.0
// Sets of constants, for `in`.
#pragma once

#include <ballot/core/namespace.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ballot::app {

// Words of 64 bits in a table that is at most half full.
class word_set {
 public:
  explicit word_set(std::span<const std::uint64_t> words) {
    slots_.resize(std::bit_ceil(std::max<std::size_t>(2 * words.size(), 2)));
    is_taken_.resize(slots_.size());
    for (const std::uint64_t word : words) {
      std::size_t at = place_of(word);
      while (is_taken_[at] != 0 && slots_[at] != word) at = next(at);
      slots_[at] = word;
      is_taken_[at] = 1;
    }
  }
  bool has(std::uint64_t word) const {
    for (std::size_t at = place_of(word); is_taken_[at] != 0; at = next(at))
      if (slots_[at] == word) return true;
    return false;
  }

 private:
  // Fibonacci hashing: the high bits of a product are spread even where the words are in a row.
  std::size_t place_of(std::uint64_t word) const {
    return static_cast<std::size_t>(word * 0x9e3779b97f4a7c15u >> 32) & (slots_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  std::vector<std::uint64_t> slots_;
  std::vector<std::uint8_t> is_taken_;
};

// Keeps references to the texts.
class text_set {
 public:
  explicit text_set(std::span<const std::string> texts) {
    texts_.insert(texts.begin(), texts.end());
    for (const std::string& text : texts) lengths_ |= bit_of(text.size());
  }
  bool has(std::string_view text) const { return (lengths_ & bit_of(text.size())) != 0 && texts_.contains(text); }

 private:
  static std::uint64_t bit_of(std::size_t length) { return std::uint64_t{1} << std::min<std::size_t>(length, 63); }

  std::unordered_set<std::string_view> texts_;
  std::uint64_t lengths_ = 0;  // which there are
};

}  // namespace ballot::app
