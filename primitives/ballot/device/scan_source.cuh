// Where a scan's items come from: how they lie in memory, and what becomes of them in registers.
//
//     item_source<std::uint8_t>    200 100 7 ...    items of any type, converted to the type of the sums
//     flag_source                    0 255 1 ...    bytes as flags: 0, or 1 for whatever is not 0
//
// A source names the type that lies in memory, its address, and the conversion of one item. All of a tile's vectors are
// requested before the first is converted, so that a narrow input has as many accesses under way as a wide one.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/device/scan_items.cuh>
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

// The tile of `valid` items that begins at item `begin` of the source, as tile<T, Shape>::load would give it.
template <class T, class Shape, class Source>
__device__ __forceinline__ void load_converted(const Source& source, std::uint64_t begin, unsigned valid,
                                               bool whole_vectors, bool mirrored, kept_items<T, Shape>& item) {
  using stored = typename Source::stored;
  if constexpr (std::is_same_v<Source, item_source<T>>) {
    block::tile<T, Shape>::load_each(source.at + begin, valid, whole_vectors, mirrored,
                                     [&](int c, const simt::vector<T, Shape::width>& v) { item.set(c, v); });
  } else {
    typename block::tile<stored, Shape>::items raw;
    block::tile<stored, Shape>::load(source.at + begin, valid, whole_vectors, raw, mirrored);
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      simt::vector<T, Shape::width> v;
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) v[j] = Source::template convert<T>(raw[c][j]);
      item.set(c, v);
    }
  }
}

}  // namespace ballot::device
