// Operators that tell a wrong order or grouping of operands.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/core/config.hpp>

#include <cstdint>

namespace ballot::test {

// Composition of the affine maps x -> scale * x + offset modulo 2^16: associative, not commutative. Eight and four
// bytes.
template <class Word>
struct affine {
  Word scale, offset;
  friend bool operator==(const affine&, const affine&) = default;
};

struct compose {
  template <class Word>
  BALLOT_HOST_DEVICE affine<Word> operator()(const affine<Word>& first, const affine<Word>& then) const {
    // 1u: two 16-bit words would be multiplied as int, which overflows
    return {static_cast<Word>(1u * first.scale * then.scale),
            static_cast<Word>(1u * first.offset * then.scale + then.offset)};
  }
};

}  // namespace ballot::test
