// SPDX-License-Identifier: Apache-2.0
// The launches of batched_top_k: the shape of blocks, by how long rows are and how many.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/detail/batched_top_k/kernels.cuh>
#include <ballot/detail/common/elementwise_kernels.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

inline constexpr std::uint64_t most_of_row = 4096;  // k
// With a block or a warp each, so few rows do not fill a GPU. H200, 2026-12-01, u32, the 64 largest
// in order of position (sorted), in a graph, microseconds by warps x keys of a lane. Up to 8 keys:
// short_row.cuh.
//
//     1171 rows of 256               1 x 8    3.6 (4.5)    4 x 2    4.7 (6.5)
//     600 rows of 512                2 x 8    3.7 (4.7)    4 x 8    4.5 (5.2)
//     2000 rows of 512               2 x 8    5.5 (7.2)    4 x 8    8.4          1 x 32  5.5
//     292 rows of 1024               4 x 8    3.9 (4.5)    2 x 32   4.6          1 x 32  5.3
//     1024 rows of 1024              4 x 8    5.8 (7.1)    2 x 32   5.6 (6.8)    1 x 32  5.6
//     2048 rows of 1024              4 x 8    8.7          2 x 32   7.7 (9.7)    1 x 32  7.1 (9.3)
//     64 rows of 2048                8 x 8    3.6 (4.1)    8 x 32   4.0 (4.4)
//     600 rows of 2048               8 x 8    6.9 (7.9)    2 x 32   6.4 (7.3)
//
// 2026-11-27:
//
//     2^26 keys in rows of 1024      1 x 32   104   2 x 32   146   4 x 32   224
//     73 rows of 4096                4 x 32   4.0   8 x 32   3.8   16 x 32  4.5
//     1220 rows of 4096              4 x 32  11.8   8 x 32  14.4
//     2^26 keys in rows of 4096      4 x 32   109   8 x 32   155
inline constexpr std::uint64_t few_held_rows = 256, some_held_rows = 1536;
inline constexpr std::uint64_t blocks_of_rows = 1u << 20;  // at most; each takes row after row

template <bool Sampled, class U, class Index>
void launch_long_rows(stream_t stream, const batched_top_k_arguments<U, Index>& a, std::uint64_t most_blocks) {
  constexpr int threads = 1024;
  simt::launch(batched_top_k_kernel<threads, Sampled, U, Index>,
               simt::launch_config{dim3(static_cast<unsigned>(smaller(a.rows.rows, most_blocks))), dim3(threads),
                                   sizeof(long_row_storage<U, threads, Sampled>), stream},
               a);
}

// Warps: the warps of a row.
template <class Shape, bool Long, class U, class Index>
void launch_held_rows(stream_t stream, const batched_top_k_arguments<U, Index>& a, unsigned warps,
                      std::uint64_t most_blocks) {
  const std::uint64_t blocks = smaller(ceil_div(a.rows.rows, std::uint64_t{Shape::rows}), most_blocks);
  simt::launch(batched_top_k_rows_kernel<U, Index, Shape, Long>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(Shape::rows * warps * simt::warp_size),
                                   sizeof(rows_storage<U, Shape, Long>), stream},
               held_rows_arguments<U, Index, Shape, Long>(a));
}

// Selects, without the sort of more than most_sorted_by_rank keys. Long: rows by offsets, which may be
// longer than the average.
template <bool Long, class U, class Index>
void launch_selection(stream_t stream, const batched_top_k_arguments<U, Index>& a, std::uint64_t most_blocks) {
  constexpr int items = sizeof(U) <= 4 ? 32 : 16;
  // Rows by offsets may be too long for a block, whose threads then are known when it is compiled.
  constexpr int several = Long ? 8 : several_warps;
  constexpr std::uint64_t most_warps = Long ? 8 : 16, of_warp = items * simt::warp_size;  // keys
  const std::uint64_t rows = a.rows.rows, average = Long ? a.rows.n.capacity / rows : a.rows.width;
  const bool is_few = rows <= few_held_rows, is_some = rows <= some_held_rows;
  const auto hold = [&]<class Shape>(std::type_identity<Shape>, std::uint64_t warps) {
    launch_held_rows<Shape, Long>(stream, a, static_cast<unsigned>(warps), most_blocks);
  };
  if constexpr (Long) {
    if (is_few && average <= 1024) return hold(std::type_identity<held_row_shape<8, 8>>{}, 8);
  } else {
    if (average > 256 && average <= 512 && rows <= 2048) return hold(std::type_identity<held_row_shape<2, 8>>{}, 2);
    if (average > 512 && average <= 1024 && rows <= 768) return hold(std::type_identity<held_row_shape<4, 8>>{}, 4);
    if (average > 1024 && average <= 2048 && is_few) return hold(std::type_identity<held_row_shape<8, 8>>{}, 8);
  }
  if (average <= 256) return hold(std::type_identity<held_row_shape<1, 8, Long ? 8 : 4>>{}, 1);
  if (average <= of_warp && (Long || !is_some)) return hold(std::type_identity<held_row_shape<1, items>>{}, 1);
  // As many warps as there is room for; more if there are few rows.
  std::uint64_t warps = Long || is_few ? 8 : is_some ? 2 : 1;
  while (warps * of_warp < average && warps <= most_warps) warps *= 2;
  if (warps <= most_warps) return hold(std::type_identity<held_row_shape<several, items>>{}, warps);
  if (sizeof(sampled_row_storage<U, 1024>) <= simt::shared_bytes_limit())
    launch_long_rows<true>(stream, a, most_blocks);
  else launch_long_rows<false>(stream, a, most_blocks);
}

// rows > 0, k > 0. Positions: whether the caller wants them.
template <bool Positions, bool Long, class U, class Index>
void launch_batched_top_k(stream_t stream, batched_top_k_arguments<U, Index> a, bool sorted,
                          std::uint64_t most_blocks = blocks_of_rows) {
  a.is_sorted = sorted && a.k <= most_sorted_by_rank;
  launch_selection<Long>(stream, a, most_blocks);
  if (!sorted || a.is_sorted) return;
  using value = std::conditional_t<Positions, Index, no_value>;
  using shape = single_block_shape<U>;
  value* values = nullptr;
  if constexpr (Positions) values = a.positions_out;
  simt::launch(sort_rows_kernel<U, value, shape>,
               simt::launch_config{dim3(static_cast<unsigned>(smaller(a.rows.rows, most_blocks))), dim3(shape::threads),
                                   sizeof(single_block_sort_storage<U, value, shape>), stream},
               a.rows, a.k, a.keys_out, values, a.codec, radix_digit_plan{0, 8 * static_cast<int>(sizeof(U))});
}

// In: a pointer or a view.
template <class In, class V, class Index>
void launch_gather_of_rows(stream_t stream, const keys_of_rows& rows, std::uint64_t k, const In& values,
                           const Index* positions, V* out, const char* function) {
  simt::launch(gather_of_rows_kernel<V, Index, In>, elementwise_launch(stream, rows.rows * k, function), rows, k,
               values, positions, out);
}

}  // namespace ballot::detail
