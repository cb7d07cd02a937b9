// SPDX-License-Identifier: Apache-2.0
// The selected keys of a row in shared memory, and how a row's warps store them: in order of
// position, as they are staged, or sorted.
//
//     staged    5 2 8 2        sorted: each goes to its rank, the number of keys before it
//     rank      2 0 3 1
//
// One warp sorts 33 to 128 keys of up to 4 bytes in registers, by a network. Of several warps, several
// lanes count for a key where the row has more lanes than selected keys.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_sort/lane_networks.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

inline constexpr unsigned most_sorted_by_rank =
    256;  // so many selected items of a row are sorted where they are staged
// So many one warp sorts in registers.
inline constexpr unsigned most_in_registers = 4 * simt::warp_size;

// Keys of fewer than 4 bytes take a register of 4.
template <class U>
using row_code_t = std::conditional_t<sizeof(U) <= 4, std::uint32_t, std::uint64_t>;

// Warps: the warps of a row. Either so many, or several_warps: all warps of a block, a power of
// two.
inline constexpr int several_warps = 0;
template <int Warps>
__device__ __forceinline__ unsigned warps_of_row() {
  if constexpr (Warps == several_warps) return blockDim.x / simt::warp_size;
  else return static_cast<unsigned>(Warps);
}
template <int Warps>
__device__ __forceinline__ void sync_row() {
  if constexpr (Warps == 1) simt::sync_warp();
  else simt::sync_block();
}

// Room for Items selected keys of a row, and a spare word of each of Threads threads.
template <class U, unsigned Items, unsigned Threads>
struct staged_row {
  using code_type = row_code_t<U>;
  static constexpr unsigned spare = Items + 4;  // four keys are read at a time
  struct alignas(4 * sizeof(code_type) < 16 ? 4 * sizeof(code_type) : 16) four {
    code_type code[4];
  };
  alignas(16) code_type code[spare + Threads];
  std::uint16_t position[spare + Threads];

  __device__ __forceinline__ four four_from(unsigned i) const { return *reinterpret_cast<const four*>(code + i); }
};

// How many of the staged keys come before key i, whose equal ones are in order, among every parts-th
// four of the keys from `first` to `end`. No branch, and four sums, so that none waits for another.
template <class Staged>
__device__ __forceinline__ unsigned staged_before(const Staged& staged, unsigned i, unsigned first, unsigned end,
                                                  unsigned parts) {
  const auto own = staged.code[i];
  unsigned rank[4]{};
#pragma unroll 2
  for (; first < end; first += 4 * parts) {
    const auto other = staged.four_from(first);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j)
      rank[j] += static_cast<unsigned>(other.code[j] < own) |
                 (static_cast<unsigned>(other.code[j] == own) & static_cast<unsigned>(first + j < i));
  }
  return rank[0] + rank[1] + (rank[2] + rank[3]);
}

// How many of the keys from `first` to `end` are below `own`, or equal it, too.
template <bool OrEqual, class Staged>
__device__ __forceinline__ unsigned staged_below(const Staged& staged, unsigned first, unsigned end,
                                                 typename Staged::code_type own) {
  unsigned rank[4]{};
#pragma unroll 2
  for (; first < end; first += 4) {
    const auto other = staged.four_from(first);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) rank[j] += (OrEqual ? other.code[j] <= own : other.code[j] < own) ? 1u : 0u;
  }
  return rank[0] + rank[1] + (rank[2] + rank[3]);
}

