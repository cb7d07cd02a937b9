// SPDX-License-Identifier: Apache-2.0
// Shapes of the radix sort, by the sizes of keys, values and array.
//
// Large tiles pay off if there are many. More keys share a tile's counts, barriers and look-back,
// and each digit's run in the output is longer. Few warps with many keys each are faster than many
// warps with few. The reason is that each warp's counts have to be added up and turned into
// offsets, however many keys it has counted. A small array is divided into small tiles, or few
// multiprocessors would have work. All look back at eight tiles at once. bench/tile_shapes_sort.cu
// compares other shapes.
//
// Every GPU can run the smallest shape of each row. A GPU that lacks the shared memory for a
// larger one takes the smallest for all, in portions. So the scratch of a sort does not depend on
// the GPU (scratch.cuh).
//
// A row may be only for newer GPUs. Which row a sort takes is decided when it is called
// (device/tuning.cuh). So far no GPU has rows of its own. All rows were measured on an H200, those
// for most items on an H100, too. For other GPUs they are guesses.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/histogram_kernel.cuh>
#include <ballot/detail/radix_sort/leading_bits_histogram_kernel.cuh>
#include <ballot/detail/radix_sort/local_sort_kernel.cuh>
#include <ballot/detail/radix_sort/pass_kernel.cuh>
#include <ballot/device/tuning.cuh>

#include <limits>

