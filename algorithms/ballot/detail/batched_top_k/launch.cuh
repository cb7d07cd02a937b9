// SPDX-License-Identifier: Apache-2.0
// The launches of batched_top_k. One block a row: of 128 or 256 threads for short rows, else of 1024.
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

inline constexpr std::uint64_t most_of_row = 4096;      // k
inline constexpr std::uint64_t short_row_items = 4096;  // on average
inline constexpr std::uint64_t tiny_row_items = 1024;
inline constexpr std::uint64_t blocks_of_rows = 1u << 20;  // at most; each takes row after row

template <int Threads, bool Sampled, class U, class Index>
void launch_rows(stream_t stream, const batched_top_k_arguments<U, Index>& a, std::uint64_t most_blocks) {
  using storage = std::conditional_t<Sampled, sampled_row_storage<U, Threads>, held_row_storage<U, Threads>>;
  simt::launch(batched_top_k_kernel<Threads, Sampled, U, Index>,
               simt::launch_config{dim3(static_cast<unsigned>(smaller(a.rows.rows, most_blocks))), dim3(Threads),
                                   sizeof(storage), stream},
               a);
}

// rows > 0, k > 0. Positions: whether they are wanted.
template <bool Positions, class U, class Index>
void launch_batched_top_k(stream_t stream, batched_top_k_arguments<U, Index> a, bool sorted,
                          std::uint64_t most_blocks = blocks_of_rows) {
  a.is_sorted = sorted && a.k <= most_sorted_by_rank;
  const bool by_layout = a.rows.offset == nullptr;
  const std::uint64_t average = by_layout ? a.rows.width : a.rows.n.capacity / a.rows.rows;
  const bool may_sample = by_layout ? a.rows.width > sampled_row_items : a.rows.n.capacity > sampled_row_items;
  const bool has_room = sizeof(sampled_row_storage<U, 1024>) <= simt::shared_bytes_limit();
  if (average <= tiny_row_items) launch_rows<128, false>(stream, a, most_blocks);
  else if (average <= short_row_items) launch_rows<256, false>(stream, a, most_blocks);
  else if (may_sample && has_room) launch_rows<1024, true>(stream, a, most_blocks);
  else launch_rows<1024, false>(stream, a, most_blocks);
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

template <class V, class Index>
void launch_gather_of_rows(stream_t stream, const keys_of_rows& rows, std::uint64_t k, const V* values,
                           const Index* positions, V* out, const char* function) {
  simt::launch(gather_of_rows_kernel<V, Index>, elementwise_launch(stream, rows.rows * k, function), rows, k, values,
               positions, out);
}

}  // namespace ballot::detail
