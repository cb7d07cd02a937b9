// SPDX-License-Identifier: Apache-2.0
// Atomic read-modify-writes on shared and global memory: relaxed and of device scope unless said.
#pragma once

#include <ballot/core/namespace.hpp>
#include <concepts>

#include <ballot/simt/host/machine.hpp>

namespace ballot::simt {

namespace detail {
template <class T>
concept atomic_integer = std::integral<T> && (sizeof(T) == 4 || sizeof(T) == 8);
template <class T>
concept atomic_number = atomic_integer<T> || std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept atomic_bits = std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

template <class T>
inline T read_modify_write(emulator::atomic_op op, T* p, T v, T compare, order o, scope s, const char* file, int line) {
  return emulator::unpack<T>(
      emulator::atomic_access(op, p, sizeof(T), emulator::pack(v), emulator::pack(compare), o, s, file, line));
}
}  // namespace detail

/// Adds; integers wrap. Returns the old value.
template <order O = order::relaxed, scope S = scope::device, detail::atomic_number T>
inline T atomic_add(T* p, detail::word_of<T> v, BALLOT_SIMT_AT) {
  constexpr auto op = std::same_as<T, float>    ? emulator::atomic_op::add_float
                      : std::same_as<T, double> ? emulator::atomic_op::add_double
                                                : emulator::atomic_op::add;
  return detail::read_modify_write(op, p, v, T{}, O, S, file, line);
}
/// Keeps the smaller. Returns the old value.
template <order O = order::relaxed, scope S = scope::device, detail::atomic_integer T>
inline T atomic_min(T* p, detail::word_of<T> v, BALLOT_SIMT_AT) {
  constexpr auto op = std::is_signed_v<T> ? emulator::atomic_op::min_s : emulator::atomic_op::min_u;
  return detail::read_modify_write(op, p, v, T{}, O, S, file, line);
}
/// Keeps the larger. Returns the old value.
template <order O = order::relaxed, scope S = scope::device, detail::atomic_integer T>
inline T atomic_max(T* p, detail::word_of<T> v, BALLOT_SIMT_AT) {
  constexpr auto op = std::is_signed_v<T> ? emulator::atomic_op::max_s : emulator::atomic_op::max_u;
  return detail::read_modify_write(op, p, v, T{}, O, S, file, line);
}
/// Bitwise and. Returns the old value.
template <order O = order::relaxed, scope S = scope::device, detail::atomic_integer T>
inline T atomic_and(T* p, detail::word_of<T> v, BALLOT_SIMT_AT) {
  return detail::read_modify_write(emulator::atomic_op::and_, p, v, T{}, O, S, file, line);
}
/// Bitwise or. Returns the old value.
template <order O = order::relaxed, scope S = scope::device, detail::atomic_integer T>
inline T atomic_or(T* p, detail::word_of<T> v, BALLOT_SIMT_AT) {
  return detail::read_modify_write(emulator::atomic_op::or_, p, v, T{}, O, S, file, line);
}
/// Bitwise exclusive or. Returns the old value.
template <order O = order::relaxed, scope S = scope::device, detail::atomic_integer T>
inline T atomic_xor(T* p, detail::word_of<T> v, BALLOT_SIMT_AT) {
  return detail::read_modify_write(emulator::atomic_op::xor_, p, v, T{}, O, S, file, line);
}
/// Stores v. Returns the old value.
template <order O = order::relaxed, scope S = scope::device, detail::atomic_bits T>
inline T atomic_exchange(T* p, detail::word_of<T> v, BALLOT_SIMT_AT) {
  return detail::read_modify_write(emulator::atomic_op::exchange, p, v, v, O, S, file, line);
}
/// Compare and swap: stores v if the bits of `compare` are there. Returns the old value.
template <order O = order::relaxed, scope S = scope::device, detail::atomic_bits T>
inline T atomic_cas(T* p, detail::word_of<T> compare, detail::word_of<T> v, BALLOT_SIMT_AT) {
  return detail::read_modify_write(emulator::atomic_op::cas, p, v, compare, O, S, file, line);
}

}  // namespace ballot::simt
