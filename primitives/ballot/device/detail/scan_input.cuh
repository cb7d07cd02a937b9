// SPDX-License-Identifier: Apache-2.0
// The input of a scan: the type of the items in memory, their address, and the conversion of one item to the type of
// the sums.
//
//     input_items<std::uint8_t>    200 100 7 ...    items of any type, converted to the type of the sums
//     input_flags                    0 255 1 ...    bytes as flags: 0, or 1 for any value other than 0
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
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