namespace ballot::detail {

struct radix_tuning {
  std::size_t key_bytes;    // up to
  std::size_t value_bytes;  // up to; 0: keys alone
  std::uint64_t items;      // up to
  int threads;
  int keys_per_thread;
  int blocks_per_multiprocessor;  // that registers leave room for; 0: as it comes
  const char* measured;           // where, when, of which array; null: a guess
  int architecture = 0;           // from: 900 for sm_90; 0: every GPU
};
constexpr bool same_sizes(const radix_tuning& a, const radix_tuning& b) {
  return a.key_bytes == b.key_bytes && a.value_bytes == b.value_bytes && a.items == b.items;
}

inline constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t half_mebi = 1u << 19, two_mebi = 1u << 21, eight_mebi = 1u << 23;

// Rows of the same sizes of keys and values stand together, and the row for any number of items is
// the last of them. Tests have their own tables.
struct radix_tunings {
  static constexpr radix_tuning rows[] = {
      {4, 0, half_mebi, 256, 16, 0, "H200, 2026-11-20, 2^16 u32: 37.7 us; 512 x 16 takes 42.8"},
      {4, 0, two_mebi, 512, 16, 2, nullptr},
      {4, 0, eight_mebi, 384, 24, 2,
       "H100, 2026-11-26, Zipf's ranks, hashed, 2.5 M: 102 us, 2^22: 134, 5 M: 155; 512 x 16 takes 113, 138, 168"},
      {4, 0, any_number, 256, 36, 3,
       "H200, 2026-11-21, 2^28 u32: 4.17 ms; 384 x 36 takes 4.27, 512 x 28 4.46. H100, 2026-11-23: 4.91; 4.70, 4.94"},
      {4, 4, half_mebi, 256, 12, 4, "H200, 2026-11-20, 2^16 u32 + u32: 40.3 us; 512 x 16 takes 51.7"},
      {4, 4, two_mebi, 512, 16, 2, nullptr},
      {4, 4, eight_mebi, 384, 26, 2,
       "H100, 2026-11-26, Zipf's ranks, hashed, 2.5 M: 126 us, 2^22: 204, 5 M: 230; 512 x 16 takes 152, 198, 245"},
      {4, 4, any_number, 256, 46, 2,
       "H200, 2026-11-21, 2^28 u32 + u32: 6.59 ms, order 6.18; 384 x 34 takes 6.56, 6.29. H100, 2026-11-23: 8.43; "
       "8.32"},
      {4, 8, half_mebi, 256, 12, 0, "H200, 2026-11-20, 2^16 u32 + u64: 42.4 us; 384 x 16 takes 51.4"},
      {4, 8, any_number, 384, 18, 2,
       "H200, 2026-11-21, 2^28 u32 + u64: 9.51 ms; 256 x 24 takes 9.54. H100, 2026-11-23: 11.9; 12.0"},
      {8, 0, half_mebi, 256, 12, 0, "H200, 2026-11-20, 2^16 u64: 66 us; 512 x 16 takes 88"},
      {8, 0, eight_mebi, 256, 20, 3, "H200, 2026-11-21, 2^20 u64: 124 us, 2^22: 318; 256 x 16 takes 123, 338"},
      {8, 0, any_number, 256, 30, 2,
       "H200, 2026-11-21, 2^28 u64: 12.6 ms; 384 x 20 takes 12.8. H100, 2026-11-23: 15.5; 15.6"},
      {8, 4, half_mebi, 256, 12, 0, nullptr},
      {8, 4, eight_mebi, 384, 16, 2, nullptr},
      {8, 4, any_number, 256, 30, 2,
       "H100, 2026-11-24, 50 M u64 + u32, 24 bits: 1.82 ms; 384 x 16 takes 1.90, 384 x 18 1.86"},
      {8, 8, half_mebi, 256, 12, 0, "H200, 2026-11-20, 2^16 u64 + u64: 80.7 us; 384 x 16 takes 98.0"},
      {8, 8, any_number, 384, 16, 2,
       "H200, 2026-11-21, 2^28 u64 + u64: 23.9 ms; 384 x 18, for which many GPUs lack room, 23.6"},
      {16, 8, any_number, 256, 8, 0, nullptr},
  };
};

static_assert(has_ordered_rows<radix_tunings>());

inline constexpr int look_back_window = 8;

// The first row that fits. The rows from there to the next one for any number of items belong
// together.
template <class Tunings>
constexpr int first_radix_row(std::size_t key_bytes, std::size_t value_bytes) {
  int row = 0;
  while (Tunings::rows[row].key_bytes < key_bytes || Tunings::rows[row].value_bytes < value_bytes) ++row;
  return row;
}

template <int Row, class Tunings = radix_tunings>
using radix_shape_of_row = radix_shape<Tunings::rows[Row].threads, Tunings::rows[Row].keys_per_thread,
                                       Tunings::rows[Row].blocks_per_multiprocessor, look_back_window>;
template <class U, class V, class Tunings = radix_tunings>
inline constexpr int radix_row_of = first_radix_row<Tunings>(sizeof(U), std::is_same_v<V, no_value> ? 0 : sizeof(V));
// For small arrays, and for GPUs with little shared memory.
template <class U, class V, class Tunings = radix_tunings>
using smallest_radix_shape = radix_shape_of_row<radix_row_of<U, V, Tunings>, Tunings>;
template <class U, class V, class Shape>
inline constexpr bool runs_everywhere = sizeof(radix_pass_storage<U, V, Shape>) <= simt::least_shared_bytes_limit;

// Histograms, for small arrays, and for large ones if the GPU has the shared memory. As many blocks
// as are resident on an H200, on each multiprocessor.
template <class U>
struct small_radix_histogram
    : radix_histogram_shape<512, 2, block::vector_width<U>(), 1, blocks_per_multiprocessor<1>> {
  static constexpr bool is_for_few_keys = true;
};
template <class U>
using large_radix_histogram = std::conditional_t<
    sizeof(U) <= 4, radix_histogram_shape<512, 4, block::vector_width<U>(), 16, blocks_per_multiprocessor<2>>,
    radix_histogram_shape<1024, 4, block::vector_width<U>(), sizeof(U) == 8 ? 16 : 8, blocks_per_multiprocessor<1>>>;
inline constexpr std::uint64_t small_radix_items = std::uint64_t{1} << 22;

// Sorts by leading bits: the shapes of the histogram and of the local sort, in narrow words and in
// wide ones. For whole keys of 4 and 8 bytes, up to a little over 2^28. The average bucket has at
// most `aim` keys. Of 2^16 buckets of random keys, the largest exceeds the average by 5 standard
// deviations. H200, 2026-11-22, local sort of 2^28:
//
//     u32         1.01 ms; 1.18 where registers leave room for 4 blocks; 1.13 in 18 warps of 9
//                 words a lane
//     u64 + u64   2.55, and 2.90 in 18 warps
template <class U, class V>
struct local_sort_tuning {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr bool long_pairs = has_values && sizeof(U) + sizeof(V) == 16;
  using histogram = leading_bits_histogram_shape<1024, 6, block::vector_width<U>(), blocks_per_multiprocessor<1>, 8>;
  using narrow = block_sort_shape<12, 13, 12, long_pairs ? 2 : 3>;
  using wide = std::conditional_t<has_values, block_sort_shape<12, 13, 12, sizeof(U) == 8 ? 1 : 2, true>, narrow>;
  static constexpr std::uint64_t least_items = std::uint64_t{1} << 15;
  static constexpr std::uint64_t wide_items = std::uint64_t{1} << 24;  // up to so many in wide words
  static constexpr std::uint64_t aim = narrow::items / 12 * 11;
  static constexpr int min_leading_bits = radix_bits, max_leading_bits = 16;
  static constexpr std::uint64_t blocks = 32768;  // of the local sort, at most
  // Sorts of items with nearly always the same key: so many keys have another digit, in each pass. Those
  // that differ in all digits are as many, and others up to `passes` times as many.
  static constexpr std::uint32_t most_others = 1u << 11;
  // Sorts by leading digits, for keys of 8 bytes. They cost all sorts two launches without work,
  // and some the time of a sample. H200, 2026-11-27, us in a graph by all digits, and so, where
  // three passes had to be saved:
  //
  //     items                       600,011     1,000,003   2,000,003   4,000,037
  //     doubles, normal             88   74     109   88    174  132    300  217
  //     ... with values of u32      99   82     135  105    257  175    415  277
  //     u64, Zipf's ranks, hashed   85   94     108  109    167  153    287  243
  //     u64, uniform                40   43     47    49     80   83    129  132
  static constexpr std::uint64_t least_items_by_leading_digits = half_mebi + 1;
  // With fewer, five digits have to be saved, not three. 2026-11-27, us in a graph, a million keys:
  //
  //     keys                           digits saved   by all digits   by leading digits
  //     normal doubles, H200           5              109             94
  //     (tile, depth), H200            4              85              104
  //     hashes of Zipf's ranks, H100   3              123             137
  static constexpr std::uint64_t many_items_by_leading_digits = two_mebi;
  // From so many on, two digits have to be saved. H200, 2026-11-29, ms by all digits, and so:
  //
  //     items                             12 M            50 M            2^28
  //     time stamps                       0.548  0.513    1.90   1.78     9.59   9.11
  //     ... with values of u32            0.751  0.659    2.68   2.32     13.81  12.20
  //     (tile, depth)                     0.550  0.602    1.91   2.04     9.54   9.40
  //     ... with values of u32            0.751  0.793    2.67   2.76     13.76  12.71
  static constexpr std::uint64_t very_many_items_by_leading_digits = (std::uint64_t{1} << 26) + 1;
  // With more keys, only large buckets are sorted again. That takes four more launches, mostly
  // without work.
  static constexpr std::uint64_t most_items_in_rounds = std::uint64_t{1} << 26;
};

template <class U, class V>
using local_sort_of =
    std::conditional_t<(sizeof(U) == 4 || sizeof(U) == 8) && !has_equal_zeros<U>, local_sort_tuning<U, V>, void>;

}  // namespace ballot::detail
