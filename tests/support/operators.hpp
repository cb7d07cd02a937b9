// SPDX-License-Identifier: Apache-2.0
// Operators that show a wrong order or grouping of operands.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/core/config.hpp>

#include <ballot/simt/simt.cuh>

#include "support/patterns.hpp"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace ballot::test {

// Composition of the affine maps x -> (2 * scale + 1) * x + offset modulo 2^bits: associative, not
// commutative. The factor is odd, so every map can be undone: a result depends on each operand,
// however far back. (Were even factors among them, their product would soon be 0, and nothing
// before would matter.) Four, eight or sixteen bytes.
template <class Word>
struct affine {
  Word scale, offset;
  friend bool operator==(const affine&, const affine&) = default;
};

struct compose {
  template <class Word>
  BALLOT_HOST_DEVICE affine<Word> operator()(const affine<Word>& first, const affine<Word>& then) const {
    // 2u: two 16-bit words would be multiplied as int, which overflows
    return {static_cast<Word>(2u * first.scale * then.scale + first.scale + then.scale),
            static_cast<Word>((2u * then.scale + 1u) * first.offset + then.offset)};
  }
};

// The same, and fails the kernel where it meets a map{}, which stands for an item that is not
// there. With random_operands no other map has scale 0.
struct strict_compose {
  template <class Map>
  __device__ Map operator()(const Map& first, const Map& then) const {
    if (first.scale == 0 || then.scale == 0) simt::trap();
    return compose{}(first, then);
  }
};

// The argument for Op of a kernel under test.
template <class Op>
using strictly = std::conditional_t<std::is_same_v<Op, compose>, strict_compose, Op>;

// Integers of every bit, or maps with odd scales. Those can be undone, so that every operand shows
// in a result, however many there are. Products of even scales are soon 0 modulo 2^bits, and then
// only the last few operands count.
template <class T>
std::vector<T> random_operands(std::size_t n, unsigned seed) {
  std::vector<T> operands = random_items<T>(n, seed);
  if constexpr (requires(T map) { map.scale; })
    for (T& map : operands) map.scale |= 1;
  return operands;
}

}  // namespace ballot::test
