// SPDX-License-Identifier: Apache-2.0
// Sorts rows by their texts, eight bytes at a time: a row's text is looked at once for each eight.
//
// It is a radix sort from the most significant end with runs for its buckets. Source: Bentley and
// Sedgewick, Fast Algorithms for Sorting and Searching Strings (1997), with eight bytes for a
// character.
#pragma once

#include <ballot/core/namespace.hpp>

#include "table_sort/row_keys.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace ballot::app {

class text_ties {
 public:
  // after_text(rows): sorts rows whose texts are equal.
  using finisher = std::function<void(std::span<std::uint64_t>)>;
  text_ties(const row_keys::part& by, const finisher& after_text) : by_(by), after_text_(after_text) {}

  // Sorts rows whose texts agree in the first `known` bytes, or end before.
  void sort(std::span<std::uint64_t> rows, std::size_t known) const;

 private:
  // The bytes that are compared next: eight, and how many of them there are.
  struct keyed {
    std::uint64_t key;
    std::uint64_t row;
    std::string_view rest;  // of the text, from these bytes on
    std::uint8_t length;    // goes_on where there are more; the other way round where the order is
    bool is_before(const keyed& other) const {
      if (key != other.key) return key < other.key;
      return length != other.length ? length < other.length : row < other.row;
    }
    bool agrees(const keyed& other) const { return key == other.key && length == other.length; }
  };
  void take(keyed& item) const;
  bool goes_on(const keyed& item) const;
  void sort(std::span<keyed> items, std::span<std::uint64_t> rows, int depth) const;
  void sort_run(std::span<keyed> items, std::span<std::uint64_t> rows, int depth) const;
  void compare(std::span<keyed> items, std::span<std::uint64_t> rows) const;

  const row_keys::part& by_;
  const finisher& after_text_;
};

}  // namespace ballot::app
