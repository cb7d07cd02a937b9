// SPDX-License-Identifier: Apache-2.0
// The kernel of bit_ranks: a binary scan of votes that lie in memory.
//
//     words        lane 0: w0   lane 1: w1   ...  lane 31: w31     a word is a ballot: 32 flags
//     popcounts       17           9                 20            scanned over lanes, warps, tiles
//     items of w1  every lane gets w1 and its rank: rank + popcount(w1 & bits below its own)
//
// The binary scan of a warp takes a vote on flags and counts the bits of the vote
// (warp/binary_scan.cuh). Here the votes come from memory, 32 items in 4 bytes. So a warp scans
// 1024 items with one load, one population count and one scan of 32 counts. Tiles exchange one
// count each.
// Sources: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3; Merrill and Garland
// 2016.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/device/cluster.cuh>
#include <ballot/device/detail/packed_bits.cuh>
#include <ballot/device/flags.cuh>
#include <ballot/device/look_back.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>

namespace ballot::device {

// The output: a rank for each bit, or each word. If `appends_total`, the total follows them. If it
// is not null, `total` gets the total alone.
template <class T>
struct rank_output {
  T* ranks;
  bool appends_total;
  device_count total;

  // One thread of the last tile. count: of the ranks.
  __device__ __forceinline__ void store_total(std::uint64_t count, std::uint64_t sum) const {
    if (appends_total) ranks[count] = static_cast<T>(sum);
    if (total.address() != nullptr) total.store(sum);
  }
};

template <int Threads>
struct rank_storage {
  typename block::scan<unsigned, Threads>::storage warps;
  std::uint32_t tile;
  std::uint64_t tile_prefix;
  std::uint32_t of_tiles[simt::most_cluster_blocks];  // the counts of the tiles before, in a cluster
};

// All threads: publishes the tile's count and returns the count of all tiles before it. The first
// warp looks back. One barrier; `shared.tile_prefix` must not be written again before another one.
// states: null for the only tile.
template <int Threads>
__device__ __forceinline__ std::uint64_t publish_and_look_back(count_state::word* states, std::uint32_t tile,
                                                               unsigned count, rank_storage<Threads>& shared,
                                                               tile_exchange exchange) {
  using back = look_back<count_state>;
  if (exchange == tile_exchange::in_cluster) {
    exchange_with_tiles(shared.of_tiles, tile, gridDim.x, count);
    const unsigned lane = simt::lane_id();
    return warp::reduce(lane < tile ? std::uint64_t{shared.of_tiles[lane]} : 0u);
  }
  if (states == nullptr) return 0;
  if (exchange == tile_exchange::publish_only) {
    if (simt::thread_rank() == 0)
      back::store_for_next_launch(states, tile, tile == 0 ? tile_status::prefix : tile_status::aggregate, count);
    return 0;
  }
  if (simt::warp_id() == 0) {
    const bool publishes = simt::lane_id() == 0 && exchange == tile_exchange::look_back;
    std::uint64_t prefix = 0;
    if (tile != 0) {
      if (publishes) back::publish_aggregate(states, tile, count);
      prefix = back::exclusive_prefix(states, tile);
    }
    if (publishes) back::publish_prefix(states, tile, prefix + count);
    if (simt::lane_id() == 0) shared.tile_prefix = prefix;
  }
  simt::sync_block();
  return shared.tile_prefix;
}

// Stores the ranks of this warp's bits, of the first `valid` ones of the tile: those of a full tile
// in vectors. Each lane has one word; word_prefix: the set bits of the tile before it.
template <class T, class Shape>
__device__ __forceinline__ void store_vectors_of_ranks(T* ranks, unsigned valid, std::uint32_t word,
                                                       unsigned word_prefix, std::uint64_t tile_prefix) {
  constexpr unsigned width = Shape::width;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    // This lane's vector of the chunk lies in the word of another lane, which it shares with 32 /
    // width - 1 lanes.
    const unsigned owner = static_cast<unsigned>(c) * width + simt::lane_id() * width / 32;
    const unsigned shift = simt::lane_id() * width % 32;
    const std::uint32_t bits = simt::shuffle(word, owner);
    auto rank =
        static_cast<T>(tile_prefix + simt::shuffle(word_prefix, owner) + simt::popcount(bits & low_bits(shift)));
    simt::vector<T, width> ranks_of_vector;
#pragma unroll
    for (unsigned j = 0; j < width; ++j) {
      ranks_of_vector[j] = rank;
      rank += bits >> (shift + j) & 1u;
    }
    const unsigned first = block::tile<T, Shape>::first_item(c);
    if (valid == Shape::items) {
      simt::store_vector<T, width>(ranks + first, ranks_of_vector);
    } else {
#pragma unroll
      for (unsigned j = 0; j < width; ++j)
        if (first + j < valid) ranks[first + j] = ranks_of_vector[j];
    }
  }
}
// The same at any address: the ranks of a word at a time, one a lane. So neighbouring lanes store
// neighbouring ranks.
template <class T, class Shape>
__device__ __forceinline__ void store_ranks_of_words(T* ranks, unsigned valid, std::uint32_t word, unsigned word_prefix,
                                                     std::uint64_t tile_prefix) {
  const unsigned first = simt::warp_id() * Shape::warp_items + simt::lane_id();
#pragma unroll 8
  for (unsigned owner = 0; owner < simt::warp_size; ++owner) {
    const std::uint32_t bits = simt::shuffle(word, owner);
    const unsigned before = simt::shuffle(word_prefix, owner) + simt::popcount(bits & simt::lanemask_lt());
    const unsigned at = first + owner * simt::warp_size;
    if (at < valid) ranks[at] = static_cast<T>(tile_prefix + before);
  }
}

