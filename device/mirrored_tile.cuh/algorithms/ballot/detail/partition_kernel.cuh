// The kernel behind compact and split: each item read once, each kept one written once, in order.
//
//     take a ticket -> load the tile and its flags -> rank by votes -> publish the count, look back
//                                                  -> gather kept (and rejected) items in shared memory -> write out
//
// A warp's ranks come from its votes alone (warp/binary_scan.cuh); the only number that crosses warps is a count, and
// the only number that crosses tiles is a count. While the first warp looks back, the others already gather: where an
// item goes within the tile does not depend on other tiles. Writing from shared memory makes the kept items of a tile
// one contiguous run. Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4 (stream compaction by binary
// scans); Merrill and Garland 2016.
//
// Shared memory: one tile of items. Barriers: three.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/tuning_partition.cuh>
#include <ballot/device/look_back.cuh>
#include <ballot/warp/binary_scan.cuh>

namespace ballot::detail {

template <class T>
struct partition_output {
  T* kept;
  std::uint64_t kept_capacity;
  T* rejected;
  std::uint64_t rejected_capacity;
  std::uint64_t*
      count;  // of kept items. Rejects after_kept: known before the launch, and read; else written by the last tile
};

template <class T, class Shape>
struct partition_storage {
  typename block::scan<unsigned, Shape::threads>::storage warps;
  std::uint32_t tile;
  std::uint64_t before;  // kept items of all tiles before this one
  alignas(16) unsigned char items[Shape::items * sizeof(T)];
};

// One tile a block. `states` (a word a tile) and `ticket` are zero at launch.
template <class T, class Shape, rejects Rejects, class Selector>
__global__ void __launch_bounds__(Shape::threads)
    partition_kernel(const T* in, length length, Selector selector, partition_output<T> out, bool whole_vectors,
                     device::count_state::word* states, std::uint32_t* ticket) {
  using tile = block::tile<T, Shape>;
  using back = device::look_back<device::count_state>;
  auto& shared = simt::shared_storage<partition_storage<T, Shape>>();
  T* const staged = reinterpret_cast<T*>(shared.items);

  const std::uint32_t index = device::take_ticket(ticket, shared.tile);
  const std::uint64_t n = length.get(), begin = static_cast<std::uint64_t>(index) * Shape::items;
  if (begin >= n) {  // a surplus tile of a launch sized for the capacity: the whole block leaves
    if (Rejects != rejects::after_kept && index == 0 && simt::thread_rank() == 0) *out.count = 0;
    return;
  }
  const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));

  typename tile::items item;
  tile::load(in + begin, valid, whole_vectors, item);

  // Ranks within the warp's run of the tile.
  unsigned flags[Shape::chunks], rank[Shape::chunks], warp_kept = 0;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = tile::first_item(c);
    flags[c] = selector.template flags<Shape::width>(item[c], begin + first, first < valid ? valid - first : 0u);
    const warp::rank_and_total votes = warp::binary_rank_of_vector<Shape::width>(flags[c]);
    rank[c] = warp_kept + votes.rank;
    warp_kept += votes.total;
  }
  const block::warp_prefix<unsigned> in_block =
      block::scan<unsigned, Shape::threads>::across_warps(shared.warps, warp_kept);
  const unsigned before_warp = in_block.has_before ? in_block.before : 0u, tile_kept = in_block.total;

  if (simt::warp_id() == 0) {
    std::uint64_t before = 0;
    if (index != 0) {
      if (simt::lane_id() == 0) back::publish_aggregate(states, index, tile_kept);
      before = back::before(states, index);
    }
    if (simt::lane_id() == 0) {
      back::publish_prefix(states, index, before + tile_kept);
      shared.before = before;
    }
  }

  // Kept items to the front of the staged tile, rejected ones behind them.
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = tile::first_item(c);
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) {
      const unsigned kept_before = before_warp + rank[c] + simt::popcount(flags[c] & ((1u << j) - 1u));
      if (flags[c] >> j & 1u) {
        staged[kept_before] = item[c][j];
      } else if (Rejects != rejects::dropped && first + j < valid) {
        staged[tile_kept + (first + j - kept_before)] = item[c][j];
      }
    }
  }
  simt::sync_block();

  const std::uint64_t before = shared.before;
  const auto copy_out = [&](const T* from, unsigned items, T* to, std::uint64_t at, std::uint64_t capacity) {
    const std::uint64_t room = at < capacity ? capacity - at : 0;
    const auto fits = static_cast<unsigned>(smaller(items, room));
    for (unsigned i = simt::thread_rank(); i < fits; i += Shape::threads) to[at + i] = from[i];
  };
  copy_out(staged, tile_kept, out.kept, before, out.kept_capacity);
  if constexpr (Rejects == rejects::second_output) {
    copy_out(staged + tile_kept, valid - tile_kept, out.rejected, begin - before, out.rejected_capacity);
  } else if constexpr (Rejects == rejects::after_kept) {
    copy_out(staged + tile_kept, valid - tile_kept, out.rejected, *out.count + begin - before, out.rejected_capacity);
  }
  if (Rejects != rejects::after_kept && begin + valid == n && simt::thread_rank() == 0) *out.count = before + tile_kept;
}

}  // namespace ballot::detail
