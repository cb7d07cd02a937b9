// SPDX-License-Identifier: Apache-2.0
// Few tiles as one cluster of blocks (simt::launch_config::is_cluster). Each tile writes its
// aggregate to the shared memory of the tiles that need it. Then all tiles wait at a barrier of the
// cluster.
//
//     tile 0: 7    tile 1: 5    tile 2: 3            aggregates
//              \---> 7 -       \---> 7 5 -           of_tiles of tile 1, of tile 2
//
// There are no tile states in global memory, so none have to be cleared. There is only one launch,
// and its tiles run at the same time, so no tile polls. All threads of all tiles call
// begin_cluster, and later give_to_tiles or exchange_with_tiles. A tile without items may return
// before both calls.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::device {

// At the start of the kernel, so that the tiles meet for the first time while they load.
__device__ __forceinline__ void begin_cluster() { simt::cluster_arrive<simt::order::relaxed>(); }

// Gives a value to tiles `first` to end - 1. They have it in of_tiles[tile] after the next
// cluster_wait of all tiles. gives: whether this warp has the value.
template <class T>
__device__ __forceinline__ void give_to_tiles(T* of_tiles, unsigned tile, unsigned first, unsigned end, bool gives,
                                              const T& value) {
  simt::cluster_wait();  // all have begun
  const unsigned to = simt::lane_id();
  if (gives && to >= first && to < end) simt::shared_of_block(of_tiles[tile], to) = value;
  simt::cluster_arrive();
}

// The same for the tiles after this one; the first warp has the value. Afterwards of_tiles[0] to
// of_tiles[tile - 1] are there.
template <class T>
__device__ __forceinline__ void exchange_with_tiles(T* of_tiles, unsigned tile, unsigned tiles, const T& value) {
  give_to_tiles(of_tiles, tile, tile + 1, tiles, simt::warp_id() == 0, value);
  simt::cluster_wait();
}

}  // namespace ballot::device
