// SPDX-License-Identifier: Apache-2.0
// The steps of a tile in a block: load to shared memory, scan there by a block pattern, apply the
// prefix, store.
//
//     in    ... | tile | ...          coalesced loads, eight per thread at a time
//     shared    | items | spare |     the pattern works here, always inclusively
//     out   ... | before op items[i] | ...       inclusive
//           ... | before op items[i - 1] | ...   exclusive: the shift costs nothing, it is done by the store
//
// The scans of whole arrays differ only in where `before` comes from: the tile before
// (block_scan.cuh), a scan of sums of parts (reduce_then_scan.cuh), a look-back (chained_scan.cuh).
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/device/detail/scan_kernel.cuh>
#include <ballot/survey/patterns/pattern.cuh>

namespace ballot::survey {

using device::scan_kind;

// Threads a block, items a tile.
template <unsigned Threads, unsigned Items>
struct tile_shape {
  static_assert(Threads % simt::warp_size == 0 && Threads <= 1024 && Items % Threads == 0, "whole warps, whole rows");
  static constexpr unsigned threads = Threads;
  static constexpr unsigned items = Items;
};

// The exclusive prefix of a tile; none for the first tile of an inclusive scan.
template <class T>
struct prefix {
  T value;
  bool exists;
};

template <class Pattern, class Shape, class T>
struct tile_step {
  static constexpr unsigned spare_items = Pattern::spare_items(Shape::items, Shape::threads);
  struct storage {
    T items[Shape::items];
    T spare[spare_items == 0 ? 1 : spare_items];
  };

  // Loads items [begin, begin + valid) and scans them; returns their sum. valid >= 1. Barriers:
  // one, and the pattern's. The storage must be free.
  template <class Op>
  static __device__ __forceinline__ T load_and_scan(storage& shared, const T* in, std::uint64_t begin, unsigned valid,
                                                    Op op) {
    load_items(shared.items, in + begin, valid, Shape::threads);
    simt::sync_block();
    Pattern::inclusive(shared.items, valid, shared.spare, op);
    return shared.items[valid - 1];
  }

  // Writes the tile's part of the result. No barrier: the storage is free after the next one.
  template <scan_kind Kind, class Op>
  static __device__ __forceinline__ void store(const storage& shared, T* out, std::uint64_t begin, unsigned valid,
                                               prefix<T> before, Op op) {
    for (unsigned i = simt::thread_rank(); i < valid; i += Shape::threads) {
      if constexpr (Kind == scan_kind::inclusive)
        out[begin + i] = before.exists ? op(before.value, shared.items[i]) : shared.items[i];
      else out[begin + i] = i == 0 ? before.value : op(before.value, shared.items[i - 1]);
    }
  }
};

}  // namespace ballot::survey
