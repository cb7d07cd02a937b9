// SPDX-License-Identifier: Apache-2.0
// The items of a view as a source of a column (device_columns.cuh): computed where they are read.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class V>
struct view_source {
  using item = typename V::value_type;
  using view_type = V;
  V view;
  block::aligned_vectors vectors;

  template <class Shape>
  __device__ __forceinline__ void load(std::uint64_t begin, unsigned valid,
                                       typename block::tile<item, Shape>::items& items) const {
    using layout = block::tile<item, Shape>;
    if constexpr (device::has_vectors<V, Shape::width>) {
      if (valid == Shape::items && vectors.template begin_at<Shape::width>(begin)) {
#pragma unroll
        for (int c = 0; c < Shape::chunks; ++c)
          items[c] = device::vector_of<Shape::width>(view, begin + layout::first_item(c));
        return;
      }
    }
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = layout::first_item(c);
#pragma unroll
      for (unsigned j = 0; j < Shape::width; ++j) items[c][j] = at(begin + (first + j < valid ? first + j : 0u));
    }
  }
  // Loads only vectors that contain a set flag.
  template <class Shape, class Flags>
  __device__ __forceinline__ void load_flagged(std::uint64_t begin, unsigned valid, const Flags& flags,
                                               typename block::tile<item, Shape>::items& items) const {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = block::tile<item, Shape>::first_item(c);
      if (flags[c] != 0) items[c] = vector<Shape::width>(begin + first, valid - first);
    }
  }
  // The `Width` items from `first` on. Only `valid` of them exist, at least 1; the others become
  // copies of the first.
  template <int Width>
  __device__ __forceinline__ simt::vector<item, Width> vector(std::uint64_t first, unsigned valid) const {
    if constexpr (device::has_vectors<V, Width>)
      if (valid >= static_cast<unsigned>(Width) && vectors.template begin_at<Width>(first))
        return device::vector_of<Width>(view, first);
    simt::vector<item, Width> v;
#pragma unroll
    for (int j = 0; j < Width; ++j) v[j] = at(first + (static_cast<unsigned>(j) < valid ? j : 0));
    return v;
  }
  __device__ __forceinline__ item at(std::uint64_t i) const { return static_cast<item>(view[i]); }
};

template <int Width, class V>
view_source<V> make_view_source(const V& view) {
  const block::aligned_vectors vectors = device::aligned_vectors_of<Width>(view);
  return {view, {vectors.first == vectors.anywhere ? 0 : vectors.first}};
}

}  // namespace ballot::detail
