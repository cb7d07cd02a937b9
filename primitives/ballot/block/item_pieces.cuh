// SPDX-License-Identifier: Apache-2.0
// Items of any size, moved by a warp between global memory and shared memory, in pieces that the
// hardware can access at once.
//
//     items of 20 bytes    |  a  |  a  |  a  |  a  |  a  |  b  |  b  |  b  |  b  |  b  | ...
//     pieces of 4          |  0  |  1  |  2  |  3  |  4  |  5  |  6  |  7  |  8  |  9  | ...    lane
//     pieces of 16         |           0           |           1           |       2   ...
//
// Neighbouring lanes move neighbouring pieces, so each access of the warp is one stretch of memory.
// If each lane moved its own item, word by word, each access would touch every sector of 32 items.
// Pieces have 16 bytes if the address allows this, whatever the size of an item. Otherwise they
// have as many bytes as the alignment of the type.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::block {

// The largest piece that suits the address of every T, and the largest of which a T consists.
template <class T>
inline constexpr unsigned sure_piece_bytes = alignof(T) < 16 ? alignof(T) : 16;
template <class T>
inline constexpr unsigned largest_piece_bytes =
    static_cast<unsigned>(sizeof(T) % 16 == 0 ? 16 : sizeof(T) & (~sizeof(T) + 1));

// Whether asynchronous copies can move an item wherever it lies.
template <class T>
inline constexpr bool has_asynchronous_pieces = sure_piece_bytes<T> >= 4;

// A piece as words.
template <unsigned Bytes>
using piece_word =
    std::conditional_t<Bytes % 4 == 0, std::uint32_t, std::conditional_t<Bytes % 2 == 0, std::uint16_t, std::uint8_t>>;
template <unsigned Bytes>
struct [[gnu::may_alias]] alignas(Bytes) memory_piece {
  static constexpr int words = static_cast<int>(Bytes / sizeof(piece_word<Bytes>));
  piece_word<Bytes> word[words];
};

// Begins to bring a piece to shared memory, or brings it if it cannot be copied asynchronously.
template <unsigned Bytes>
__device__ __forceinline__ void start_piece(unsigned char* to, const unsigned char* from) {
  if constexpr (Bytes >= 4) simt::copy_async<static_cast<int>(Bytes)>(to, from);
  else *reinterpret_cast<memory_piece<Bytes>*>(to) = *reinterpret_cast<const memory_piece<Bytes>*>(from);
}
// Stores a piece of shared memory.
template <unsigned Bytes>
__device__ __forceinline__ void store_piece(unsigned char* to, const unsigned char* from) {
  using piece = memory_piece<Bytes>;
  simt::vector<piece_word<Bytes>, piece::words> words;
  const auto& in_shared = *reinterpret_cast<const piece*>(from);
#pragma unroll
  for (int w = 0; w < piece::words; ++w) words[w] = in_shared.word[w];
  simt::store_vector<piece_word<Bytes>, piece::words>(reinterpret_cast<piece_word<Bytes>*>(to), words);
}

// Calls move(std::integral_constant<unsigned, bytes>, offset) for the pieces of `bytes` <= Most
// bytes, of which this lane has every 32nd: pieces of Large bytes, and after the last of them
// pieces of Small bytes. One loop for whole and partial parts: a cold call waits for its code, too.
template <unsigned Large, unsigned Small, unsigned Most, class Move>
__device__ __forceinline__ void for_pieces(unsigned bytes, const Move& move) {
  static_assert(Large / Small <= simt::warp_size, "the small pieces are one for each lane");
  constexpr unsigned rounds = (Most / Large + simt::warp_size - 1) / simt::warp_size;
  const unsigned lane = simt::lane_id(), pieces = bytes / Large;
#pragma unroll(rounds < 16 ? rounds : 8)
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned at = round * simt::warp_size + lane;
    if (at < pieces) move(std::integral_constant<unsigned, Large>(), at * Large);
  }
  if constexpr (Small < Large) {
    const unsigned at = pieces * Large + lane * Small;
    if (at < bytes) move(std::integral_constant<unsigned, Small>(), at);
  }
}

// Calls of(std::integral_constant<unsigned, bytes>) with the size of pieces for this address: Large
// if it is a multiple of that, else the largest that suits every T.
template <class T, unsigned Large, class Of>
__device__ __forceinline__ void with_pieces_at(const void* address, const Of& of) {
  constexpr unsigned sure = sure_piece_bytes<T>;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if constexpr (sure >= Large) {
    of(std::integral_constant<unsigned, Large>());
  } else {
    if (at % Large == 0) return of(std::integral_constant<unsigned, Large>());
    if constexpr (sure < 4 && Large > 4)
      if (at % 4 == 0) return of(std::integral_constant<unsigned, 4>());
    of(std::integral_constant<unsigned, sure>());
  }
}

// All lanes of a warp: begins to bring `items` <= Most consecutive items to shared memory, which is
// aligned to 16 bytes. They are there after wait_for_copies and a barrier of the warp.
template <unsigned Most, class T>
__device__ __forceinline__ void start_items(unsigned char* to, const T* in, unsigned items) {
  const auto* const from = reinterpret_cast<const unsigned char*>(in);
  with_pieces_at<T, 16>(in, [&]<unsigned Large>(std::integral_constant<unsigned, Large>) {
    for_pieces<Large, sure_piece_bytes<T>, Most * sizeof(T)>(
        items * unsigned{sizeof(T)}, [&]<unsigned Bytes>(std::integral_constant<unsigned, Bytes>, unsigned at) {
          start_piece<Bytes>(to + at, from + at);
        });
  });
}
// All lanes of a warp: stores `items` <= Most consecutive items of shared memory, which is aligned
// to 16 bytes.
template <unsigned Most, class T>
__device__ __forceinline__ void store_items(T* out, const unsigned char* from, unsigned items) {
  auto* const to = reinterpret_cast<unsigned char*>(out);
  with_pieces_at<T, 16>(out, [&]<unsigned Large>(std::integral_constant<unsigned, Large>) {
    for_pieces<Large, sure_piece_bytes<T>, Most * sizeof(T)>(
        items * unsigned{sizeof(T)}, [&]<unsigned Bytes>(std::integral_constant<unsigned, Bytes>, unsigned at) {
          store_piece<Bytes>(to + at, from + at);
        });
  });
}

}  // namespace ballot::block
