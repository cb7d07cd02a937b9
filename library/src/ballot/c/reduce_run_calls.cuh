// SPDX-License-Identifier: Apache-2.0
// Reductions of runs, by head flags or by equal keys. Kernels are compiled for the words that are
// reduced, u32, u64, float or double: the values' type, the results' type and the operator are
// known at run time. An integer is a word at its high end, so that its sign and its order are those
// of the word.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/reduce_by_key/launch.cuh>
#include <ballot/detail/reduce_by_key/results.cuh>
#include <ballot/device/indexed.hpp>
#include <ballot/simt/simt.cuh>

#include <concepts>
#include <type_traits>

namespace ballot_c {

enum class integer_operator : unsigned { plus, first_in_order, bits };

// The order of a type's values at the high end of a word: as codec_of for the type's own width.
// NaNs come last.
template <class U>
ballot::key_codec<U> high_codec_of(const type_info& type, ballot::direction direction) {
  ballot::key_codec<U> codec = codec_of<U>(type, direction);
  const unsigned shift = 8 * (static_cast<unsigned>(sizeof(U)) - type.bytes);
  codec.bias = static_cast<U>(codec.bias << shift);
  return codec;
}

template <class U>
U high_infinity_of(const type_info& type) {
  const unsigned shift = 8 * (static_cast<unsigned>(sizeof(U)) - type.bytes);
  if (!type.is_float) return 0;
  return static_cast<U>(magnitude_mask_of<U>(type) & ~((U{1} << (type.mantissa_bits + shift)) - 1));
}

// All operators of integers, and minimum and maximum of floats as the order of their bits.
template <class U>
struct integer_operation {
  integer_operator kind;
  bitwise<U> of_bits;
  BALLOT_HOST_DEVICE U operator()(const U& a, const U& b) const {
    if (kind == integer_operator::plus) return a + b;
    if (kind == integer_operator::first_in_order) return b < a ? b : a;
    return of_bits(a, b);
  }
};

// An integer type as words U.
template <class U>
struct integer_form {
  unsigned bytes;
  bool is_signed, is_ordered;
  ballot::key_codec<U> order;

  BALLOT_HOST_DEVICE unsigned shift() const { return 8 * (static_cast<unsigned>(sizeof(U)) - bytes); }
  BALLOT_HOST_DEVICE U word(U raw) const {
    const U high = raw << shift();
    if (is_ordered) return order.encode(high);
    using signed_word = std::make_signed_t<U>;
    return is_signed ? static_cast<U>(static_cast<signed_word>(high) >> shift()) : raw;
  }
  BALLOT_HOST_DEVICE U raw(U word) const { return is_ordered ? order.decode(word) >> shift() : word; }

  BALLOT_HOST_DEVICE U load(const void* from, u64 i) const {
    switch (bytes) {
      case 1:
        return word(static_cast<const u8*>(from)[i]);
      case 2:
        return word(static_cast<const u16*>(from)[i]);
      case 4:
        return word(static_cast<const u32*>(from)[i]);
      default:
        return word(static_cast<U>(static_cast<const u64*>(from)[i]));
    }
  }
  BALLOT_HOST_DEVICE void store(void* to, u64 i, U value) const {
    const U result = raw(value);
    switch (bytes) {
      case 1:
        static_cast<u8*>(to)[i] = static_cast<u8>(result);
        break;
      case 2:
        static_cast<u16*>(to)[i] = static_cast<u16>(result);
        break;
      case 4:
        static_cast<u32*>(to)[i] = static_cast<u32>(result);
        break;
      default:
        static_cast<u64*>(to)[i] = result;
    }
  }
};

// A float type as float or double: 16-bit floats are added as floats, and rounded once.
template <class F>
struct float_form {
  unsigned bytes;
  int mantissa_bits;