// Stores a rank for each bit. One tile a block, one word a thread; a warp stores 1024 ranks in
// vectors of Shape. `states` (a word a tile) and `ticket` are zero at launch. Both are null for one
// block. Two launches have no ticket (tile_exchange). Barriers: three.
template <class T, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    bit_ranks_kernel(packed_bits in, rank_output<T> out, bool vector_aligned, count_state::word* states,
                     std::uint32_t* ticket, tile_exchange exchange) {
  static_assert(Shape::warp_items == 32 * simt::warp_size, "a word a lane");
  auto& shared = simt::shared_storage<rank_storage<Shape::threads>>();

  simt::let_next_launch_begin();
  if (exchange == tile_exchange::in_cluster) begin_cluster();
  const std::uint32_t index = ticket == nullptr ? blockIdx.x : take_ticket(ticket, shared.tile);
  const std::uint64_t begin = static_cast<std::uint64_t>(index) * Shape::items;
  const std::uint64_t at = static_cast<std::uint64_t>(index) * Shape::threads + simt::thread_rank();
  const std::uint32_t word = at < in.word_count() ? in.clean(in.words[at], at) : 0u;  // load

  // Scan the block.
  const unsigned count = simt::popcount(word), inclusive = warp::inclusive_scan(count);
  const block::warp_prefix<unsigned> warp =
      block::scan<unsigned, Shape::threads>::across_warps(shared.warps, inclusive);
  const unsigned word_prefix = (warp.has_value ? warp.value : 0u) + inclusive - count;

  if (exchange == tile_exchange::look_back_only) simt::wait_for_previous_launch();
  const std::uint64_t tile_prefix = publish_and_look_back(states, index, warp.total, shared, exchange);
  if (exchange == tile_exchange::publish_only) return;

  T* const ranks = out.ranks + begin;
  const auto valid = static_cast<unsigned>(ballot::detail::smaller(in.bits - begin, Shape::items));
  if (vector_aligned) store_vectors_of_ranks<T, Shape>(ranks, valid, word, word_prefix, tile_prefix);
  else store_ranks_of_words<T, Shape>(ranks, valid, word, word_prefix, tile_prefix);
  if (begin + Shape::items >= in.bits && simt::thread_rank() == 0) out.store_total(in.bits, tile_prefix + warp.total);
}

// One thread. Stores the total of ranks of words, of which a launch before this one has stored
// *sum: that of counts_of_words, which may count bits past the end.
template <class Sum, class T>
__global__ void __launch_bounds__(1) store_totals_kernel(packed_bits in, const Sum* sum, rank_output<T> out) {
  simt::wait_for_previous_launch();
  const std::uint64_t words = in.word_count(), last = words - 1;
  const std::uint32_t word = in.invert ? ~in.words[last] : in.words[last];
  const std::uint32_t behind = word ^ in.clean(in.words[last], last);
  // In Sum: the sum with bits past the end may be 2^32, which a Sum of 4 bytes has as 0.
  out.store_total(words, std::uint64_t{static_cast<Sum>(*sum - static_cast<unsigned>(simt::popcount(behind)))});
}

}  // namespace ballot::device
