// SPDX-License-Identifier: Apache-2.0
// The kernels of distribute_kernel.cuh and distribute_keys_kernel.cuh: their shape, arguments and
// shared memory.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/device/look_back.cuh>
#include <ballot/distributed/detail/splitters.cuh>
#include <ballot/distributed/detail/stretches.cuh>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::distributed::detail {

using ballot::detail::no_value;

// Bits: the bits of a group's number. The largest number means no group.
template <int Threads, int ItemsPerThread, int BlocksPerMultiprocessor, int Bits>
struct distribute_shape {
  static constexpr int threads = Threads;
  static constexpr int items_per_thread = ItemsPerThread;
  static constexpr int blocks = BlocksPerMultiprocessor;
  static constexpr int bits = Bits;
  static constexpr int warps = Threads / static_cast<int>(simt::warp_size);
  static constexpr unsigned warp_items = simt::warp_size * ItemsPerThread;
  static constexpr unsigned items = Threads * ItemsPerThread;
  static constexpr unsigned groups = 1u << Bits, no_group = groups - 1;
  static constexpr int splitters = (1 << (Bits - 1)) - 1;  // at most; groups 0 to 2 * splitters
  static_assert(Bits <= 5, "a lane a group");
  static_assert(items <= 65536 && warp_items <= 1024, "ranks in a tile have 16 bits, in a warp 10");
};

using distribute_state = device::count_state;

template <class U, class V>
struct distribute_arguments {
  const U* keys;
  const V* values;  // null: positions, from first_position on
  std::uint64_t first_position;
  std::uint64_t n;
  asked_bits<U> asked;
  const U* splitter;
  int number;
  const std::uint64_t* own_below;  // [2 * j]: keys below splitter j, [2 * j + 1]: equal to it
  const stretch* stretches;        // number + 1, and the end
  U* keys_out;                     // what shifts count from
  V* values_out;
  distribute_state::word* states;  // [tile][group], zero at launch
  std::uint32_t* ticket;           // zero at launch
};

template <class U, class V, class Shape>
struct distribute_storage {
  static constexpr std::size_t value_bytes = std::is_same_v<V, no_value> ? 0 : sizeof(V);
  static constexpr std::size_t item_bytes = sizeof(U) > value_bytes ? sizeof(U) : value_bytes;
  // A shift with a meaning of its own: the stretch is looked up for each item.
  static constexpr std::int64_t divided = std::int64_t{1} << 62;

  alignas(16) unsigned char items[Shape::items * item_bytes];
  U splitter[Shape::splitters];              // the last of them; before them zeros
  std::uint64_t group_begin[Shape::groups];  // among this rank's items by group
  stretch stretches[Shape::splitters + 2];
  std::uint32_t warp_offset[Shape::warps][Shape::groups];  // counts, then the rank in the tile of each first item
  std::uint32_t first[Shape::groups + 1];                  // rank in the tile of each group's first item, and the end
  // These are added to the rank in the tile of a group's item. The sums are the index among the
  // items by group, and the index in memory.
  std::uint64_t offset[Shape::groups];
  std::int64_t key_offset[Shape::groups];
  std::int64_t value_offset[Shape::groups];
  std::uint32_t tile;
};

}  // namespace ballot::distributed::detail
