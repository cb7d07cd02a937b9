// SPDX-License-Identifier: Apache-2.0
// Where runs begin, for a thread with consecutive items: at keys that differ from the key before,
// or at head flags.
//
// Keys are staged in shared memory with the values, and stay there until those of heads are stored.
// A key's predecessor is in the same thread, in the lane below, or, for a warp's lowest lane, in
// memory. Keys of a view are computed as they are staged; a warp's lowest lane computes one more.
#pragma once

#include <ballot/block/shifted_tile.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/reduce_by_key/results.cuh>
#include <ballot/device/detail/head_flags.cuh>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// KeysOut: output<K>, or a view_output. Keys: a pointer, or a view.
template <class K, class Same, class KeysOut = output<K>, class Keys = const K*>
struct heads_by_key {
  Keys keys;
  KeysOut keys_out;
  Same same;
  block::aligned_vectors vectors;  // of the keys; none of a view

  template <class Shape>
  static constexpr bool may_shift = std::is_pointer_v<Keys> && block::may_shift_tiles<K, Shape>;
  template <class Shape>
  unsigned shift() const {
    return block::shift_of_tiles<K, Shape>(vectors);
  }

  template <class Shape, bool MayShift>
  struct tile {
    using staged = block::shifted_tile<K, Shape, MayShift && std::is_pointer_v<Keys>>;
    using storage = typename staged::storage;
    using key = K;
    static constexpr unsigned run = Shape::chunks * Shape::width;  // items of a thread
    staged loaded;
    K before_warp;

    // Starts to stage the keys of the tile at item `begin`. The key before the warp's first is
    // loaded at once.
    __device__ __forceinline__ void start(const heads_by_key& from, storage& shared, std::uint64_t begin,
                                          unsigned valid, std::uint64_t n) {
      if constexpr (std::is_pointer_v<Keys>) loaded.start(shared, from.keys, begin, valid, n, from.vectors);
      else
        loaded.template start_each<device::loaded_bytes<Keys>>(
            shared, valid, [&](unsigned at) { return static_cast<K>(from.keys[begin + (at < valid ? at : 0u)]); });
      const std::uint64_t first_of_warp = begin + simt::warp_id() * Shape::warp_items;
      before_warp = from.keys[first_of_warp != 0 && first_of_warp - begin <= valid ? first_of_warp - 1 : begin];
    }
    // All lanes of the warp: waits until its keys are staged.
    static __device__ __forceinline__ void finish() { staged::finish(); }
    // The heads of this thread's items: bit i for its i-th. All lanes of the warp call together.
    __device__ __forceinline__ unsigned heads(const heads_by_key& from, storage& shared, std::uint64_t begin,
                                              unsigned valid, std::uint64_t /*n*/) const {
      K own[run];
      loaded.get(shared, own);
      K before = simt::shuffle_up(own[run - 1], 1);
      if (simt::lane_id() == 0) before = before_warp;
      const unsigned first = simt::thread_rank() * run;
      unsigned bits = 0;
#pragma unroll
      for (unsigned i = 0; i < run; ++i) {
        const bool is_valid = first + i < valid;
        if (!accepts_any_operand<Same, K> && (!is_valid || (i == 0 && begin == 0 && first == 0))) continue;
        const bool differs = !call(from.same, i == 0 ? before : own[i == 0 ? 0 : i - 1], own[i]);
        if (is_valid && differs) bits |= 1u << i;
      }
      return begin == 0 && first == 0 ? bits | 1u : bits;
    }
    // A key of this warp's part of the tile.
    __device__ __forceinline__ const K& at(storage& shared, unsigned item) const {
      return loaded.item_at(shared, item);
    }
  };

  // Where the keys of runs from `first` on go.
  __device__ __forceinline__ auto from(std::uint64_t first) const {
    return results_of_range<KeysOut>{keys_out}.from(first);
  }
};

// By flags in memory: device::head_flag_loader.
template <class Reader>
struct heads_by_flag {
  device::head_flag_loader<Reader> flags;

  template <class Shape>
  static constexpr bool may_shift = false;
  template <class Shape>
  static constexpr unsigned shift() {
    return 0;
  }

  template <class Shape, bool MayShift>
  struct tile {
    struct key {};
    struct storage {};
    __device__ __forceinline__ void start(const heads_by_flag&, storage&, std::uint64_t, unsigned,
                                          std::uint64_t) const {}
    static __device__ __forceinline__ void finish() {}
    __device__ __forceinline__ unsigned heads(const heads_by_flag& from, storage&, std::uint64_t begin, unsigned valid,
                                              std::uint64_t n) const {
      return from.flags.template of_thread<Shape>(begin, valid, n);
    }
    static __device__ __forceinline__ key at(storage&, unsigned) { return {}; }
  };

  struct no_keys {
    template <class None>
    __device__ __forceinline__ void store(unsigned, None) const {}
  };
  __device__ __forceinline__ no_keys from(std::uint64_t) const { return {}; }
};

}  // namespace ballot::detail
