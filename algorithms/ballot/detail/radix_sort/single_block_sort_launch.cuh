// SPDX-License-Identifier: Apache-2.0
// Sorts of few items on the host: which items one block sorts, and its launch.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/block_merge_sort_kernel.cuh>
#include <ballot/detail/radix_sort/operands.hpp>
#include <ballot/detail/radix_sort/rank_sort_kernel.cuh>
#include <ballot/detail/radix_sort/single_block_sort_kernel.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// One block sorts up to single_block_items, of keys of one byte; of others, which by runs are sorted as quickly, up to
// block_merge_sort_shape::items. bench/small_sorts.cu compares the shapes, and one block with many.
template <class U>
using single_block_shape = single_block_sort_shape<512, sizeof(U) == 16 ? 4 : 8>;
template <class U>
inline constexpr std::uint64_t single_block_items = single_block_shape<U>::items;

// For no more items than are merged. Keys of more digits than so many are.
using few_items_shape =
    single_block_sort_shape<block_merge_sort_shape::threads, block_merge_sort_shape::items_per_thread>;
inline constexpr int most_digits_of_few = 4;

template <class U, class V>
void launch_block_merge_sort(stream_t stream, const single_block_sort_arguments<U, V>& a) {
  using storage = block_merge_sort_storage<U, V>;
  static_assert(sizeof(storage) <= simt::least_shared_bytes_limit);
  // As many threads as have items; whole warps.
  const auto threads =
      static_cast<unsigned>(ceil_div(a.keys.capacity(), block_merge_sort_shape::warp_items) * simt::warp_size);
  simt::launch(block_merge_sort_kernel<U, V>, simt::launch_config{dim3(1), dim3(threads), sizeof(storage), stream}, a);
}

template <class U, class V, class Shape>
void launch_single_block_sort_in_shape(stream_t stream, const single_block_sort_arguments<U, V>& a) {
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

// Whether ranks are the faster way. Their time grows with the square of n, and with the inverse of the number of
// multiprocessors: up to 2^17 comparisons for each of them, or 4096 keys on an H100. Blocks write while others read, so
// outputs are no inputs. H100, 2026-11-23, us in a graph, by ranks (by the other ways), of 1000 and 4096 keys: u32 3.6
// (8.7), 6.9 (14.4); u32 with u32 values 3.9 (9.6), 7.0 (16.6); u64 4.0 (10.7), 7.9 (27.5); u128 of 1000 and 2000 6.2
// (17.6), 9.3 (30.0); u8, of one digit, 4.4 (4.6), 7.0 (6.7). For other GPUs this is a guess.
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

// Whether one block sorts them, or some by ranks: 0 < n <= single_block_items.
template <class U, class V>
bool is_for_single_block(const single_block_sort_arguments<U, V>& a) {
  return sizeof(U) == 1 || a.keys.capacity() <= block_merge_sort_shape::items || is_sorted_by_ranks(a);
}

// By digits, in a given shape: 0 < n <= Shape::items. Shape void: is_for_single_block, by ranks where that can be; else
// in the shape for so many, and by merging where few keys have many digits. H200, 2026-11-23, u64 in a graph:
// 1000 keys 9.6 us by merging, 15.0 by digits; u32 7.6 either way, 2000 keys 10.2 by merging, 9.2 by digits
// (bench/results).
template <class U, class V, class Shape = void>
void launch_single_block_sort(stream_t stream, const sort_operands<U, V>& operands, key_codec<U> codec,
                              radix_digit_plan digits) {
  const single_block_sort_arguments<U, V> a{
      operands.keys, operands.keys_out, operands.values, operands.values_out, codec, digits};
  if constexpr (!std::is_void_v<Shape>) {
    launch_single_block_sort_in_shape<U, V, Shape>(stream, a);
  } else if (is_sorted_by_ranks(a)) {
    launch_rank_sort<U, V, rank_sort_shape<U, 512, 2>>(stream, a);
  } else if (operands.keys.capacity() > block_merge_sort_shape::items) {
    if constexpr (sizeof(U) == 1) launch_single_block_sort_in_shape<U, V, single_block_shape<U>>(stream, a);
  } else {
    if constexpr (sizeof(U) * 8 / radix_bits > most_digits_of_few)
      if (digits.passes() > most_digits_of_few) return launch_block_merge_sort(stream, a);
    launch_single_block_sort_in_shape<U, V, few_items_shape>(stream, a);
  }
}

}  // namespace ballot::detail
