// Tile shapes of the radix sort, by key and value size: the first row that fits is taken, the last is a safe default.
// All rank by votes and count while they rank. Ranking through words of shared memory is as fast on uniform keys and
// falls behind on skewed ones; counting first gains nothing (bench/tile_shapes_sort.cu has them side by side). What pays is
// large tiles, whose counts and look-back are shared by more keys, and looking at eight older tiles at once.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_histogram_kernel.cuh>
#include <ballot/detail/radix_pass_kernel.cuh>

namespace ballot::detail {

struct radix_tuning {
  std::size_t key_bytes;    // up to
  std::size_t value_bytes;  // up to; 0: keys alone
  int threads;
  int keys_per_thread;
  int blocks_per_multiprocessor;  // that registers leave room for; 0: as it comes
  int window;                     // older tiles that a thread looks at at once
  const char* measured;           // where, when, at 2^28 uniform keys; null: a guess
};

inline constexpr radix_tuning radix_tunings[] = {
    {4, 0, 384, 20, 3, 8, "H200, 2026-11-20, u32: 5.84 ms; 384 x 16 without bounds takes 6.24"},
    {4, 4, 384, 16, 2, 8, "H200, 2026-11-20, u32 + u32: 8.65 ms; 384 x 14 without bounds takes 9.53"},
    {4, 8, 512, 10, 0, 4, nullptr},
    {8, 0, 512, 10, 2, 8, "H200, 2026-11-20, u64: 16.9 ms; without bounds 18.5"},
    {8, 8, 512, 8, 0, 4, nullptr},
    {16, 8, 256, 8, 0, 4, nullptr},
};

constexpr radix_tuning find_radix_tuning(std::size_t key_bytes, std::size_t value_bytes) {
  for (const radix_tuning& row : radix_tunings)
    if (key_bytes <= row.key_bytes && value_bytes <= row.value_bytes) return row;
  return {key_bytes, value_bytes, 256, 8, 0, 4, nullptr};
}
template <class U, class V>
inline constexpr radix_tuning radix_tuning_of =
    find_radix_tuning(sizeof(U), std::is_same_v<V, no_value> ? 0 : sizeof(V));
template <class U, class V>
using radix_shape_for =
    radix_shape<radix_tuning_of<U, V>.threads, radix_tuning_of<U, V>.keys_per_thread, radix_ranking::votes,
                radix_tuning_of<U, V>.blocks_per_multiprocessor, radix_plain, radix_tuning_of<U, V>.window>;

template <class U>
using radix_histogram_shape_for = radix_histogram_shape<512, 4, block::vector_width<U>()>;

// Blocks of the histogram: they fill the device once, and each adds its counts once.
inline constexpr std::uint64_t radix_histogram_blocks = 1024;

}  // namespace ballot::detail
