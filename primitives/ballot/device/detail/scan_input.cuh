// SPDX-License-Identifier: Apache-2.0
// The input of a scan: the type of the items in memory, their address, and the conversion of one
// item to the type of the sums.
//
//     input_items<std::uint8_t>   200 100 7 ...   items of any type, converted to the type of the
//                                                 sums
//     input_flags                   0 255 1 ...   bytes as flags: 0, or 1 for any other value
//     input_of_view<V>              f(x0) ...     items that are computed, and then converted
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/view.hpp>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::device {

template <class In>
struct input_items {
  using stored = In;
  const In* data;

  template <class T>
  static __device__ __forceinline__ T convert(const In& item) {
    return static_cast<T>(item);
  }
};

struct input_flags {
  using stored = std::uint8_t;
  const std::uint8_t* data;

  template <class T>
  static __device__ __forceinline__ T convert(std::uint8_t flag) {
    return static_cast<T>(flag != 0 ? 1 : 0);
  }
};

// Larger than every sum, so that items are converted before they are staged.
struct computed_item {
  unsigned char bytes[ballot::detail::most_sum_bytes + 1];
};
template <class V>
struct input_of_view {
  using stored = computed_item;
  using item = typename V::value_type;
  V view;
  int aligned_items;  // vectors of so many items, or fewer, are whole

  template <class T>
  static __device__ __forceinline__ T convert(const item& one) {
    return static_cast<T>(one);
  }
  // Stages the tile of T that begins at `begin`. vector_aligned: with a whole vector.
  template <class Staged, class T, class Shape, class Storage>
  __device__ __forceinline__ void stage(Storage& to, std::uint64_t begin, unsigned valid, bool vector_aligned,
                                        bool backward) const {
    constexpr int width = Shape::width;
    constexpr std::size_t bytes = loaded_bytes<V> > sizeof(T) ? loaded_bytes<V> : sizeof(T);
    if constexpr (has_vectors<V, width>) {
      if (vector_aligned && valid == Shape::items) {
        Staged::template start_vectors<bytes>(to, backward, [&](unsigned at) {
          const auto loaded = vector_of<width>(view, begin + at);
          simt::vector<T, width> v;
#pragma unroll
          for (int j = 0; j < width; ++j) v[j] = convert<T>(loaded[j]);
          return v;
        });
        return;
      }
    }
    Staged::template start_each<bytes>(to, valid, backward, [&](unsigned at) {
      return convert<T>(static_cast<item>(view[begin + (at < valid ? at : 0)]));
    });
  }
};
template <class V>
input_of_view<V> make_input_of_view(const V& view) {
  return {view, is_vector_aligned<16>(view)  ? 16
                : is_vector_aligned<8>(view) ? 8
                : is_vector_aligned<4>(view) ? 4
                : is_vector_aligned<2>(view) ? 2
                                             : 1};
}
template <class Input>
inline constexpr bool is_input_of_view = false;
template <class V>
inline constexpr bool is_input_of_view<input_of_view<V>> = true;

// A vector of stored items, converted.
template <class T, class Input, int Width>
__device__ __forceinline__ simt::vector<T, Width> converted(const simt::vector<typename Input::stored, Width>& stored) {
  if constexpr (std::is_same_v<Input, input_items<T>>) {
    return stored;
  } else {
    simt::vector<T, Width> v;
#pragma unroll
    for (int j = 0; j < Width; ++j) v[j] = Input::template convert<T>(stored[j]);
    return v;
  }
}

}  // namespace ballot::device
