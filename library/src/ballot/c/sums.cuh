// SPDX-License-Identifier: Apache-2.0
// Which sums and other operations there are by type (ballot.h has the table), and what they begin
// with.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot_c {

// f.template operator()<T, In>() for sums T of items In, where there are such. Integers of one size
// share a T.
template <class F>
void with_sum_of_one_type(const type_info& type, ballot_type code, const F& f) {
  if (type.is_integer) return with_word(type.bytes, [&]<class U>() { f.template operator()<U, U>(); });
  switch (code) {
    case BALLOT_F16:
      return f.template operator()<float16, float16>();
    case BALLOT_BF16:
      return f.template operator()<bfloat16, bfloat16>();
    case BALLOT_F32:
      return f.template operator()<float, float>();
    default:
      return f.template operator()<double, double>();
  }
}

// Sums of 16-bit floats are taken in float, and rounded where they are stored.
inline bool is_summed_in_floats(const type_info& type) { return type.is_float && type.bytes == 2; }

template <class F>
void with_sum(const char* function, ballot_type in, const type_info& from, ballot_type out, const type_info& to,
              const F& f) {
  if (from.is_integer && to.is_integer && from.bytes == to.bytes) return with_sum_of_one_type(to, out, f);
  if (in == out) return with_sum_of_one_type(to, out, f);
  if (to.is_integer && to.bytes == 8) {
    switch (in) {
      case BALLOT_I8:
        return f.template operator()<u64, std::int8_t>();
      case BALLOT_U8:
        return f.template operator()<u64, u8>();
      case BALLOT_I16:
        return f.template operator()<u64, std::int16_t>();
      case BALLOT_U16:
        return f.template operator()<u64, u16>();
      case BALLOT_I32:
        return f.template operator()<u64, std::int32_t>();
      case BALLOT_U32:
        return f.template operator()<u64, u32>();
      default:
        break;
    }
  }
  if (to.is_integer && to.bytes == 4 && in == BALLOT_U8) return f.template operator()<u32, u8>();
  if (out == BALLOT_F64 && in == BALLOT_F32) return f.template operator()<double, float>();
  if (out == BALLOT_F32 && in == BALLOT_F16) return f.template operator()<float, float16>();
  if (out == BALLOT_F32 && in == BALLOT_BF16) return f.template operator()<float, bfloat16>();
  fail(function, joined({"items of type ", from.name, " have no sum of type ", to.name}));
}

// The identity of minimum or maximum: nothing comes after it. Of floats a NaN.
template <class U>
U last_of(const type_info& type, const ballot::key_codec<U>& codec) {
  if (!type.is_float) return codec.decode(static_cast<U>(~U{0}));
  return static_cast<U>(infinity_of<U>(type) | U{1} << (type.mantissa_bits - 1));  // quiet
}

// Whether there are operators on the bits of such items.
inline void require_bits(const char* function, const type_info& type) {
  if (!type.is_integer) fail(function, joined({"`op` is of bits, the items have type ", type.name}));
}

// f(op, identity) for minimum, maximum and bits of the words U.
template <class U, class F>
void with_operator(const char* function, const type_info& type, ballot_operator op, const F& f) {
  constexpr U all = static_cast<U>(~U{0});
  if (op == BALLOT_MINIMUM || op == BALLOT_MAXIMUM) {
    const auto codec =
        codec_of<U>(type, op == BALLOT_MINIMUM ? ballot::direction::ascending : ballot::direction::descending);
    const U last = last_of(type, codec);
    return f(extreme<U>{codec}, &last);
  }
  require_bits(function, type);
  const bitwise<U> bits{op == BALLOT_BIT_XOR ? U{0} : all, op == BALLOT_BIT_AND ? U{0} : all};
  const U identity = op == BALLOT_BIT_AND ? all : U{0};
  f(bits, &identity);
}

}  // namespace ballot_c
