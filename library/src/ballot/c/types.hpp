// SPDX-License-Identifier: Apache-2.0
// The type codes of ballot.h, on the host: the meaning of a code, and the C++ type that stands for
// it.
//
// Kernels are compiled by width where the meaning of the bits allows: integers of one size share a
// word, and orders come with their constants (operators.cuh). So a code leads to a word, and to the
// few numbers that tell types apart.
#pragma once

#include <ballot.h>
#include <ballot/core/arguments.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <type_traits>

namespace ballot_c {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using u128 = ballot::detail::uint128;

// The meaning of a type code. bytes 0: no such type.
struct type_info {
  const char* name = "an unknown type";
  unsigned bytes = 0;
  bool is_integer = false;
  bool is_signed = false;
  bool is_float = false;
  bool is_positions = false;
  bool is_bytes = false;  // of any size, at any address
  int mantissa_bits = 0;

  bool is_number() const { return is_integer || is_float; }
};

constexpr type_info info_of(ballot_type type) {
  if (type > BALLOT_BYTES(0) && type < 2 * BALLOT_BYTES(0))
    return {.name = "BALLOT_BYTES", .bytes = static_cast<unsigned>(type - BALLOT_BYTES(0)), .is_bytes = true};
  switch (type) {
    case BALLOT_I8:
      return {.name = "BALLOT_I8", .bytes = 1, .is_integer = true, .is_signed = true};
    case BALLOT_U8:
      return {.name = "BALLOT_U8", .bytes = 1, .is_integer = true};
    case BALLOT_I16:
      return {.name = "BALLOT_I16", .bytes = 2, .is_integer = true, .is_signed = true};
    case BALLOT_U16:
      return {.name = "BALLOT_U16", .bytes = 2, .is_integer = true};
    case BALLOT_I32:
      return {.name = "BALLOT_I32", .bytes = 4, .is_integer = true, .is_signed = true};
    case BALLOT_U32:
      return {.name = "BALLOT_U32", .bytes = 4, .is_integer = true};
    case BALLOT_I64:
      return {.name = "BALLOT_I64", .bytes = 8, .is_integer = true, .is_signed = true};
    case BALLOT_U64:
      return {.name = "BALLOT_U64", .bytes = 8, .is_integer = true};
    case BALLOT_I128:
      return {.name = "BALLOT_I128", .bytes = 16, .is_integer = true, .is_signed = true};
    case BALLOT_U128:
      return {.name = "BALLOT_U128", .bytes = 16, .is_integer = true};
    case BALLOT_F16:
      return {.name = "BALLOT_F16", .bytes = 2, .is_float = true, .mantissa_bits = 10};
    case BALLOT_BF16:
      return {.name = "BALLOT_BF16", .bytes = 2, .is_float = true, .mantissa_bits = 7};
    case BALLOT_F32:
      return {.name = "BALLOT_F32", .bytes = 4, .is_float = true, .mantissa_bits = 23};
    case BALLOT_F64:
      return {.name = "BALLOT_F64", .bytes = 8, .is_float = true, .mantissa_bits = 52};
    case BALLOT_POSITIONS_U32:
      return {.name = "BALLOT_POSITIONS_U32", .bytes = 4, .is_positions = true};
    case BALLOT_POSITIONS_U64:
      return {.name = "BALLOT_POSITIONS_U64", .bytes = 8, .is_positions = true};
    case BALLOT_NONE:
      return {.name = "BALLOT_NONE"};
    default:
      return {};
  }
}

// The order of a number type's values, as keys sort (core/key_order.hpp).
template <class U>
ballot::key_codec<U> codec_of(const type_info& type, ballot::direction direction = ballot::direction::ascending,
                              ballot::nan_order nans = ballot::nan_order::last) {
  constexpr U every_bit = static_cast<U>(~U{0});
  constexpr U sign_bit = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  ballot::key_codec<U> codec;
  if (type.is_float) {
    codec.sign_mask = static_cast<U>(~sign_bit);
    codec.flip = sign_bit;
    const U nans_of_a_sign = static_cast<U>((U{1} << type.mantissa_bits) - 1);
    if (nans == ballot::nan_order::last) codec.bias = nans_of_a_sign;
    if (nans == ballot::nan_order::first) codec.bias = static_cast<U>(U{0} - nans_of_a_sign);
  } else if (type.is_signed) {
    codec.flip = sign_bit;
  }
  if (direction == ballot::direction::descending) codec.flip = static_cast<U>(codec.flip ^ every_bit);
  return codec;
}

// Of floats: the bits of a magnitude, and those of infinity. Of integers both are 0.
template <class U>
U magnitude_mask_of(const type_info& type) {
  return type.is_float ? static_cast<U>(~(U{1} << (8 * sizeof(U) - 1))) : U{0};
}
template <class U>
U infinity_of(const type_info& type) {
  return type.is_float
             ? static_cast<U>(magnitude_mask_of<U>(type) & static_cast<U>(~((U{1} << type.mantissa_bits) - 1)))
             : U{0};
}

// f.template operator()<U>() for that one of the words U... which has so many bytes.
template <class... U, class F>
void with_one_of(unsigned bytes, const F& f) {
  (void)((bytes == sizeof(U) && (f.template operator()<U>(), true)) || ...);
}
template <class F>
void with_word(unsigned bytes, const F& f) {
  with_one_of<u8, u16, u32, u64, u128>(bytes, f);
}
// The words of floats whose zeros are equal, which have kernels of their own.
using z16 = ballot::detail::unsigned_with_equal_zeros<2>::type;
using z32 = ballot::detail::unsigned_with_equal_zeros<4>::type;
using z64 = ballot::detail::unsigned_with_equal_zeros<8>::type;
template <class F>
void with_word_of_equal_zeros(unsigned bytes, const F& f) {
  with_one_of<z16, z32, z64>(bytes, f);
}
// For every word that keys of a type may be sorted as.
template <class F>
void with_each_key(const type_info& type, const F& f) {
  with_word(type.bytes, f);
  if (type.is_float) with_word_of_equal_zeros(type.bytes, f);
}
// For sizes up to 8 bytes, and for counts.
template <class F>
void with_short_word(unsigned bytes, const F& f) {
  with_one_of<u8, u16, u32, u64>(bytes, f);
}
template <class F>
void with_index(bool is_wide, const F& f) {
  if (is_wide) f.template operator()<u64>();
  else f.template operator()<u32>();
}

}  // namespace ballot_c
