// Operators that tell a wrong order or grouping of operands.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/core/config.hpp>

#include <cstdint>

namespace ballot::test {

// Composition of the affine maps x -> (2 * scale + 1) * x + offset modulo 2^bits: associative, not commutative. The
// factor is odd, so every map can be undone: a result depends on each operand, however far back. (Were even factors
// among them, their product would soon be 0, and nothing before would matter.) Four, eight or sixteen bytes.
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

}  // namespace ballot::test
