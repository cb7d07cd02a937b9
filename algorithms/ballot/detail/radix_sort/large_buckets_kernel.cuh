// SPDX-License-Identifier: Apache-2.0
// Sorts the large buckets, which had too many keys for the local sort by tiles, and no other keys.
// A guess of the leading digits may be wrong for some buckets of very many keys. Then only their
// keys are sorted again.
//
//     tile sort   notes for each tile how many of its first keys, and how many of its last keys,
//                 are in a large bucket
//     place       adds up these numbers, in one block
//     collect     copies the keys next to each other, with their values, and counts their digits
//     offset      scans the counts
//     rounds      makes all passes over these keys (rounds_kernel.cuh)
//     return      copies the keys to the places that they came from
//
// The buckets are collected in order, and the keys of a bucket agree in the leading digits. So once
// the collected keys are sorted, each bucket gets its own keys back. The collected keys are in the
// first half of the spare buffer, and the passes use its second half, too. If there are too many
// for that, all keys are sorted again, in rounds from the output.
//
// These launches find nothing to do unless a bucket was too large. Source of passes over the large
// buckets alone: Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, 2017.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/compared_bits.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// The fewest items of a tile, in any shape. So many tiles have room in the scratch.
inline constexpr std::uint64_t least_tile_sort_items = 512;

// Arrays and words on the device. The part of a tile is what it has of large buckets. The last
// three words are zero at launch.
struct large_buckets {
  std::uint32_t* parts;         // [tile]: items at its start, and items at its end << 16
  std::uint32_t* offsets;       // [tile]: how many items the parts of the tiles before have
  std::uint64_t* digit_counts;  // [digit's place][digit]; later the number of keys with a smaller digit
  std::uint32_t* items;         // how many items all parts have, if they fit half of the spare buffer
  std::uint32_t* fit;           // 1 if they fit
  std::uint32_t* all_again;     // 1 if they do not

  static constexpr int shift_of_end = 16;
  BALLOT_HOST_DEVICE static constexpr std::uint32_t at_begin(std::uint32_t part) { return part & 0xffffu; }
  BALLOT_HOST_DEVICE static constexpr std::uint32_t at_end(std::uint32_t part) { return part >> shift_of_end; }
};

template <class U, class V>
struct large_buckets_arguments {
  large_buckets of;
  const std::uint32_t* failed;  // 0 if no bucket was too large
  length n;
  std::uint64_t room;  // how many items `collected` has room for
  std::uint32_t tile_items;
  U* keys;  // as the tile sort leaves them
  U* collected;
  V* values;
  V* collected_values;
  key_codec<U> codec;
  compared_bits<U> compared;
  int digits;

  BALLOT_HOST_DEVICE std::uint64_t tiles() const { return ceil_div(n.get(), std::uint64_t{tile_items}); }
};

inline constexpr int place_large_threads = 512, move_large_threads = 256;

// Finds the offsets of the parts, and whether all parts fit. One block; each thread takes
// consecutive tiles.
template <class U, class V>
__global__ void __launch_bounds__(place_large_threads) place_large_buckets_kernel(large_buckets_arguments<U, V> a) {
  using scan = block::scan<std::uint64_t, place_large_threads>;
  if (*a.failed == 0) return;
  auto& shared = simt::shared_storage<typename scan::storage>();
  const unsigned thread = simt::thread_rank();
  const std::uint64_t tiles = a.tiles(), each = ceil_div(tiles, std::uint64_t{place_large_threads});
  const std::uint64_t begin = smaller(tiles, thread * each), end = smaller(tiles, begin + each);
  const auto items_of = [&](std::uint64_t tile) {
    const std::uint32_t part = a.of.parts[tile];
    return large_buckets::at_begin(part) + large_buckets::at_end(part);
  };
  std::uint64_t own = 0, total;
  for (std::uint64_t tile = begin; tile < end; ++tile) own += items_of(tile);
  std::uint64_t offset = scan::exclusive(shared, own, std::uint64_t{0}, total);
  for (std::uint64_t tile = begin; tile < end; ++tile) {
    a.of.offsets[tile] = static_cast<std::uint32_t>(offset);
    offset += items_of(tile);
  }
  for (unsigned i = thread; i < static_cast<unsigned>(a.digits) * radix_digits; i += place_large_threads)
    a.of.digit_counts[i] = 0;
  if (thread != 0) return;
  const bool fit = total <= a.room;
  *a.of.items = fit ? static_cast<std::uint32_t>(total) : 0;
  *(fit ? a.of.fit : a.of.all_again) = 1;
}

