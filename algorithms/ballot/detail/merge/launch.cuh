// SPDX-License-Identifier: Apache-2.0
// The launches of merge, and its scratch.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/detail/merge/kernel.cuh>
#include <ballot/detail/merge/search_kernel.cuh>
#include <ballot/detail/merge/tuning.cuh>
#include <ballot/device/tiles.hpp>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

inline constexpr std::uint64_t merge_few_bytes = std::uint64_t{1} << 26;
template <class K>
bool is_merge_of_few(std::uint64_t n) {
  return n <= merge_few_bytes / sizeof(K);
}

template <class Shape>
std::size_t merge_bytes_in(std::uint64_t n) {
  if (n == 0) return 0;
  scratch_carver measure;
  measure.take<std::uint64_t>(ceil_div(n, Shape::items) + 1);
  return measure.bytes();
}
template <class K>
std::size_t merge_bytes(std::uint64_t n) {
  return is_merge_of_few<K>(n) ? 0 : merge_bytes_in<merge_shape_of<K>>(n);
}

// The sum of two capacities; an error where a grid does not cover it.
template <class K>
std::uint64_t sum_of_lengths(std::uint64_t a, std::uint64_t b, const char* function) {
  require(a + b >= a, function, "more items than one grid of tiles covers");
  (void)tile_count(a + b, merge_shape_of<K>::items, function);
  return a + b;
}

// Searches: the blocks search the path themselves. Otherwise an earlier launch does so, and the
// scratch has merge_bytes_in.
template <bool Searches, class Shape, class K, class V, class Codec, class Before>
void launch_merge_in(stream_t stream, std::byte* scratch, merge_arguments<K, V> a, const Codec& codec,
                     const Before& before, const char* function) {
  if constexpr (!is_for_every_gpu<Shape>) {
    with_shape_of_gpu<Shape>([&]<class Own>(std::type_identity<Own>) {
      launch_merge_in<Searches, Own>(stream, scratch, a, codec, before, function);
    });
  } else {
    const std::uint64_t n = a.first_length.capacity + a.second_length.capacity;
    const std::uint32_t tiles = tile_count(n, Shape::items, function);
    if (tiles == 0) return;
    if constexpr (!Searches) {
      scratch_carver carver(scratch);
      a.from_first = carver.take<std::uint64_t>(std::uint64_t{tiles} + 1);
      simt::launch(merge_path_kernel<K, V, Codec, Before>,
                   simt::launch_config{dim3(tiles / merge_path_threads + 1), dim3(merge_path_threads), 0, stream}, a,
                   codec, before, tiles, Shape::items);
    }
    simt::launch(merge_kernel<Searches, K, V, Shape, Codec, Before>,
                 simt::launch_config{.grid = dim3(tiles),
                                     .block = dim3(Shape::threads),
                                     .shared_bytes = sizeof(merge_storage<K, V, Shape>),
                                     .stream = stream,
                                     .overlaps_previous_launch = !Searches},
                 a, codec, before);
  }
}

// With up to so many items, each item is searched for.
inline constexpr std::uint64_t most_merged_by_search = std::uint64_t{1} << 17;

// And up to so many, few tiles are small. Up to the second number, tiles of keys are those of pairs.
inline constexpr std::uint64_t most_in_small_tiles = std::uint64_t{3} << 18,
                               most_in_medium_tiles = std::uint64_t{5} << 18;

template <class K, class V, class Codec, class Before>
void launch_merge_by_search(stream_t stream, const merge_arguments<K, V>& a, const Codec& codec, const Before& before) {
  const std::uint64_t n = a.first_length.capacity + a.second_length.capacity;
  if (n == 0) return;
  simt::launch(merge_by_search_kernel<K, V, Codec, Before>,
               simt::launch_config{dim3(static_cast<unsigned>(ceil_div(n, std::uint64_t{merge_search_threads}))),
                                   dim3(merge_search_threads), 0, stream},
               a, codec, before);
}

template <class K, class V, class Codec, class Before>
void launch_merge(stream_t stream, std::byte* scratch, const merge_arguments<K, V>& a, const Codec& codec,
                  const Before& before, const char* function) {
  static_assert(merge_shape_of_many<K, V>::items >= merge_shape_of<K>::items, "the scratch has a word for each tile");
  const std::uint64_t n = a.first_length.capacity + a.second_length.capacity;
  if (n <= most_merged_by_search) launch_merge_by_search(stream, a, codec, before);
  else if (n <= most_in_small_tiles)
    launch_merge_in<true, merge_shape_of_few<K>>(stream, scratch, a, codec, before, function);
  else if (n <= most_in_medium_tiles)
    launch_merge_in<true, merge_shape_of_medium<K>>(stream, scratch, a, codec, before, function);
  else if (is_merge_of_few<K>(n))
    launch_merge_in<true, merge_shape_of_more<K, V>>(stream, scratch, a, codec, before, function);
  else launch_merge_in<false, merge_shape_of_many<K, V>>(stream, scratch, a, codec, before, function);
}

}  // namespace ballot::detail
