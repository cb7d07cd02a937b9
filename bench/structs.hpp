// SPDX-License-Identifier: Apache-2.0
// Items that are no keys: structs of 12 to 32 bytes, and bytes. With them come the operators and
// the predicate that the operations of such items share.
#pragma once

#include <ballot/core/namespace.hpp>

#include "inputs.hpp"
#include "word_at.hpp"

#include <cstdint>

namespace ballot::bench {

struct three_floats {
  float x, y, z;
  BALLOT_BENCH_ANYWHERE friend three_floats operator+(const three_floats& a, const three_floats& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
};
struct eight_words {
  std::uint32_t words[8];
};
struct box {
  float low[3], high[3];
};

// A sum by an operator of the caller's, of which nobody knows that it commutes.
struct sum_of_fields {
  template <class T>
  BALLOT_BENCH_ANYWHERE T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
// The smallest box around two.
struct union_of_boxes {
  BALLOT_BENCH_ANYWHERE box operator()(const box& a, const box& b) const {
    box both{};
    for (int axis = 0; axis < 3; ++axis) {
      both.low[axis] = a.low[axis] < b.low[axis] ? a.low[axis] : b.low[axis];
      both.high[axis] = a.high[axis] < b.high[axis] ? b.high[axis] : a.high[axis];
    }
    return both;
  }
};

// Of uniform_items: one half of them, by their first field.
struct is_in_lower_half {
  BALLOT_BENCH_ANYWHERE bool operator()(std::uint8_t item) const { return item < 0x80; }
  BALLOT_BENCH_ANYWHERE bool operator()(const three_floats& item) const { return item.x < 0.5f; }
  BALLOT_BENCH_ANYWHERE bool operator()(const two_doubles& item) const { return item.x < 0.5; }
  BALLOT_BENCH_ANYWHERE bool operator()(const eight_words& item) const { return item.words[0] < 0x80000000u; }
};

// Every value equally likely; of floats and doubles, those from 0 to 1.
template <class T>  // std::uint8_t, three_floats, two_doubles, eight_words
source uniform_items();
source small_triples();  // as small_numbers: sums are exact in any order
source boxes();          // small ones, anywhere from 0 to 1

}  // namespace ballot::bench