// Sorts up to Items keys a lane of one warp, in place. Word: a code, or a code and a position, which
// orders equal keys. Ends with the warp's barrier.
template <class Word, int Items, class Staged>
__device__ __forceinline__ void sort_staged_in_warp(Staged& staged, unsigned wanted) {
  constexpr bool has_positions = sizeof(Word) == 8;
  const unsigned lane = simt::lane_id();
  Word word[Items];
#pragma unroll
  for (unsigned j = 0; j < Items; ++j) {
    const unsigned i = j * simt::warp_size + lane;
    Word own = static_cast<Word>(~Word{0});
    if (i < wanted) {
      own = staged.code[i];
      if constexpr (has_positions) own = own << 16 | staged.position[i];
    }
    word[j] = own;
  }
  sort_in_lanes(word, simt::warp_size, simt::warp_size);
  simt::sync_warp();  // all have been read
#pragma unroll
  for (unsigned j = 0; j < Items; ++j) {
    const unsigned rank = lane * Items + j;
    if (rank >= wanted) continue;
    if constexpr (has_positions) {
      staged.code[rank] = static_cast<std::uint32_t>(word[j] >> 16);
      staged.position[rank] = static_cast<std::uint16_t>(word[j]);
    } else {
      staged.code[rank] = word[j];
    }
  }
  simt::sync_warp();
}
template <class Staged>
__device__ __forceinline__ void sort_staged_in_warp(Staged& staged, unsigned wanted, bool has_positions) {
  if (wanted <= 2 * simt::warp_size) {
    if (has_positions) sort_staged_in_warp<std::uint64_t, 2>(staged, wanted);
    else sort_staged_in_warp<std::uint32_t, 2>(staged, wanted);
  } else {
    if (has_positions) sort_staged_in_warp<std::uint64_t, 4>(staged, wanted);
    else sort_staged_in_warp<std::uint32_t, 4>(staged, wanted);
  }
}

// Stores the staged keys of a row. Sorted: up to most_sorted_by_rank keys, followed by those that
// pad_staged has written. positions may be null. All lanes of the row's warps, after their barrier;
// they need another one before the memory is used again.
template <class U, int Warps, class Staged, class Index>
__device__ __forceinline__ void store_staged(Staged& staged, unsigned warp, std::uint32_t wanted, bool sorted,
                                             const key_codec<U>& codec, U* keys_out, Index* positions_out) {
  using code_type = typename Staged::code_type;
  const unsigned thread = warp * simt::warp_size + simt::lane_id(), threads = warps_of_row<Warps>() * simt::warp_size;
  const auto put = [&](unsigned to, code_type code, unsigned i) {
    keys_out[to] = codec.decode(static_cast<U>(code));
    if (positions_out != nullptr) positions_out[to] = static_cast<Index>(staged.position[i]);
  };
  if constexpr (Warps == 1 && sizeof(code_type) == 4) {
    if (sorted && wanted > simt::warp_size && wanted <= most_in_registers) {
      sort_staged_in_warp(staged, wanted, positions_out != nullptr);
      sorted = false;
    }
  }
  if (!sorted) {
#pragma unroll 1
    for (unsigned i = thread; i < wanted; i += threads) put(i, staged.code[i], i);
  } else if constexpr (Warps == 1) {
#pragma unroll 1
    for (unsigned begin = 0; begin < wanted; begin += simt::warp_size) {
      const unsigned i = begin + thread;
      const code_type own = i < wanted ? staged.code[i] : static_cast<code_type>(~code_type{0});
      // Equal ones stay in order.
      const unsigned rank = static_cast<unsigned>(simt::popcount(simt::match_any(own) & simt::lanemask_lt())) +
                            staged_below<true>(staged, 0, begin, own) + staged_below<false>(staged, begin, wanted, own);
      if (i < wanted) put(rank, own, i);
    }
  } else {
    // The lanes of a key, up to 8: as many as there are for each.
    const unsigned room = wanted == 1 ? threads : threads >> (32 - simt::leading_zeros(wanted - 1u));
    const unsigned parts = room >= 8 ? 8 : room > 1 ? room : 1, part = thread & (parts - 1);
    const int shift = simt::find_first(parts);
#pragma unroll 1
    for (unsigned begin = 0; begin < wanted; begin += threads >> shift) {
      const unsigned i = begin + (thread >> shift), at = i < wanted ? i : 0;
      unsigned rank = staged_before(staged, at, 4 * part, wanted, parts);
      for (unsigned apart = 1; apart < parts; apart *= 2) rank += simt::shuffle_xor(rank, apart);
      if (i < wanted && part == 0) put(rank, staged.code[i], i);
    }
  }
}

// What store_staged needs after the staged keys. Before the row's barrier.
template <class Staged>
__device__ __forceinline__ void pad_staged(Staged& staged, unsigned thread, std::uint32_t wanted) {
  using code_type = typename Staged::code_type;
  if (thread < 3) staged.code[wanted + thread] = static_cast<code_type>(~code_type{0});
}

}  // namespace ballot::detail
