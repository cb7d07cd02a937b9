// SPDX-License-Identifier: Apache-2.0
// The launches of merge, and its scratch.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/detail/merge/kernel.cuh>
#include <ballot/device/tiles.hpp>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

// By the size of a key: up to 48 KiB of keys. A guess until measured.
template <class K>
using merge_shape_of = std::conditional_t<
    sizeof(K) <= 4, merge_shape<512, 15, false>,
    std::conditional_t<sizeof(K) <= 8, merge_shape<512, 9, false>,
                       std::conditional_t<sizeof(K) <= 16, merge_shape<256, 7, false>,
                                          std::conditional_t<sizeof(K) <= 64, merge_shape<128, 3, false>,
                                                             merge_shape<64, 3, false>>>>>;

// Up to so many tiles each block searches the merge path itself.
inline constexpr std::uint32_t merge_searching_tiles = 1024;

template <class Shape>
std::size_t merge_bytes_in(std::uint64_t n) {
  if (n == 0) return 0;
  scratch_carver measure;
  measure.take<std::uint64_t>(ceil_div(n, Shape::items) + 1);
  return measure.bytes();
}
template <class K>
std::size_t merge_bytes(std::uint64_t n) {
  return merge_bytes_in<merge_shape_of<K>>(n);
}

// The sum of two capacities; an error where a grid does not cover it.
template <class K>
std::uint64_t sum_of_lengths(std::uint64_t a, std::uint64_t b, const char* function) {
  require(a + b >= a, function, "more items than one grid of tiles covers");
  (void)tile_count(a + b, merge_shape_of<K>::items, function);
  return a + b;
}

template <class K, class V, class shape, class Codec, class Before>
void launch_merge_in(stream_t stream, std::byte* scratch, merge_arguments<K, V> a, const Codec& codec,
                     const Before& before, const char* function, std::uint32_t searching_tiles) {
  const std::uint64_t n = a.first_length.capacity + a.second_length.capacity;
  const std::uint32_t tiles = tile_count(n, shape::items, function);
  if (tiles == 0) return;
  simt::launch_config config{dim3(tiles), dim3(shape::threads), sizeof(merge_storage<K, V, shape>), stream};
  if (tiles <= searching_tiles) {
    simt::launch(merge_kernel<true, K, V, shape, Codec, Before>, config, a, codec, before);
    return;
  }
  scratch_carver carver(scratch);
  a.from_first = carver.take<std::uint64_t>(std::uint64_t{tiles} + 1);
  simt::launch(merge_path_kernel<K, V, Codec, Before>,
               simt::launch_config{dim3(tiles / merge_path_threads + 1), dim3(merge_path_threads), 0, stream}, a, codec,
               before, tiles, shape::items);
  config.overlaps_previous_launch = true;
  simt::launch(merge_kernel<false, K, V, shape, Codec, Before>, config, a, codec, before);
}

template <class K, class V, class Codec, class Before>
void launch_merge(stream_t stream, std::byte* scratch, merge_arguments<K, V> a, const Codec& codec,
                  const Before& before, const char* function) {
  launch_merge_in<K, V, merge_shape_of<K>>(stream, scratch, a, codec, before, function, merge_searching_tiles);
}

}  // namespace ballot::detail
