// The kernel of the device scan: one launch, each item read once and written once.
//
//     take a ticket -> load the tile -> scan it in registers -> publish its sum, look back -> add the prefix, store
//
// A thread holds `chunks` vectors of consecutive items (block/tile.cuh), so a warp scans a chunk by a scan in each lane
// and one warp scan of the lanes' sums; chunks are independent but for a running sum. Shared memory: a total a warp.
// Barriers: three. Merrill and Garland 2016 for the single pass; Smith, Levien and Owens, Decoupled Fallback 2025,
// surveys the variants.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/look_back.cuh>

namespace ballot::device {

enum class scan_kind { inclusive, exclusive };

template <class T, int Threads>
struct scan_storage {
  typename block::scan<T, Threads>::storage warps;
  std::uint32_t tile;
  T before;
};

// Scans the thread's chunks in place, inclusively, within the warp's run of the tile; returns the warp's total in every
// lane.
template <class T, class Shape, class Op>
__device__ __forceinline__ T scan_warp_items(typename block::tile<T, Shape>::items& item, Op op) {
  T running{};
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
#pragma unroll
    for (int j = 1; j < Shape::width; ++j) item[c][j] = op(item[c][j - 1], item[c][j]);
    const T up_to_lane = warp::inclusive_scan(item[c][Shape::width - 1], op);
    const T below = simt::shuffle_up(up_to_lane, 1);
    const bool has_below = simt::lane_id() != 0;
    if (c == 0) {
      if (has_below) {
#pragma unroll
        for (int j = 0; j < Shape::width; ++j) item[c][j] = op(below, item[c][j]);
      }
    } else {
      const T before_lane = has_below ? op(running, below) : running;
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) item[c][j] = op(before_lane, item[c][j]);
    }
    const T chunk_total = simt::shuffle(up_to_lane, simt::warp_size - 1);
    running = c == 0 ? chunk_total : op(running, chunk_total);
  }
  return running;
}

// One tile a block. `states` (one word a tile) and `ticket` are zero at launch. `initial` counts where Kind is
// exclusive.
template <class T, class Shape, scan_kind Kind, class Op>
__global__ void __launch_bounds__(Shape::threads)
    scan_kernel(const T* in, T* out, ballot::detail::length length, T initial, Op op, bool whole_vectors,
                typename tile_state<T>::word* states, std::uint32_t* ticket) {
  using tile = block::tile<T, Shape>;
  using back = look_back<tile_state<T>>;
  auto& shared = simt::shared_storage<scan_storage<T, Shape::threads>>();

  const std::uint32_t index = take_ticket(ticket, shared.tile);
  const std::uint64_t n = length.get(), begin = static_cast<std::uint64_t>(index) * Shape::items;
  if (begin >= n) return;  // a surplus tile of a launch sized for the capacity: the whole block leaves
  const auto valid = static_cast<unsigned>(ballot::detail::smaller(n - begin, Shape::items));

  typename tile::items item;
  tile::load(in + begin, valid, whole_vectors, item);
  const T warp_total = scan_warp_items<T, Shape>(item, op);
  const block::warp_prefix<T> in_block = block::scan<T, Shape::threads>::across_warps(shared.warps, warp_total, op);

  // The first warp settles what lies before the tile while the others wait.
  constexpr bool has_initial = Kind == scan_kind::exclusive;
  if (simt::warp_id() == 0) {
    if (index == 0) {
      if (simt::lane_id() == 0) {
        back::publish_prefix(states, 0, has_initial ? op(initial, in_block.total) : in_block.total);
        shared.before = initial;
      }
    } else {
      if (simt::lane_id() == 0) back::publish_aggregate(states, index, in_block.total);
      const T before = back::before(states, index, op);
      if (simt::lane_id() == 0) {
        back::publish_prefix(states, index, op(before, in_block.total));
        shared.before = before;
      }
    }
  }
  simt::sync_block();

  const bool has_before_tile = has_initial || index != 0;
  const bool has_before = has_before_tile || in_block.has_before;
  T before = shared.before;
  if (in_block.has_before) before = has_before_tile ? op(before, in_block.before) : in_block.before;

  if constexpr (Kind == scan_kind::inclusive) {
    if (has_before) {
#pragma unroll
      for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
        for (int j = 0; j < Shape::width; ++j) item[c][j] = op(before, item[c][j]);
    }
  } else {
    // Each item becomes its predecessor's sum: within the vector, from the lane below, from the chunk before.
    T last_of_chunk = before;
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) item[c][j] = op(before, item[c][j]);
      const T last = item[c][Shape::width - 1];
      const T below = simt::shuffle_up(last, 1);
#pragma unroll
      for (int j = Shape::width - 1; j > 0; --j) item[c][j] = item[c][j - 1];
      item[c][0] = simt::lane_id() == 0 ? last_of_chunk : below;
      last_of_chunk = simt::shuffle(last, simt::warp_size - 1);
    }
  }
  tile::store(out + begin, valid, whole_vectors, item);
}

}  // namespace ballot::device
