// SPDX-License-Identifier: Apache-2.0
// Indivisible loads and stores of 4, 8 and 16 bytes for communication between threads: relaxed,
// release and acquire. Relaxed stores within a block also take 2 bytes.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/host/machine.hpp>

namespace ballot::simt {

namespace detail {

template <class T>
inline constexpr bool ordered_size =
    std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

// The emulator has one device: what orders all devices orders it.
constexpr scope here(scope s) { return s == scope::system ? scope::device : s; }

template <class T>
inline T ordered_load(const T* p, order o, scope s, const char* file, int line) {
  static_assert(ordered_size<T>, "ordered accesses take 4, 8 or 16 bytes");
  return emulator::unpack<T>(
      emulator::atomic_access(emulator::atomic_op::load, const_cast<T*>(p), sizeof(T), {}, {}, o, here(s), file, line));
}
template <class T>
inline void ordered_store(T* p, const T& v, order o, scope s, const char* file, int line) {
  static_assert(ordered_size<T>, "ordered accesses take 4, 8 or 16 bytes");
  emulator::atomic_access(emulator::atomic_op::store, p, sizeof(T), emulator::pack(v), {}, o, here(s), file, line);
}

}  // namespace detail

/// One indivisible load; orders nothing else.
template <scope S = scope::device, class T>
inline T load_relaxed(const T* p, BALLOT_SIMT_AT) {
  return detail::ordered_load(p, order::relaxed, S, file, line);
}
/// One indivisible load; pairs with a store_release, whose earlier accesses are then seen by this
/// thread's later ones.
template <scope S = scope::device, class T>
inline T load_acquire(const T* p, BALLOT_SIMT_AT) {
  return detail::ordered_load(p, order::acquire, S, file, line);
}
/// One indivisible store; orders nothing else.
template <scope S = scope::device, class T>
inline void store_relaxed(T* p, detail::word_of<T> v, BALLOT_SIMT_AT) {
  detail::ordered_store(p, v, order::relaxed, S, file, line);
}
template <scope S>
inline void store_relaxed(std::uint16_t* p, std::uint16_t v, BALLOT_SIMT_AT) {
  static_assert(S == scope::block, "2 bytes are stored for threads of the block");
  emulator::atomic_access(emulator::atomic_op::store, p, sizeof(*p), emulator::pack(v), {}, order::relaxed, S, file,
                          line);
}
/// One indivisible store; pairs with a load_acquire, which then sees this thread's earlier
/// accesses.
template <scope S = scope::device, class T>
inline void store_release(T* p, detail::word_of<T> v, BALLOT_SIMT_AT) {
  detail::ordered_store(p, v, order::release, S, file, line);
}
/// A store_relaxed of device scope for words that other blocks poll; on the GPU it becomes visible
/// sooner.
template <class T>
inline void publish_relaxed(T* p, detail::word_of<T> v, BALLOT_SIMT_AT) {
  detail::ordered_store(p, v, order::relaxed, scope::device, file, line);
}
/// A sequentially consistent fence among the threads of the scope.
template <scope S = scope::device>
inline void fence(BALLOT_SIMT_AT) {
  emulator::fence(S, file, line);
}
/// Marks a polling loop: this thread has nothing to do until memory changes.
inline void spin_hint(BALLOT_SIMT_AT) { emulator::spin(file, line); }

/// How many times to poll the state of a block that may not have started before recomputing its
/// result. Few: the emulator runs few blocks at once, and each poll takes long.
inline constexpr unsigned polls_before_fallback = 4;

}  // namespace ballot::simt
