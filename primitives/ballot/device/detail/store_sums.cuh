// SPDX-License-Identifier: Apache-2.0
// Stores a tile of sums in the output of a scan, which is an array or an output view. If an output
// view only converts sums, they are stored as vectors, else one by one.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::device {

// All lanes of the warp: stores the `valid` sums of the tile that begins at item `begin`, which
// are staged in shared memory (block/staged_tile.cuh). Out: T* or a view_output. vector_aligned: of
// the vectors of the array. Sums for which a view has no room are dropped.
template <class Staged, class Out>
__device__ __forceinline__ void store_staged_sums(typename Staged::storage& sums, const Out& out, std::uint64_t begin,
                                                  unsigned valid, bool vector_aligned, bool backward) {
  if constexpr (std::is_pointer_v<Out>) {
    Staged::store(sums, out + begin, valid, vector_aligned, backward);
  } else if constexpr (ballot::detail::is_cast_to_array<Out>) {
    Staged::store_as(sums, out.view.part.data + begin, valid, vector_aligned, backward);
  } else {
    const auto to = ballot::detail::located(out);
    Staged::store_each(sums, valid, backward, [&](unsigned at, const auto& sum) {
      if (begin + at < to.size) ballot::detail::put(to, begin + at, sum);
    });
  }
}

// The same of sums in registers, laid out by block/tile.cuh. For whole vectors no lane branches.
template <class T, class Shape, class Out>
__device__ __forceinline__ void store_sums(const Out& out, std::uint64_t begin, unsigned valid, bool vector_aligned,
                                           const typename block::tile<T, Shape>::items& sums) {
  using tile = block::tile<T, Shape>;
  constexpr unsigned width = Shape::width;
  const auto store_vectors = [&](auto* to, const auto& vector_of) {
    using stored = std::remove_pointer_t<decltype(to)>;
    if constexpr (block::items_of_access<stored, Shape::width> == Shape::width) {
      if (vector_aligned && valid % width == 0) {
#pragma unroll
        for (int c = 0; c < Shape::chunks; ++c) {
          const unsigned first = tile::first_item(c);
          if (first < valid) simt::store_vector<stored, Shape::width>(to + begin + first, vector_of(c));
        }
        return true;
      }
    }
    return false;
  };
  const auto store_each = [&](const auto& store) {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = tile::first_item(c);
#pragma unroll
      for (unsigned j = 0; j < width; ++j)
        if (first + j < valid) store(begin + first + j, sums[c][j]);
    }
  };
  if constexpr (std::is_pointer_v<Out>) {
    if (!store_vectors(out, [&](int c) { return sums[c]; })) tile::store(out + begin, valid, false, sums);
  } else if constexpr (ballot::detail::is_cast_to_array<Out>) {
    auto* const array = out.view.part.data;
    using stored = std::remove_pointer_t<std::remove_const_t<decltype(array)>>;
    const auto converted = [&](int c) {
      simt::vector<stored, Shape::width> all;
#pragma unroll
      for (unsigned j = 0; j < width; ++j) all[j] = static_cast<stored>(sums[c][j]);
      return all;
    };
    if (!store_vectors(array, converted))
      store_each([&](std::uint64_t i, const T& sum) { array[i] = static_cast<stored>(sum); });
  } else {
    const auto to = ballot::detail::located(out);
    store_each([&](std::uint64_t i, const T& sum) {
      if (i < to.size) ballot::detail::put(to, i, sum);
    });
  }
}

}  // namespace ballot::device
