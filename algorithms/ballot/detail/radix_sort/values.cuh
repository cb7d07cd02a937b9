// SPDX-License-Identifier: Apache-2.0
// The values of a sort as words that move beside the keys.
//
//     inline     1, 2, 4 or 8 bytes, aligned to their size: they are words
//     repacked   Other values of up to 8 bytes, such as colours of 3 bytes, or two floats at an odd
//                multiple of 4. They are copied into words before the sort and out of them after
//                it, by a read and a write each. (A gather by positions would read a whole sector
//                for each.)
//     indirect   longer values: the sort moves positions (dispatch.cuh)
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/simt/simt.cuh>

#include <bit>
#include <cstdint>
#include <cstring>

namespace ballot::detail {

// Whether values are inline or repacked, not indirect.
template <class V>
inline constexpr bool fits_word = sizeof(V) <= 8;
// Whether values are inline at any address. They are if the alignment of their type is that of a
// word.
template <class V>
inline constexpr bool is_inline_value = fits_word<V> && alignof(V) == sizeof(V);

template <class V>
using value_word_t = typename unsigned_of_size<std::bit_ceil(sizeof(V))>::type;

// Whether the values of a sort are inline, by the addresses of source and destination.
template <class V>
bool are_inline(const V* in, const V* out) {
  if constexpr (is_inline_value<V>) {
    return true;
  } else {
    using word = value_word_t<V>;
    const auto either = reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out);
    return sizeof(V) == sizeof(word) && either % sizeof(word) == 0;
  }
}

// words[i] = values[i], padded with zero bytes
template <class V, class W>
__global__ void __launch_bounds__(elementwise_threads) repack_values_kernel(const V* values, W* words, length length) {
  transform_tile(
      length.get(),
      [&](std::uint64_t i) {
        W word = 0;
        memcpy(&word, values + i, sizeof(V));
        return word;
      },
      [&](std::uint64_t i, W word) { words[i] = word; });
}

// values[i] = the first bytes of words[i]
template <class V, class W>
__global__ void __launch_bounds__(elementwise_threads) unpack_values_kernel(const W* words, V* values, length length) {
  transform_tile(
      length.get(), [&](std::uint64_t i) { return words[i]; },
      [&](std::uint64_t i, W word) { memcpy(static_cast<void*>(values + i), &word, sizeof(V)); });
}

template <class V, class W>
void launch_repack_values(stream_t stream, const V* values, W* words, length length, const char* function) {
  simt::launch(repack_values_kernel<V, W>, elementwise_launch(stream, length.capacity, function), values, words,
               length);
}
template <class V, class W>
void launch_unpack_values(stream_t stream, const W* words, V* values, length length, const char* function) {
  simt::launch(unpack_values_kernel<V, W>, elementwise_launch(stream, length.capacity, function), words, values,
               length);
}

}  // namespace ballot::detail
