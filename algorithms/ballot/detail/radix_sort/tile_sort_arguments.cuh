// SPDX-License-Identifier: Apache-2.0
// The arguments and the shared memory of the local sort by tiles (tile_sort_kernel.cuh), and the
// buckets of its keys.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/block_sort.cuh>
#include <ballot/detail/radix_sort/compared_bits.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

template <class U, class V>
struct tile_sort_arguments {
  const U* keys_in;
  U* keys_out;
  const V* values_in;
  V* values_out;
  length n;  // at most 2^30
  const launch_action* action;
  std::uint32_t* failed;       // becomes 1 if a bucket is too large
  std::uint32_t* large_parts;  // [tile]: its items of large buckets (large_buckets_kernel.cuh); may be null
  radix_digit_plan digits;
  compared_bits<U> compared;
  key_codec<U> codec;
};

// The keys that a block holds. Heads and positions have as many bits as bins.
template <class Shape>
inline constexpr unsigned tile_sort_room = Shape::bins < Shape::items ? Shape::bins : Shape::items;
// The items of a tile. The rest of the room is for the bucket in which the tile ends.
template <class Shape>
inline constexpr unsigned tile_sort_items = tile_sort_room<Shape> / 16 * 15;

template <class U, class V, class Shape>
struct tile_sort_storage {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr unsigned values_in_access = has_values ? 16 / sizeof(V) : 1;
  static constexpr unsigned rows = Shape::items / simt::warp_size;

  // In the order of the input. The first value is as far from a multiple of 16 bytes as it is in
  // memory.
  alignas(simt::copy_alignment) V values[has_values ? Shape::items + values_in_access : 1];
  block_sort_storage<U, Shape> order;
  // The numbers that all threads know. In registers it would leave fewer of them for words.
  struct {
    std::uint32_t first, valid;  // the words' keys
    std::uint32_t large_part;    // as in large_parts
    int key_bits;                // in which whole keys differ
    U smallest;                  // possible key of the words
    // So many of the block's next tiles skip the first way; so many will after its next failure.
    std::uint32_t skipped, skips;
  } known;
  // For each row of a warp's lanes: its first and its last head, if it has any.
  static constexpr unsigned head_words = (rows + 31) / 32;
  std::uint32_t has_heads[head_words];  // [row / 32], bits
  std::uint16_t first_head[rows], last_head[rows];
};

// The buckets of keys that lie by their leading digits. There are so many bits below these.
template <class U, class V>
struct tile_sort_buckets {
  const tile_sort_arguments<U, V>& a;
  int remaining_bits;

  __device__ __forceinline__ U compared_at(std::uint32_t at) const { return a.compared(a.keys_in[at]); }
  __device__ __forceinline__ U bucket_at(std::uint32_t at) const { return compared_at(at) >> remaining_bits; }
  // Words have a position each where keys have values, or are not known from their compared bits.
  __device__ __forceinline__ bool need_positions() const {
    return !std::is_same_v<V, no_value> || !a.compared.are_whole();
  }
};

}  // namespace ballot::detail
