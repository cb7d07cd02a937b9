// SPDX-License-Identifier: Apache-2.0
// The short segments of a block's window, in chunks of up to four keys.
//
//     segments    5 items, none, 2, 9
//     chunks      0 1 | 2 | 3 4 5
//     heads       1 0   1   1 0 0     a bit for each chunk
//
// A thread finds the segment of a chunk by counting heads.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_sort/tile_segments.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

inline constexpr unsigned chunk_keys = 4;
// The longest segment that is sorted by ranks. H200, 20 million f32 with u32, in rows of 64, 100 and
// 112: 277, 346 and 361 us, by bins 377, 388 and 390. u64 with u32, in rows of 64: 463, by bins 523.
template <class U>
inline constexpr unsigned longest_short_segment = sizeof(U) == 8 ? 64 : 112;

// Compared bits, in a type that comparisons are fast in.
template <class U>
using compared_word = std::conditional_t<sizeof(U) == 8, std::uint64_t, std::uint32_t>;

template <class U>
struct alignas(16) key_chunk {
  compared_word<U> key[chunk_keys];
};

template <class U, class Order>
struct short_segments_storage {
  // Chunks of a thread. H200, 20 million f32 with u32, in rows of 5: 246 us; with four, which have no
  // room for such rows, 368.
  static constexpr int rounds = Order::sparse ? 2 : sizeof(U) == 8 ? 3 : 5;
  static constexpr unsigned most_chunks = rounds * Order::threads, rows = most_chunks / simt::warp_size;
  key_chunk<U> chunk[most_chunks];
  std::uint16_t position[Order::items];         // of the item that comes here
  std::uint32_t segment[most_chunks + 1];       // begin, and in the upper half the first chunk
  std::uint32_t heads[rows], before[rows + 1];  // chunks with which segments begin; how many in rows before
  typename block::scan<std::uint32_t, Order::threads>::storage scan;
};

// Lists the segments of the window that are not empty. Returns the number of their chunks, or 0:
// some segment is too long, or offsets do not ascend, or there are too many chunks. All threads;
// the same in all. Ends with a barrier.
template <class Order, class U, class Offsets>
__device__ __forceinline__ unsigned list_short_segments(short_segments_storage<U, Order>& shared, Offsets offsets,
                                                        const tile_segments& tile, std::uint64_t window_begin,
                                                        unsigned valid) {
  using storage = short_segments_storage<U, Order>;
  const std::uint64_t listed = tile.end_offset - tile.first_offset;
  if (valid > longest_short_segment<U> * (listed + 1) || listed >= 16 * Order::threads) return 0;
  const auto count = static_cast<unsigned>(listed), thread = simt::thread_rank();
  // Segment k is [bound(k), bound(k + 1)), for k up to `count`.
  const auto bound = [&](unsigned k) -> unsigned {
    if (k == 0) return 0;
    if (k > count) return valid;
    const std::uint64_t at = offsets[tile.first_offset + k - 1];
    return at <= window_begin ? 0 : static_cast<unsigned>(smaller(at - window_begin, std::uint64_t{valid}));
  };
  const unsigned own = count / Order::threads + 1, first = thread * own;  // consecutive segments of a thread
  const unsigned end = first + own <= count + 1 ? first + own : count + 1;
  std::uint32_t sum = 0;  // chunks, and in the upper half segments
  bool is_short = true;
#pragma unroll 1
  for (unsigned k = first; k < end; ++k) {
    const unsigned length = bound(k + 1) - bound(k);  // wraps if offsets descend
    is_short = is_short && length <= longest_short_segment<U>;
    sum += (length + chunk_keys - 1) / chunk_keys + (length != 0 ? 1u << 16 : 0u);
  }
  for (unsigned row = thread; row < storage::rows; row += Order::threads) shared.heads[row] = 0;
  if (simt::sync_block_any(!is_short)) return 0;
  std::uint32_t total;
  std::uint32_t before = block::scan<std::uint32_t, Order::threads>::exclusive(shared.scan, sum, 0u, total);
  const unsigned chunks = total & 0xffffu;
  if (chunks > storage::most_chunks) {
    simt::sync_block();
    return 0;
  }
  if (thread == 0) {
    shared.before[0] = 0;
    shared.segment[total >> 16] = valid | chunks << 16;
  }
#pragma unroll 1
  for (unsigned k = first; k < end; ++k) {
    const unsigned begin = bound(k), length = bound(k + 1) - begin;
    if (length == 0) continue;
    const unsigned chunk = before & 0xffffu, index = before >> 16;
    const unsigned behind = chunk + (length + chunk_keys - 1) / chunk_keys;
    shared.segment[index] = begin | chunk << 16;
    // Relaxed: read after the barrier.
    simt::atomic_or<simt::order::relaxed, simt::scope::block>(&shared.heads[chunk / simt::warp_size],
                                                              1u << chunk % simt::warp_size);
#pragma unroll 1
    for (unsigned row = chunk / simt::warp_size + 1; row * simt::warp_size <= behind; ++row)
      shared.before[row] = index + 1;
    before = behind | (index + 1) << 16;
  }
  simt::sync_block();
  return chunks;
}

// The part of a segment that a chunk is.
struct chunk_place {
  unsigned segment_begin, first_chunk, end_chunk;
  unsigned begin, keys;  // of the chunk
};
template <class U, class Order>
__device__ __forceinline__ chunk_place place_of(const short_segments_storage<U, Order>& shared, unsigned chunk) {
  const unsigned row = chunk / simt::warp_size;
  const unsigned index =
      shared.before[row] + simt::popcount(shared.heads[row] << (simt::warp_size - 1 - chunk % simt::warp_size)) - 1;
  const std::uint32_t segment = shared.segment[index], next = shared.segment[index + 1];
  const unsigned first = segment >> 16, begin = (segment & 0xffffu) + (chunk - first) * chunk_keys;
  const unsigned left = (next & 0xffffu) - begin;
  return {segment & 0xffffu, first, next >> 16, begin, left < chunk_keys ? left : chunk_keys};
}

}  // namespace ballot::detail