// Calls move(i, place) for each item i of the tile's part. place: where it is among the collected
// items.
template <class U, class V, class Move>
__device__ __forceinline__ void for_each_of_part(const large_buckets_arguments<U, V>& a, std::uint64_t tile,
                                                 const Move& move) {
  const std::uint32_t part = a.of.parts[tile], at_begin = large_buckets::at_begin(part),
                      items = at_begin + large_buckets::at_end(part);
  if (items == 0) return;
  const std::uint64_t begin = tile * a.tile_items, end = smaller(begin + a.tile_items, a.n.get());
  const std::uint64_t place = a.of.offsets[tile];
  for (std::uint32_t i = simt::thread_rank(); i < items; i += move_large_threads)
    move(i < at_begin ? begin + i : end - (items - i), place + i);
}

template <class U, class V>
__global__ void __launch_bounds__(move_large_threads) collect_large_buckets_kernel(large_buckets_arguments<U, V> a) {
  if (*a.of.fit == 0) return;                                           // the whole grid
  std::uint32_t* const count = &simt::shared_storage<std::uint32_t>();  // [digit's place][digit]
  const unsigned words = static_cast<unsigned>(a.digits) * radix_digits;
  for (unsigned i = simt::thread_rank(); i < words; i += move_large_threads) count[i] = 0;
  simt::sync_block();
  for (std::uint64_t tile = blockIdx.x; tile < a.tiles(); tile += gridDim.x)
    for_each_of_part(a, tile, [&](std::uint64_t from, std::uint64_t to) {
      const U key = a.keys[from];
      a.collected[to] = key;
      if constexpr (!std::is_same_v<V, no_value>) a.collected_values[to] = a.values[from];
      const U compared = a.compared(a.codec.encode(key));
      for (int p = 0; p < a.digits; ++p) {
        const auto digit = static_cast<unsigned>(compared >> (p * radix_bits)) & (radix_digits - 1u);
        // Relaxed: read after the barrier below.
        simt::atomic_add<simt::order::relaxed, simt::scope::block>(
            count + static_cast<unsigned>(p) * radix_digits + digit, 1u);
      }
    });
  simt::sync_block();
  // Relaxed: the next launch reads them.
  for (unsigned i = simt::thread_rank(); i < words; i += move_large_threads)
    if (count[i] != 0) simt::atomic_add(a.of.digit_counts + i, std::uint64_t{count[i]});
}

// Scans the counts of the digits. One block for each digit's place.
template <class U, class V>
__global__ void __launch_bounds__(radix_digits) offset_large_buckets_kernel(large_buckets_arguments<U, V> a) {
  using scan = block::scan<std::uint64_t, radix_digits>;
  if (*a.of.fit == 0) return;
  auto& shared = simt::shared_storage<typename scan::storage>();
  std::uint64_t& own = a.of.digit_counts[blockIdx.x * radix_digits + simt::thread_rank()];
  std::uint64_t total;
  own = scan::exclusive(shared, std::uint64_t{own}, std::uint64_t{0}, total);
}

template <class U, class V>
__global__ void __launch_bounds__(move_large_threads) return_large_buckets_kernel(large_buckets_arguments<U, V> a) {
  if (*a.of.fit == 0) return;
  for (std::uint64_t tile = blockIdx.x; tile < a.tiles(); tile += gridDim.x)
    for_each_of_part(a, tile, [&](std::uint64_t to, std::uint64_t from) {
      a.keys[to] = a.collected[from];
      if constexpr (!std::is_same_v<V, no_value>) a.values[to] = a.collected_values[from];
    });
}

template <class U, class V>
unsigned blocks_to_move_large(const large_buckets_arguments<U, V>& a) {
  return static_cast<unsigned>(smaller(ceil_div(a.n.capacity, std::uint64_t{a.tile_items}), 1024));
}

// The launches before the rounds, and the one after them.
template <class U, class V>
void launch_collect_large_buckets(stream_t stream, const large_buckets_arguments<U, V>& a) {
  using place_scan = block::scan<std::uint64_t, place_large_threads>;
  using digit_scan = block::scan<std::uint64_t, radix_digits>;
  const auto digits = static_cast<unsigned>(a.digits);
  simt::launch(place_large_buckets_kernel<U, V>,
               simt::launch_config{dim3(1), dim3(place_large_threads), sizeof(typename place_scan::storage), stream},
               a);
  simt::launch(collect_large_buckets_kernel<U, V>,
               simt::launch_config{dim3(blocks_to_move_large(a)), dim3(move_large_threads),
                                   digits * radix_digits * sizeof(std::uint32_t), stream},
               a);
  simt::launch(offset_large_buckets_kernel<U, V>,
               simt::launch_config{dim3(digits), dim3(radix_digits), sizeof(typename digit_scan::storage), stream}, a);
}
template <class U, class V>
void launch_return_large_buckets(stream_t stream, const large_buckets_arguments<U, V>& a) {
  simt::launch(return_large_buckets_kernel<U, V>,
               simt::launch_config{dim3(blocks_to_move_large(a)), dim3(move_large_threads), 0, stream}, a);
}

}  // namespace ballot::detail
