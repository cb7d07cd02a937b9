// SPDX-License-Identifier: Apache-2.0
// Sorts of few items on the host: which items one block sorts, and its launch.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/operands.hpp>
#include <ballot/detail/radix_sort/single_block_sort_kernel.cuh>

#include <type_traits>

namespace ballot::detail {

// One block sorts up to single_block_items. A guess until measured: bench/small_sorts.cu compares the shapes, and one
// block with many.
template <class U>
using single_block_shape = single_block_sort_shape<512, sizeof(U) == 16 ? 4 : 8>;
template <class U>
inline constexpr std::uint64_t single_block_items = single_block_shape<U>::items;

// 0 < n <= Shape::items.
template <class U, class V, class Shape = single_block_shape<U>>
void launch_single_block_sort(stream_t stream, const sort_operands<U, V>& operands, key_codec<U> codec,
                              radix_digit_plan digits) {
  using storage = single_block_sort_storage<U, V, Shape>;
  static_assert(sizeof(storage) <= simt::least_shared_bytes_limit);
  simt::launch(single_block_sort_kernel<U, V, Shape>,
               simt::launch_config{dim3(1), dim3(Shape::threads), sizeof(storage), stream},
               single_block_sort_arguments<U, V>{operands.keys, operands.keys_out, operands.values, operands.values_out,
                                                 codec, digits});
}

}  // namespace ballot::detail
