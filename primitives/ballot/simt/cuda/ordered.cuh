// SPDX-License-Identifier: Apache-2.0
// Indivisible loads and stores of 4, 8 and 16 bytes for communication between threads: relaxed,
// release and acquire. Relaxed stores within a block also take 2 bytes.
//
// 16 bytes are accessed as one scalar .b128. A vector access (.v2.u64) may be torn. A scalar access
// is a single one, if ptxas is kept from narrowing it (below). The value is in a 128-bit register,
// which PTX packs and unpacks with mov.b128 (PTX ISA 8.3, sm_70).
//
// The "memory" clobber keeps the compiler from moving plain accesses across, as acquire and release
// demand. For relaxed accesses it keeps a polling loop honest: each turn loads again.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstdint>
#include <cstring>

#include <cuda_runtime.h>

#include <ballot/simt/common.hpp>

namespace ballot::simt {

namespace detail {

template <class T>
inline constexpr bool ordered_size =
    std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

struct words128 {
  unsigned long long low, high;
};

}  // namespace detail

// ptxas (CUDA 13.0) may narrow a 128-bit load if not all of its result is used, although the load
// is volatile and ordered. If the third of four words is unused, it can emit LD.64 and LD.32, as it
// did in a look-back. A store between these two loads tears the value.
//
// So every bit is used, by a zero-length sleep that is almost never executed and has no effect.
// That is four instructions, in a loop that waits for memory. Narrowing a load of 64 bits is
// harmless: one half is left, or nothing. tests/house/ordered_loads_test.py reads the machine code.
#define BALLOT_SIMT_USE_ALL_BITS                                       \
  ".reg .b64 all;\n\t.reg .pred unlikely;\n\txor.b64 all, %0, %1;\n\t" \
  "setp.eq.u64 unlikely, all, 0x9e3779b97f4a7c15;\n\t@unlikely nanosleep.u32 0;\n\t"
#define BALLOT_SIMT_LOAD_AS(order, scope)                                                   \
  if constexpr (sizeof(T) == 4) {                                                           \
    unsigned b;                                                                             \
    asm volatile("ld." order "." scope ".b32 %0, [%1];" : "=r"(b) : "l"(p) : "memory");     \
    memcpy(bytes, &b, 4);                                                                   \
  } else if constexpr (sizeof(T) == 8) {                                                    \
    unsigned long long b;                                                                   \
    asm volatile("ld." order "." scope ".b64 %0, [%1];" : "=l"(b) : "l"(p) : "memory");     \
    memcpy(bytes, &b, 8);                                                                   \
  } else {                                                                                  \
    detail::words128 b;                                                                     \
    asm volatile("{\n\t.reg .b128 t;\n\tld." order "." scope                                \
                 ".b128 t, [%2];\n\tmov.b128 {%0, %1}, t;\n\t" BALLOT_SIMT_USE_ALL_BITS "}" \
                 : "=l"(b.low), "=l"(b.high)                                                \
                 : "l"(p)                                                                   \
                 : "memory");                                                               \
    memcpy(bytes, &b, 16);                                                                  \
  }
#define BALLOT_SIMT_LOAD(name, order)                                                 \
  template <scope S = scope::device, class T>                                         \
  __device__ __forceinline__ T name(const T* p) {                                     \
    static_assert(detail::ordered_size<T>, "ordered accesses take 4, 8 or 16 bytes"); \
    alignas(T) unsigned char bytes[sizeof(T)];                                        \
    if constexpr (S == scope::system) {                                               \
      BALLOT_SIMT_LOAD_AS(order, "sys")                                               \
    } else if constexpr (S == scope::device) {                                        \
      BALLOT_SIMT_LOAD_AS(order, "gpu")                                               \
    } else {                                                                          \
      BALLOT_SIMT_LOAD_AS(order, "cta")                                               \
    }                                                                                 \
    T v;                                                                              \
    memcpy(&v, bytes, sizeof(T));                                                     \
    return v;                                                                         \
  }

#define BALLOT_SIMT_STORE_AS(order, scope)                                                                            \
  if constexpr (sizeof(T) == 4) {                                                                                     \
    unsigned b;                                                                                                       \
    memcpy(&b, &v, 4);                                                                                                \
    asm volatile("st." order "." scope ".b32 [%0], %1;" ::"l"(p), "r"(b) : "memory");                                 \
  } else if constexpr (sizeof(T) == 8) {                                                                              \
    unsigned long long b;                                                                                             \
    memcpy(&b, &v, 8);                                                                                                \
    asm volatile("st." order "." scope ".b64 [%0], %1;" ::"l"(p), "l"(b) : "memory");                                 \
  } else {                                                                                                            \
    detail::words128 b;                                                                                               \
    memcpy(&b, &v, 16);                                                                                               \
    asm volatile("{\n\t.reg .b128 t;\n\tmov.b128 t, {%1, %2};\n\tst." order "." scope ".b128 [%0], t;\n\t}" ::"l"(p), \
                 "l"(b.low), "l"(b.high)                                                                              \
                 : "memory");                                                                                         \
  }
#define BALLOT_SIMT_STORE(name, order)                                                \
  template <scope S = scope::device, class T>                                         \
  __device__ __forceinline__ void name(T* p, detail::word_of<T> v) {                  \
    static_assert(detail::ordered_size<T>, "ordered accesses take 4, 8 or 16 bytes"); \
    if constexpr (S == scope::system) {                                               \
      BALLOT_SIMT_STORE_AS(order, "sys")                                              \
    } else if constexpr (S == scope::device) {                                        \
      BALLOT_SIMT_STORE_AS(order, "gpu")                                              \
    } else {                                                                          \
      BALLOT_SIMT_STORE_AS(order, "cta")                                              \
    }                                                                                 \
  }

// One indivisible load; orders nothing else.
BALLOT_SIMT_LOAD(load_relaxed, "relaxed")
// One indivisible load; pairs with a store_release, whose earlier accesses are then seen by this
// thread's later ones.
BALLOT_SIMT_LOAD(load_acquire, "acquire")
// One indivisible store; orders nothing else.
BALLOT_SIMT_STORE(store_relaxed, "relaxed")
// One indivisible store; pairs with a load_acquire, which then sees this thread's earlier accesses.
BALLOT_SIMT_STORE(store_release, "release")

#undef BALLOT_SIMT_LOAD
#undef BALLOT_SIMT_LOAD_AS
#undef BALLOT_SIMT_USE_ALL_BITS
#undef BALLOT_SIMT_STORE
#undef BALLOT_SIMT_STORE_AS

// A volatile store is relaxed (PTX ISA, memory consistency model). Unlike that of an asm statement,
// its address may be found to be of shared memory: it takes no longer than a plain store there.
template <scope S>
__device__ __forceinline__ void store_relaxed(std::uint16_t* p, std::uint16_t v) {
  static_assert(S == scope::block, "2 bytes are stored for threads of the block");
  *const_cast<volatile std::uint16_t*>(p) = v;
}

/// A store_relaxed of device scope for words that other blocks poll, done as an exchange: it is
/// seen sooner. (The L2 executes an exchange at once. A plain store seems to wait behind the data
/// stores of its multiprocessor.) Measured on an H200: with such states a device scan runs at 0.87
/// of the copy speed, with store_relaxed at 0.62.
template <class T>
__device__ __forceinline__ void publish_relaxed(T* p, detail::word_of<T> v) {
  static_assert(detail::ordered_size<T>, "ordered accesses take 4, 8 or 16 bytes");
  if constexpr (sizeof(T) == 4) {
    unsigned b, old;
    memcpy(&b, &v, 4);
    asm volatile("atom.relaxed.gpu.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(b) : "memory");
  } else if constexpr (sizeof(T) == 8) {
    unsigned long long b, old;
    memcpy(&b, &v, 8);
    asm volatile("atom.relaxed.gpu.exch.b64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(b) : "memory");
  } else {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    detail::words128 b, old;
    memcpy(&b, &v, 16);
    asm volatile(
        "{\n\t.reg .b128 t, o;\n\tmov.b128 t, {%3, %4};\n\tatom.relaxed.gpu.exch.b128 o, [%2], t;\n\tmov.b128 {%0, "
        "%1}, o;\n\t}"
        : "=l"(old.low), "=l"(old.high)
        : "l"(p), "l"(b.low), "l"(b.high)
        : "memory");
#else
    store_relaxed(p, v);  // no 128-bit exchange before sm_90
#endif
  }
}

/// A sequentially consistent fence among the threads of the scope.
template <scope S = scope::device>
__device__ __forceinline__ void fence() {
  static_assert(S != scope::system, "fences order threads of one device");
  if constexpr (S == scope::device) __threadfence();
  else __threadfence_block();
}

/// Marks a polling loop: this thread has nothing to do until memory changes.
__device__ __forceinline__ void spin_hint() { __nanosleep(32); }

/// How many times to poll the state of a block that may not have started before recomputing its
/// result: some hundred microseconds.
inline constexpr unsigned polls_before_fallback = 1024;

}  // namespace ballot::simt
