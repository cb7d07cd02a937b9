// SPDX-License-Identifier: Apache-2.0
// The candidates that tiles have stored, in the order of their positions (filter_kernels.cuh).
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

inline constexpr std::uint64_t filter_tile = 8192, most_filter_tiles = 4096;

template <class U>
struct filtered_keys {
  U* keys;
  std::uint32_t* positions;
  std::uint32_t* counts;  // of each tile
  std::uint32_t* begins;  // where its candidates begin
  std::uint32_t room;     // for so many candidates, below 2^16
};

// Where each tile's candidates are, in shared memory.
struct candidate_places {
  std::uint16_t ranks[most_filter_tiles];   // of each tile's first candidate
  std::uint16_t begins[most_filter_tiles];  // where it is

  // Half of the places is enough for most inputs, and takes less time.
  static constexpr unsigned few_tiles = most_filter_tiles / 2;

  // Returns the number of candidates. The places can be used if these have room. All threads; ends
  // with a barrier.
  template <int Threads, class U>
  __device__ __forceinline__ std::uint32_t load(typename block::scan<std::uint32_t, Threads>::storage& scan,
                                                const filtered_keys<U>& from, unsigned tiles) {
    return tiles <= few_tiles ? load_tiles<Threads, few_tiles / Threads>(scan, from, tiles)
                              : load_tiles<Threads, most_filter_tiles / Threads>(scan, from, tiles);
  }
  // Of the candidate that is the i-th by its position.
  __device__ __forceinline__ std::uint32_t of(std::uint32_t i, unsigned tiles) const {
    unsigned tile = 0;  // the last one whose candidates begin at this one or before: so it has it
    if (tiles > few_tiles && ranks[few_tiles] <= i) tile = few_tiles;
#pragma unroll
    for (unsigned step = few_tiles / 2; step != 0; step /= 2)
      if (ranks[tile + step] <= i) tile += step;
    return begins[tile] + (i - ranks[tile]);
  }

 private:
  template <int Threads, unsigned Each, class U>
  __device__ __forceinline__ std::uint32_t load_tiles(typename block::scan<std::uint32_t, Threads>::storage& scan,
                                                      const filtered_keys<U>& from, unsigned tiles) {
    static_assert(few_tiles % Threads == 0);
    const unsigned thread = simt::thread_rank();
    std::uint32_t count[Each], begin[Each], sum = 0, candidates;
#pragma unroll
    for (unsigned j = 0; j < Each; ++j) {
      const unsigned tile = thread * Each + j;
      count[j] = tile < tiles ? from.counts[tile] : 0u;
      begin[j] = tile < tiles ? from.begins[tile] : 0u;
      sum += count[j];
    }
    std::uint32_t rank = block::scan<std::uint32_t, Threads>::exclusive(scan, sum, 0u, candidates);
#pragma unroll
    for (unsigned j = 0; j < Each; ++j) {  // used only if all candidates have room: then they are below 2^16
      ranks[thread * Each + j] = static_cast<std::uint16_t>(rank);
      begins[thread * Each + j] = static_cast<std::uint16_t>(begin[j]);
      rank += count[j];
    }
    simt::sync_block();  // and the scan's memory is used again
    return candidates;
  }
};

}  // namespace ballot::detail
