// SPDX-License-Identifier: Apache-2.0
// The host's side of sorts of few items in one launch: by ranks, or by one block.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/operands.hpp>
#include <ballot/detail/radix_sort/rank_sort_kernel.cuh>
#include <ballot/detail/radix_sort/single_block_sort_kernel.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// Up to single_block_items items go by ranks, if they can. If not, one block sorts keys of one
// byte, and up to few_items_shape::items of up to 4 bytes. Others go by runs (run_sort_launch.cuh).
// bench/small_sorts.cu compares the shapes, and one block with many. H100, 2026-11-25, us in a
// graph, 1000 keys by one block, by runs:
//
//     u32                             7.6   6.2
//     u32 that differ in 16 bits      4.8   6.2
//     u32 in order                    1.9   6.2
//     u64                            15.1   7.4
//     u64 that differ in 16 bits      5.5   7.5
template <class U>
using single_block_shape = single_block_sort_shape<512, sizeof(U) == 16 ? 4 : 8>;
template <class U>
inline constexpr std::uint64_t single_block_items = single_block_shape<U>::items;
using few_items_shape = single_block_sort_shape<512, 4>;

// By digits: 0 < n <= Shape::items.
template <class U, class V, class Shape>
void launch_single_block_sort(stream_t stream, const single_block_sort_arguments<U, V>& a) {
  using storage = single_block_sort_storage<U, V, Shape>;
  static_assert(sizeof(storage) <= simt::least_shared_bytes_limit);
  simt::launch(single_block_sort_kernel<U, V, Shape>,
               simt::launch_config{dim3(1), dim3(Shape::threads), sizeof(storage), stream}, a);
}

// By ranks: 0 < n, and no output is an input.
template <class U, class V, class Shape>
void launch_rank_sort(stream_t stream, const single_block_sort_arguments<U, V>& a) {
  const std::uint64_t n = a.keys.capacity();
  const auto blocks = static_cast<unsigned>(ceil_div(n, Shape::block_items));
  simt::launch(rank_sort_kernel<U, V, Shape>,
               simt::launch_config{dim3(blocks), dim3(Shape::threads), Shape::keys_in_shared(n) * sizeof(U), stream},
               a);
}

// Whether ranks are the faster way. Their time grows with the square of n, and with the inverse of
// the number of multiprocessors. They are used for up to 2^17 comparisons for each multiprocessor,
// which is 4096 keys on an H100. Blocks write while others read, so no output may be an input.
// H100, 2026-11-23, us in a graph, by ranks (by the other ways):
//
//     keys                      1000           4096
//     u32                       3.6  (8.7)     6.9 (14.4)
//     u32 with u32 values       3.9  (9.6)     7.0 (16.6)
//     u64                       4.0 (10.7)     7.9 (27.5)
//     u128, 1000 and 2000       6.2 (17.6)     9.3 (30.0)
//     u8, of one digit          4.4  (4.6)     7.0  (6.7)
//
// For other GPUs this is a guess.
inline constexpr std::uint64_t most_comparisons_of_multiprocessor = std::uint64_t{1} << 17;
inline constexpr std::uint64_t most_ranked_by_one_digit = 1024;

template <class U, class V>
bool is_sorted_by_ranks(const single_block_sort_arguments<U, V>& a) {
  const std::uint64_t n = a.keys.capacity();
  if (a.digits.passes() <= 1 && n > most_ranked_by_one_digit) return false;
  if (n * n > most_comparisons_of_multiprocessor * simt::multiprocessors()) return false;
  const std::size_t key_bytes = n * sizeof(U), value_bytes = std::is_same_v<V, no_value> ? 0 : n * sizeof(V);
  const auto apart = [](const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(a), second = reinterpret_cast<std::uintptr_t>(b);
    return a == nullptr || b == nullptr || first + a_bytes <= second || second + b_bytes <= first;
  };
  return apart(a.keys_out, key_bytes, a.keys.data, key_bytes) && apart(a.keys_out, key_bytes, a.values, value_bytes) &&
         apart(a.values_out, value_bytes, a.keys.data, key_bytes) &&
         apart(a.values_out, value_bytes, a.values, value_bytes);
}

// Whether few items were sorted by one launch of these. n > 0.
template <class U, class V>
bool launch_sort_of_few(stream_t stream, const sort_operands<U, V>& operands, key_codec<U> codec,
                        radix_digit_plan digits) {
  if (operands.keys.capacity() > single_block_items<U>) return false;
  const single_block_sort_arguments<U, V> a{
      operands.keys, operands.keys_out, operands.values, operands.values_out, codec, digits};
  if (is_sorted_by_ranks(a)) {
    launch_rank_sort<U, V, rank_sort_shape<U, 512, 2>>(stream, a);
    return true;
  }
  if constexpr (sizeof(U) <= 4) {
    if (a.keys.capacity() <= few_items_shape::items) {
      launch_single_block_sort<U, V, few_items_shape>(stream, a);
      return true;
    }
  }
  if constexpr (sizeof(U) == 1) launch_single_block_sort<U, V, single_block_shape<U>>(stream, a);
  return sizeof(U) == 1;
}

}  // namespace ballot::detail
