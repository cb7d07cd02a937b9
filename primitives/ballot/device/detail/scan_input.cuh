// Where a scan's items come from: how they lie in memory, and what becomes of them in registers.
//
//     item_source<std::uint8_t>    200 100 7 ...    items of any type, converted to the type of the sums
//     flag_source                    0 255 1 ...    bytes as flags: 0, or 1 for whatever is not 0
//
// A source names the type that lies in memory, its address, and the conversion of one item.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::device {

template <class In>
struct item_source {
  using stored = In;
  const In* at;

  template <class T>
  static __device__ __forceinline__ T convert(const In& item) {
    return static_cast<T>(item);
  }
};

struct flag_source {
  using stored = std::uint8_t;
  const std::uint8_t* at;

  template <class T>
  static __device__ __forceinline__ T convert(std::uint8_t flag) {
    return static_cast<T>(flag != 0 ? 1 : 0);
  }
};

// What became of a stored vector.
template <class T, class Source, int Width>
__device__ __forceinline__ simt::vector<T, Width> converted(
    const simt::vector<typename Source::stored, Width>& stored) {
  if constexpr (std::is_same_v<Source, item_source<T>>) {
    return stored;
  } else {
    simt::vector<T, Width> v;
#pragma unroll
    for (int j = 0; j < Width; ++j) v[j] = Source::template convert<T>(stored[j]);
    return v;
  }
}

}  // namespace ballot::device
