// Tile shapes of the radix sort, by key and value size: the first row that fits is taken, the last is a safe default.
// All rank by votes, count while they rank and look back a tile at a time. That is what has been measured on a GPU,
// and in an older kernel: since then full tiles lost their bounds, ranks went two to a register (u32 keys: from 86
// registers to 56), and passes without work are skipped. Not measured yet: that, and the other ways, which
// bench/tile_shapes.cu has side by side.
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
  const char* measured;  // where, when, what at 2^28 uniform keys (2^27 of 8 bytes); null: a guess
};

inline constexpr radix_tuning radix_tunings[] = {
    {4, 0, 384, 16, "H200, 2026-11-20, u32: 0.58 of CUB's speed"},
    {4, 4, 384, 14, "H200, 2026-11-20, u32 + u32: 0.86 of CUB's speed"},
    {4, 8, 512, 10, nullptr},
    {8, 0, 512, 10, "H200, 2026-11-20, u64: 0.86 of CUB's speed"},
    {8, 8, 512, 8, "H200, 2026-11-20, u64 + u32: 0.79 of CUB's speed"},
    {16, 8, 256, 8, nullptr},
};

constexpr radix_tuning find_radix_tuning(std::size_t key_bytes, std::size_t value_bytes) {
  for (const radix_tuning& row : radix_tunings)
    if (key_bytes <= row.key_bytes && value_bytes <= row.value_bytes) return row;
  return {key_bytes, value_bytes, 256, 8, nullptr};
}
template <class U, class V>
inline constexpr radix_tuning radix_tuning_of =
    find_radix_tuning(sizeof(U), std::is_same_v<V, no_value> ? 0 : sizeof(V));
template <class U, class V>
using radix_shape_for = radix_shape<radix_tuning_of<U, V>.threads, radix_tuning_of<U, V>.keys_per_thread>;

template <class U>
using radix_histogram_shape_for = radix_histogram_shape<radix_digits, 4, block::vector_width<U>()>;

// Blocks of the histogram: they fill the device once, and each adds its counts once.
inline constexpr std::uint64_t radix_histogram_blocks = 1024;

}  // namespace ballot::detail
