// SPDX-License-Identifier: Apache-2.0
// The entry points of -fsanitize=thread, ours.
//
// The compiler's instrumentation calls these at every plain access that a thread might share.
// Compiled with it but not linked with libtsan, a kernel reports each of its accesses to the
// emulator, without a change of its source. Calls from host code that touch no device memory return
// at once. std::atomic in host code (test frameworks have some) just works.
//
// GCC does not instrument the store of a struct that a call returns into memory (*p = f()): the
// emulator takes that memory for uninitialized. Kernels store a member of the result instead.
#include <cstdint>
#include <cstring>

#include <ballot/emulator.hpp>

#include "checks.hpp"

namespace {

using ballot::emulator::plain_access;

struct mark_instrumented {
  mark_instrumented() { ballot::emulator::set_instrumented(); }
};

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {

void __tsan_init() { static const mark_instrumented once; }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// The compiler calls the unaligned ones where it cannot promise alignment (to 8, for 16 bytes).
#define BALLOT_ACCESS(n, alignment)                                                         \
  void __tsan_read##n(void* p) { plain_access(p, n, false, alignment, CALLER); }            \
  void __tsan_write##n(void* p) { plain_access(p, n, true, alignment, CALLER); }            \
  void __tsan_volatile_read##n(void* p) { plain_access(p, n, false, alignment, CALLER); }   \
  void __tsan_volatile_write##n(void* p) { plain_access(p, n, true, alignment, CALLER); }   \
  void __tsan_unaligned_read##n(void* p) { plain_access(p, n, false, 1, CALLER); }          \
  void __tsan_unaligned_write##n(void* p) { plain_access(p, n, true, 1, CALLER); }          \
  void __tsan_unaligned_volatile_read##n(void* p) { plain_access(p, n, false, 1, CALLER); } \
  void __tsan_unaligned_volatile_write##n(void* p) { plain_access(p, n, true, 1, CALLER); } \
  void __tsan_read_write##n(void* p) {                                                      \
    plain_access(p, n, false, alignment, CALLER);                                           \
    plain_access(p, n, true, alignment, CALLER);                                            \
  }                                                                                         \
  void __tsan_unaligned_read_write##n(void* p) {                                            \
    plain_access(p, n, false, 1, CALLER);                                                   \
    plain_access(p, n, true, 1, CALLER);                                                    \
  }
BALLOT_ACCESS(1, 1)
BALLOT_ACCESS(2, 2)
BALLOT_ACCESS(4, 4)
BALLOT_ACCESS(8, 8)
BALLOT_ACCESS(16, 8)

void __tsan_read_range(void* p, unsigned long n) { plain_access(p, unsigned(n), false, 1, CALLER); }
void __tsan_write_range(void* p, unsigned long n) { plain_access(p, unsigned(n), true, 1, CALLER); }

void* __tsan_memcpy(void* d, const void* s, unsigned long n) {
  plain_access(s, unsigned(n), false, 1, CALLER);
  plain_access(d, unsigned(n), true, 1, CALLER);
  return std::memcpy(d, s, n);
}
void* __tsan_memmove(void* d, const void* s, unsigned long n) {
  plain_access(s, unsigned(n), false, 1, CALLER);
  plain_access(d, unsigned(n), true, 1, CALLER);
  return std::memmove(d, s, n);
}
void* __tsan_memset(void* d, int v, unsigned long n) {
  plain_access(d, unsigned(n), true, 1, CALLER);
  return std::memset(d, v, n);
}

#define BALLOT_FETCH(bits, T, name, builtin) \
  T __tsan_atomic##bits##_##name(volatile T* p, T v, int) { return builtin(p, v, __ATOMIC_SEQ_CST); }
#define BALLOT_ATOMIC(bits, T)                                                                            \
  T __tsan_atomic##bits##_load(const volatile T* p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); } \
  void __tsan_atomic##bits##_store(volatile T* p, T v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); } \
  BALLOT_FETCH(bits, T, exchange, __atomic_exchange_n)                                                    \
  BALLOT_FETCH(bits, T, fetch_add, __atomic_fetch_add)                                                    \
  BALLOT_FETCH(bits, T, fetch_sub, __atomic_fetch_sub)                                                    \
  BALLOT_FETCH(bits, T, fetch_and, __atomic_fetch_and)                                                    \
  BALLOT_FETCH(bits, T, fetch_or, __atomic_fetch_or)                                                      \
  BALLOT_FETCH(bits, T, fetch_xor, __atomic_fetch_xor)                                                    \
  BALLOT_FETCH(bits, T, fetch_nand, __atomic_fetch_nand)                                                  \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* e, T v, int, int) {                 \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
  }                                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* e, T v, int, int) {                   \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
  }                                                                                                       \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T e, T v, int, int) {                       \
    __atomic_compare_exchange_n(p, &e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                     \
    return e;                                                                                             \
  }
BALLOT_ATOMIC(8, std::uint8_t)
BALLOT_ATOMIC(16, std::uint16_t)
BALLOT_ATOMIC(32, std::uint32_t)
BALLOT_ATOMIC(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