  BALLOT_HOST_DEVICE F load(const void* from, u64 i) const {
    if constexpr (sizeof(F) == 4) {
      if (bytes == 2) {
        const u16 raw = static_cast<const u16*>(from)[i];
        return mantissa_bits == 10 ? static_cast<float>(__builtin_bit_cast(float16, raw))
                                   : static_cast<float>(__builtin_bit_cast(bfloat16, raw));
      }
    } else if (bytes == 8) {
      return static_cast<const F*>(from)[i];
    }
    return static_cast<const float*>(from)[i];
  }
  BALLOT_HOST_DEVICE void store(void* to, u64 i, F value) const {
    if constexpr (sizeof(F) == 4) {
      if (bytes == 2) {
        static_cast<u16*>(to)[i] = mantissa_bits == 10 ? float16(value).bits : bfloat16(value).bits;
        return;
      }
    }
    static_cast<F*>(to)[i] = value;
  }
};

template <class T>
struct form_of {
  using form = float_form<T>;
  using operation = ballot::plus;
};
template <std::integral T>
struct form_of<T> {
  using form = integer_form<T>;
  using operation = integer_operation<T>;
};

// Values and results, as reduce_by_key/values.cuh and reduce_by_key/results.cuh have them.
template <class T>
struct run_values {
  using value_type = T;
  static constexpr bool is_direct = false;
  static constexpr std::size_t loaded_bytes = sizeof(T);
  const void* data;
  typename form_of<T>::form form;
  __device__ __forceinline__ T operator[](u64 i) const { return form.load(data, i); }
};
template <class T>
struct run_results {
  using value_type = T;
  void* data;
  u64 size;
  typename form_of<T>::form form;
  __device__ __forceinline__ auto from(u64 first) const {
    return ballot::detail::results_from<run_results>(*this, first);
  }
};
template <class T>
__device__ __forceinline__ void put(const run_results<T>& to, u64 i, const T& result) {
  to.form.store(to.data, i, result);
}

// Sums of integers of up to 4 bytes are taken in words of 4 bytes, the others in 8; those of 16-bit
// floats in float.
template <class F>
void with_run_word(const type_info& to, ballot_operator op, const F& f) {
  if (op == BALLOT_PLUS && to.is_float) {
    if (to.bytes == 8) f.template operator()<double>();
    else f.template operator()<float>();
  } else {
    with_index(to.bytes == 8, f);
  }
}

template <class T>
integer_form<T> integer_form_of(const type_info& type, ballot_operator op) {
  const bool is_ordered = op == BALLOT_MINIMUM || op == BALLOT_MAXIMUM;
  integer_form<T> form{type.bytes, type.is_signed && op == BALLOT_PLUS, is_ordered, {}};
  if (is_ordered)
    form.order =
        high_codec_of<T>(type, op == BALLOT_MINIMUM ? ballot::direction::ascending : ballot::direction::descending);
  return form;
}
template <class T>
auto form_for(const type_info& type, ballot_operator op) {
  if constexpr (std::is_floating_point_v<T>) return float_form<T>{type.bytes, type.mantissa_bits};
  else return integer_form_of<T>(type, op);
}

template <class T>
auto operation_for(ballot_operator op) {
  if constexpr (std::is_integral_v<T>) {
    constexpr T all = static_cast<T>(~T{0});
    return integer_operation<T>{op == BALLOT_PLUS                              ? integer_operator::plus
                                : op == BALLOT_MINIMUM || op == BALLOT_MAXIMUM ? integer_operator::first_in_order
                                                                               : integer_operator::bits,
                                {op == BALLOT_BIT_XOR ? T{0} : all, op == BALLOT_BIT_AND ? T{0} : all}};
  } else {
    return ballot::plus{};
  }
}

template <class T>
struct run_request {
  run_values<T> values;
  run_results<T> results;
  T initial;  // by flags alone
  typename form_of<T>::operation op;
  length n;
  ballot::device_count count;
  const char* function;
};

// The first item in an order, and its position: of the order alone, so that one kernel serves all
// types.
struct ranked_values {
  using value_type = ballot::indexed<u64>;
  static constexpr bool is_direct = false;
  static constexpr std::size_t loaded_bytes = sizeof(u64);
  const void* data;
  integer_form<u64> form;
  numbers<u64> order;
  __device__ __forceinline__ value_type operator[](u64 i) const { return {i, order.rank(form.load(data, i))}; }
};
struct ranked_results {
  using value_type = ballot::indexed<u64>;
  const void* data;
  integer_form<u64> form;
  void* out;
  u64 size;
  __device__ __forceinline__ auto from(u64 first) const {
    return ballot::detail::results_from<ranked_results>(*this, first);
  }
};
__device__ __forceinline__ void put(const ranked_results& to, u64 i, const ballot::indexed<u64>& result) {
  u64* const record = static_cast<u64*>(to.out) + 2 * i;
  record[0] = result.index;
  record[1] = to.form.load(to.data, result.index) >> to.form.shift();
}
struct first_ranked {
  BALLOT_HOST_DEVICE ballot::indexed<u64> operator()(const ballot::indexed<u64>& a,
                                                     const ballot::indexed<u64>& b) const {
    const bool takes_a = a.index == ballot::no_index || b.index == ballot::no_index || a.value == b.value
                             ? a.index < b.index
                             : a.value < b.value;
    return takes_a ? a : b;
  }
};
struct ranked_request {
  ranked_values values;
  ranked_results results;
  length n;
  ballot::device_count count;
  const char* function;
};

// scratch: aligned, of so many bytes. heads: bits.
template <class T>
void reduce_flagged(ballot::stream_t stream, std::byte* scratch, const run_request<T>& request, const u32* heads);
template <class K, class T>
void reduce_by_key(ballot::stream_t stream, std::byte* scratch, const run_request<T>& request, const K* keys,
                   const same<K>& equal, const output<K>& keys_out);
template <class Ranked>
void arg_first_of_runs(ballot::stream_t stream, std::byte* scratch, const Ranked& request, const u32* heads);
template <class T>
std::size_t reduce_flagged_bytes(u64 n) {
  return ballot::detail::reduce_runs_bytes<void, T>(n);
}
template <class K, class T>
std::size_t reduce_by_key_bytes(u64 n) {
  return ballot::detail::reduce_runs_bytes<K, T>(n);
}

}  // namespace ballot_c

namespace ballot {

template <class U>
inline constexpr bool is_commutative<ballot_c::integer_operation<U>, U> = true;
template <>
inline constexpr bool is_commutative<ballot_c::first_ranked, indexed<std::uint64_t>> = true;

namespace detail {

template <class U>
inline constexpr bool accepts_any_operand<ballot_c::integer_operation<U>, U> = true;
template <>
inline constexpr bool accepts_any_operand<ballot_c::first_ranked, indexed<std::uint64_t>> = true;
template <class U>
inline constexpr bool is_exact_in_runs<U, ballot_c::integer_operation<U>> = true;

}  // namespace detail
}  // namespace ballot
