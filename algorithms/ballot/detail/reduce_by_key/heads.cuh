// SPDX-License-Identifier: Apache-2.0
// Where runs begin, for a thread with consecutive items: at keys that differ from the key before,
// or at head flags.
//
// Keys are staged in shared memory with the values. A thread also keeps its own keys in registers,
// since the keys of heads are written. A key's predecessor is in the same thread, in the lane
// below, or, for a warp's lowest lane, in memory. Keys of a view are computed as they are staged; a
// warp's lowest lane computes one more.
#pragma once

#include <ballot/block/staged_tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/device/detail/head_flags.cuh>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// The staged items of a tile, and later what a tile stores: one slot for each run. Threads put
// neighbouring runs some slots apart, and an unused slot after each 32 spreads them over the banks.
template <class T, class Shape>
union run_slots {
  static constexpr unsigned spread = sizeof(T) <= 8 ? 32 : ~0u;
  typename block::staged_tile<T, Shape>::storage tile;
  alignas(16) unsigned char bytes[(Shape::items + Shape::items / spread + 1) * sizeof(T)];

  __device__ __forceinline__ T& slot(unsigned run) { return reinterpret_cast<T*>(bytes)[run + run / spread]; }
};

// KeysOut: output<K>, or a view_output. Keys: a pointer, or a view.
template <class K, class Same, class KeysOut = output<K>, class Keys = const K*>
struct heads_by_key {
  static constexpr bool has_keys = true;
  using key = K;
  Keys keys;
  KeysOut keys_out;
  Same same;
  bool vector_aligned;

  template <class Shape>
  struct tile {
    using staged = block::staged_tile<K, Shape>;
    using storage = run_slots<K, Shape>;
    static constexpr unsigned run = Shape::chunks * Shape::width;  // items of a thread
    K key[run];
    K before_warp;

    // Starts to stage the keys of the tile at item `begin`. The key before the warp's first is
    // loaded at once.
    __device__ __forceinline__ void start(const heads_by_key& from, storage& shared, std::uint64_t begin,
                                          unsigned valid) {
      if constexpr (std::is_pointer_v<Keys>)
        staged::start(shared.tile, from.keys + begin, valid, from.vector_aligned, false);
      else
        staged::template start_each<device::loaded_bytes<Keys>>(shared.tile, valid, false, [&](unsigned at) {
          return static_cast<K>(from.keys[begin + (at < valid ? at : 0u)]);
        });
      const std::uint64_t first_of_warp = begin + simt::warp_id() * Shape::warp_items;
      before_warp = from.keys[first_of_warp != 0 && first_of_warp - begin <= valid ? first_of_warp - 1 : begin];
    }
    // All lanes of the warp: waits until its keys are staged.
    static __device__ __forceinline__ void finish() { staged::finish(); }
    // The heads of this thread's items: bit i for its i-th. All lanes of the warp call together.
    __device__ __forceinline__ unsigned heads(const heads_by_key& from, storage& shared, std::uint64_t begin,
                                              unsigned valid, std::uint64_t /*n*/) {
#pragma unroll
      for (int c = 0; c < Shape::chunks; ++c) {
        const auto v = staged::get(shared.tile, c, false);
#pragma unroll
        for (int j = 0; j < Shape::width; ++j) key[c * Shape::width + j] = v[j];
      }
      K before = simt::shuffle_up(key[run - 1], 1);
      if (simt::lane_id() == 0) before = before_warp;
      const unsigned first = simt::thread_rank() * run;
      unsigned bits = 0;
#pragma unroll
      for (unsigned i = 0; i < run; ++i) {
        const bool is_valid = first + i < valid;
        if (!accepts_any_operand<Same, K> && (!is_valid || (i == 0 && begin == 0 && first == 0))) continue;
        const bool differs = !call(from.same, i == 0 ? before : key[i == 0 ? 0 : i - 1], key[i]);
        if (is_valid && differs) bits |= 1u << i;
      }
      return begin == 0 && first == 0 ? bits | 1u : bits;
    }
    __device__ __forceinline__ void put(storage& shared, unsigned rank, unsigned i) const {
      shared.slot(rank) = key[i];
    }
  };

  __device__ __forceinline__ void store(std::uint64_t run, const K& key) const {
    if constexpr (is_view_output<KeysOut>) {
      if (const auto to = located(keys_out); run < to.size) put(to, run, key);
    } else if (run < keys_out.size) {
      keys_out.data[run] = key;
    }
  }
  template <class Storage>
  __device__ __forceinline__ void store(Storage& shared, unsigned rank, std::uint64_t run) const {
    store(run, shared.slot(rank));
  }
};

// By flags in memory: device::head_flag_loader.
template <class Reader>
struct heads_by_flag {
  static constexpr bool has_keys = false;
  device::head_flag_loader<Reader> flags;

  template <class Shape>
  struct tile {
    struct storage {};
    __device__ __forceinline__ void start(const heads_by_flag&, storage&, std::uint64_t, unsigned) const {}
    static __device__ __forceinline__ void finish() {}
    __device__ __forceinline__ unsigned heads(const heads_by_flag& from, storage&, std::uint64_t begin, unsigned valid,
                                              std::uint64_t n) const {
      return from.flags.template of_thread<Shape>(begin, valid, n);
    }
    __device__ __forceinline__ void put(storage&, unsigned, unsigned) const {}
  };

  template <class Storage>
  __device__ __forceinline__ void store(Storage&, unsigned, std::uint64_t) const {}
};

}  // namespace ballot::detail
