// SPDX-License-Identifier: Apache-2.0
// Atomic read-modify-writes on shared and global memory: relaxed and of device scope unless said.
//
// Relaxed ones are CUDA's own functions: the compiler then knows the address space and drops an
// unused result (RED). The other orders are PTX, on generic addresses.
#pragma once

#include <ballot/core/namespace.hpp>
#include <concepts>
#include <cstring>

#include <cuda_runtime.h>

#include <ballot/simt/common.hpp>

namespace ballot::simt {

namespace detail {

// The type that CUDA's functions take for a word like T. std::uint64_t and unsigned long long are
// the same to PTX.
template <class T>
using cuda_word =
    std::conditional_t<std::floating_point<T>, T,
                       std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int, unsigned>,
                                          std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>>;
template <class T>
using cuda_bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;

template <class T>
concept atomic_integer = std::integral<T> && (sizeof(T) == 4 || sizeof(T) == 8);
template <class T>
concept atomic_number = atomic_integer<T> || std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept atomic_bits = std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

template <class To, class From>
__device__ __forceinline__ To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

}  // namespace detail

// One atom instruction of each order and scope. `type` is PTX's, `c` the constraint of its operand.
#define BALLOT_SIMT_ATOM_AS(order, scope, op, type, c) \
  asm volatile("atom." order "." scope "." op "." type " %0, [%1], %2;" : "=" c(old) : "l"(p), c(operand) : "memory")
#define BALLOT_SIMT_ATOM(op, type, c)                                                             \
  do {                                                                                            \
    static_assert(S != scope::system, "atomics order threads of one device");                     \
    if constexpr (S == scope::device) {                                                           \
      if constexpr (O == order::acquire) BALLOT_SIMT_ATOM_AS("acquire", "gpu", op, type, c);      \
      else if constexpr (O == order::release) BALLOT_SIMT_ATOM_AS("release", "gpu", op, type, c); \
      else BALLOT_SIMT_ATOM_AS("acq_rel", "gpu", op, type, c);                                    \
    } else {                                                                                      \
      if constexpr (O == order::acquire) BALLOT_SIMT_ATOM_AS("acquire", "cta", op, type, c);      \
      else if constexpr (O == order::release) BALLOT_SIMT_ATOM_AS("release", "cta", op, type, c); \
      else BALLOT_SIMT_ATOM_AS("acq_rel", "cta", op, type, c);                                    \
    }                                                                                             \
  } while (0)

/// Adds; integers wrap. Returns the old value.
template <order O = order::relaxed, scope S = scope::device, detail::atomic_number T>
__device__ __forceinline__ T atomic_add(T* p, detail::word_of<T> v) {
  if constexpr (O == order::relaxed) {
    using word = std::conditional_t<std::integral<T>, detail::cuda_bits<T>, T>;
    if constexpr (S == scope::device) return T(atomicAdd(reinterpret_cast<word*>(p), word(v)));
    else return T(atomicAdd_block(reinterpret_cast<word*>(p), word(v)));
  } else if constexpr (std::same_as<T, float>) {
    float old, operand = v;
    BALLOT_SIMT_ATOM("add", "f32", "f");
    return old;
  } else if constexpr (std::same_as<T, double>) {
    double old, operand = v;
    BALLOT_SIMT_ATOM("add", "f64", "d");
    return old;
  } else {
    detail::cuda_bits<T> old, operand = detail::cuda_bits<T>(v);
    if constexpr (sizeof(T) == 4) BALLOT_SIMT_ATOM("add", "u32", "r");
    else BALLOT_SIMT_ATOM("add", "u64", "l");
    return T(old);
  }
}

#define BALLOT_SIMT_MINMAX(name, Function)                                                            \
  template <order O = order::relaxed, scope S = scope::device, detail::atomic_integer T>              \
  __device__ __forceinline__ T atomic_##name(T* p, detail::word_of<T> v) {                            \
    using word = detail::cuda_word<T>;                                                                \
    if constexpr (O == order::relaxed) {                                                              \
      if constexpr (S == scope::device) return T(Function(reinterpret_cast<word*>(p), word(v)));      \
      else return T(Function##_block(reinterpret_cast<word*>(p), word(v)));                           \
    } else {                                                                                          \
      word old, operand = word(v);                                                                    \
      if constexpr (std::same_as<word, unsigned>) BALLOT_SIMT_ATOM(#name, "u32", "r");                \
      else if constexpr (std::same_as<word, int>) BALLOT_SIMT_ATOM(#name, "s32", "r");                \
      else if constexpr (std::same_as<word, unsigned long long>) BALLOT_SIMT_ATOM(#name, "u64", "l"); \
      else BALLOT_SIMT_ATOM(#name, "s64", "l");                                                       \
      return T(old);                                                                                  \
    }                                                                                                 \
  }
// Keeps the smaller, or the larger. Returns the old value.
BALLOT_SIMT_MINMAX(min, atomicMin)
BALLOT_SIMT_MINMAX(max, atomicMax)
#undef BALLOT_SIMT_MINMAX

#define BALLOT_SIMT_LOGIC(name, Function)                                                        \
  template <order O = order::relaxed, scope S = scope::device, detail::atomic_integer T>         \
  __device__ __forceinline__ T atomic_##name(T* p, detail::word_of<T> v) {                       \
    using word = detail::cuda_bits<T>;                                                           \
    if constexpr (O == order::relaxed) {                                                         \
      if constexpr (S == scope::device) return T(Function(reinterpret_cast<word*>(p), word(v))); \
      else return T(Function##_block(reinterpret_cast<word*>(p), word(v)));                      \
    } else {                                                                                     \
      word old, operand = word(v);                                                               \
      if constexpr (sizeof(T) == 4) BALLOT_SIMT_ATOM(#name, "b32", "r");                         \
      else BALLOT_SIMT_ATOM(#name, "b64", "l");                                                  \
      return T(old);                                                                             \
    }                                                                                            \
  }
// Bitwise. Returns the old value.
BALLOT_SIMT_LOGIC(and, atomicAnd)
BALLOT_SIMT_LOGIC(or, atomicOr)
BALLOT_SIMT_LOGIC(xor, atomicXor)
#undef BALLOT_SIMT_LOGIC

/// Stores v. Returns the old value.
template <order O = order::relaxed, scope S = scope::device, detail::atomic_bits T>
__device__ __forceinline__ T atomic_exchange(T* p, detail::word_of<T> v) {
  using word = detail::cuda_bits<T>;
  word old, operand = detail::bits_as<word>(v);
  if constexpr (O == order::relaxed) {
    if constexpr (S == scope::device) old = atomicExch(reinterpret_cast<word*>(p), operand);
    else old = atomicExch_block(reinterpret_cast<word*>(p), operand);
  } else if constexpr (sizeof(T) == 4) {
    BALLOT_SIMT_ATOM("exch", "b32", "r");
  } else {
    BALLOT_SIMT_ATOM("exch", "b64", "l");
  }
  return detail::bits_as<T>(old);
}
#undef BALLOT_SIMT_ATOM
#undef BALLOT_SIMT_ATOM_AS

#define BALLOT_SIMT_CAS_AS(order, scope, type, c)                        \
  asm volatile("atom." order "." scope ".cas." type " %0, [%1], %2, %3;" \
               : "=" c(old)                                              \
               : "l"(p), c(expected), c(desired)                         \
               : "memory")
#define BALLOT_SIMT_CAS(type, c)                                                             \
  do {                                                                                       \
    static_assert(S != scope::system, "atomics order threads of one device");                \
    if constexpr (S == scope::device) {                                                      \
      if constexpr (O == order::acquire) BALLOT_SIMT_CAS_AS("acquire", "gpu", type, c);      \
      else if constexpr (O == order::release) BALLOT_SIMT_CAS_AS("release", "gpu", type, c); \
      else BALLOT_SIMT_CAS_AS("acq_rel", "gpu", type, c);                                    \
    } else {                                                                                 \
      if constexpr (O == order::acquire) BALLOT_SIMT_CAS_AS("acquire", "cta", type, c);      \
      else if constexpr (O == order::release) BALLOT_SIMT_CAS_AS("release", "cta", type, c); \
      else BALLOT_SIMT_CAS_AS("acq_rel", "cta", type, c);                                    \
    }                                                                                        \
  } while (0)
/// Compare and swap: stores v if the bits of `compare` are there. Returns the old value.
template <order O = order::relaxed, scope S = scope::device, detail::atomic_bits T>
__device__ __forceinline__ T atomic_cas(T* p, detail::word_of<T> compare, detail::word_of<T> v) {
  using word = detail::cuda_bits<T>;
  word old, expected = detail::bits_as<word>(compare), desired = detail::bits_as<word>(v);
  if constexpr (O == order::relaxed) {
    if constexpr (S == scope::device) old = atomicCAS(reinterpret_cast<word*>(p), expected, desired);
    else old = atomicCAS_block(reinterpret_cast<word*>(p), expected, desired);
  } else if constexpr (sizeof(T) == 4) {
    BALLOT_SIMT_CAS("b32", "r");
  } else {
    BALLOT_SIMT_CAS("b64", "l");
  }
  return detail::bits_as<T>(old);
}
#undef BALLOT_SIMT_CAS
#undef BALLOT_SIMT_CAS_AS

}  // namespace ballot::simt
