// SPDX-License-Identifier: Apache-2.0
// Communication between the lanes of a warp without memory: votes, shuffles, matches, reductions.
//
// None of these orders memory; sync_warp does. All lanes that run name the same mask, and read only
// lanes in it: the emulator fails the grid otherwise.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/host/machine.hpp>

#include <cstring>
#include <type_traits>

namespace ballot::simt {

/// A word with a bit for each lane of the mask: whether its argument is true.
inline unsigned ballot(bool p, unsigned mask = full_mask, BALLOT_SIMT_MEETING_AT) {
  return unsigned(emulator::warp_collective(emulator::warp_op::ballot, mask, {p, 0}, 0, file, line, function).low);
}
/// Whether the argument is true in any lane.
inline bool any(bool p, unsigned mask = full_mask, BALLOT_SIMT_MEETING_AT) {
  return emulator::warp_collective(emulator::warp_op::any, mask, {p, 0}, 0, file, line, function).low != 0;
}
/// Whether the argument is true in all lanes.
inline bool all(bool p, unsigned mask = full_mask, BALLOT_SIMT_MEETING_AT) {
  return emulator::warp_collective(emulator::warp_op::all, mask, {p, 0}, 0, file, line, function).low != 0;
}
/// Some lanes that currently run together, among them this one. Guarantees nothing more.
inline unsigned active_mask() { return emulator::active_mask(); }

namespace detail {

// A shuffle of a value of up to 64 bytes: one of the emulator's for each 16 of them.
template <class T>
inline T shuffled(emulator::warp_op op, const T& v, unsigned argument, unsigned mask, const char* file, int line,
                  const char* function) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 64, "trivially copyable values of up to 64 bytes");
  if constexpr (sizeof(T) <= 16) {
    return emulator::unpack<T>(emulator::warp_collective(op, mask, emulator::pack(v), argument, file, line, function));
  } else {
    T moved = v;
    for (std::size_t at = 0; at < sizeof(T); at += sizeof(emulator::word)) {
      const std::size_t bytes = sizeof(T) - at < sizeof(emulator::word) ? sizeof(T) - at : sizeof(emulator::word);
      emulator::word piece{};
      std::memcpy(&piece, reinterpret_cast<const unsigned char*>(&v) + at, bytes);
      piece = emulator::warp_collective(op, mask, piece, argument, file, line, function);
      std::memcpy(reinterpret_cast<unsigned char*>(&moved) + at, &piece, bytes);
    }
    return moved;
  }
}

}  // namespace detail

/// The value of lane `lane` (modulo 32).
template <class T>
inline T shuffle(T v, unsigned lane, unsigned mask = full_mask, BALLOT_SIMT_MEETING_AT) {
  return detail::shuffled(emulator::warp_op::shuffle, v, lane, mask, file, line, function);
}
/// The value of the lane `d` (at most 31) below; the lowest `d` lanes keep their own.
template <class T>
inline T shuffle_up(T v, unsigned d, unsigned mask = full_mask, BALLOT_SIMT_MEETING_AT) {
  return detail::shuffled(emulator::warp_op::shuffle_up, v, d, mask, file, line, function);
}
/// The value of the lane `d` (at most 31) above; the highest `d` lanes keep their own.
template <class T>
inline T shuffle_down(T v, unsigned d, unsigned mask = full_mask, BALLOT_SIMT_MEETING_AT) {
  return detail::shuffled(emulator::warp_op::shuffle_down, v, d, mask, file, line, function);
}
/// The value of the lane whose number differs in the bits `d` (at most 31).
template <class T>
inline T shuffle_xor(T v, unsigned d, unsigned mask = full_mask, BALLOT_SIMT_MEETING_AT) {
  return detail::shuffled(emulator::warp_op::shuffle_xor, v, d, mask, file, line, function);
}

/// The lanes whose value has the same bits as this lane's.
template <class T>
inline unsigned match_any(T v, unsigned mask = full_mask, BALLOT_SIMT_MEETING_AT) {
  static_assert(sizeof(T) <= 4 || sizeof(T) == 8, "values of 1 to 4 or of 8 bytes");
  return unsigned(
      emulator::warp_collective(emulator::warp_op::match_any, mask, emulator::pack(v), 0, file, line, function).low);
}
/// The mask if all its lanes have the same bits, else 0.
template <class T>
inline unsigned match_all(T v, unsigned mask = full_mask, BALLOT_SIMT_MEETING_AT) {
  static_assert(sizeof(T) <= 4 || sizeof(T) == 8, "values of 1 to 4 or of 8 bytes");
  return unsigned(
      emulator::warp_collective(emulator::warp_op::match_all, mask, emulator::pack(v), 0, file, line, function).low);
}

// Every lane of the mask gets the result over all of them; sums wrap.
#define BALLOT_SIMT_REDUCE(name, T, op)                                                                          \
  inline T reduce_##name(T v, unsigned mask = full_mask, BALLOT_SIMT_MEETING_AT) {                               \
    return T(unsigned(                                                                                           \
        emulator::warp_collective(emulator::warp_op::op, mask, {unsigned(v), 0}, 0, file, line, function).low)); \
  }
BALLOT_SIMT_REDUCE(add, unsigned, add)
BALLOT_SIMT_REDUCE(add, int, add)
BALLOT_SIMT_REDUCE(min, unsigned, min_u)
BALLOT_SIMT_REDUCE(min, int, min_s)
BALLOT_SIMT_REDUCE(max, unsigned, max_u)
BALLOT_SIMT_REDUCE(max, int, max_s)
BALLOT_SIMT_REDUCE(and, unsigned, and_)
BALLOT_SIMT_REDUCE(or, unsigned, or_)
BALLOT_SIMT_REDUCE(xor, unsigned, xor_)
#undef BALLOT_SIMT_REDUCE

}  // namespace ballot::simt
