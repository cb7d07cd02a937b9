// SPDX-License-Identifier: Apache-2.0
// The kernel of the block-wise scan for tiles of full blocks of items, which are independent.
//
//     load the tile -> scan it in registers, restarting every block_items items
//                   -> (across warps) -> store
//
// No ticket, no look-back, no state: a copy with a scan in registers. A tile has `tile_items`
// items. That is the largest multiple of block_items, and of a vector, that fits the shape. So all
// tiles have one alignment. Lanes past it load the tile's first vector again and store nothing.
//
// Shared memory: a tail and a flag per warp. Barriers: one, none if each warp has full blocks.
// Thread coarsening, as in many accounts of the block-wise scan. The part in registers is
// segmented_tile.cuh.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/detail/periodic_head_flags.cuh>
#include <ballot/device/detail/scan_kind.hpp>
#include <ballot/device/detail/segmented_tile.cuh>
#include <ballot/device/detail/store_sums.cuh>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::device {

// Loads the first `valid` items of the tile at `in`; the others become copies of some of them. For
// full vectors no lane branches, so that all loads are in flight together.
template <class T, class Shape>
__device__ __forceinline__ void load_front(const T* in, unsigned valid, bool vector_aligned,
                                           typename block::tile<T, Shape>::items& item) {
  using tile = block::tile<T, Shape>;
  if constexpr (block::items_of_access<T, Shape::width> == Shape::width) {
    if (vector_aligned && valid % Shape::width == 0) {
#pragma unroll
      for (int c = 0; c < Shape::chunks; ++c) {
        const unsigned first = tile::first_item(c);
        item[c] = simt::load_vector<T, Shape::width>(in + (first < valid ? first : 0u));
      }
      return;
    }
  }
  tile::load(in, valid, false, item);
}

// The same for a view (core/view.hpp), for the tile that begins at item `begin`. No missing item is
// computed.
template <class T, class Shape, class V>
__device__ __forceinline__ void load_front_of_view(const V& view, std::uint64_t begin, unsigned valid,
                                                   bool vector_aligned, typename block::tile<T, Shape>::items& item) {
  using tile = block::tile<T, Shape>;
  if constexpr (has_vectors<V, Shape::width>) {
    if (vector_aligned && valid % Shape::width == 0) {
#pragma unroll
      for (int c = 0; c < Shape::chunks; ++c) {
        const unsigned first = tile::first_item(c);
        item[c] = vector_of<Shape::width>(view, begin + (first < valid ? first : 0u));
      }
      return;
    }
  }
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = tile::first_item(c);
#pragma unroll
    for (unsigned j = 0; j < Shape::width; ++j)
      item[c][j] = static_cast<T>(view[begin + (first + j < valid ? first + j : 0u)]);
  }
}

// The valid items of this lane in a tile of `valid` items, laid out by block/tile.cuh.
template <class Shape>
__device__ __forceinline__ valid_items valid_items_of_lane(unsigned valid) {
  constexpr auto width = static_cast<unsigned>(Shape::width);
  unsigned bits = 0;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = block::tile<std::uint8_t, Shape>::first_item(c);
    const unsigned here = first < valid ? (valid - first < width ? valid - first : width) : 0u;
    bits |= low_bits(here) << (c * width);
  }
  return {bits};
}

// One tile a block. `within_warps`: each warp has full blocks. `initial`: of an exclusive scan. In:
// a pointer or a view. Out: a pointer or a view_output.
template <class T, class Shape, scan_kind Kind, class Op, class In, class Out>
__global__ void __launch_bounds__(Shape::threads)
    blockwise_scan_kernel(In in, Out out, ballot::detail::length length, periodic_head_flags<Shape> heads,
                          unsigned tile_items, bool within_warps, T initial, Op op, bool vector_aligned) {
  using across_warps = segments_across_warps<T, Shape::threads>;
  const std::uint64_t n = length.get(), begin = static_cast<std::uint64_t>(blockIdx.x) * tile_items;
  if (begin >= n) return;  // a surplus tile of a launch sized for the capacity: the whole block leaves
  const auto valid = static_cast<unsigned>(ballot::detail::smaller(n - begin, tile_items));

  typename block::tile<T, Shape>::items item;
  if constexpr (std::is_pointer_v<In>) load_front<T, Shape>(in + begin, valid, vector_aligned, item);
  else load_front_of_view<T, Shape>(in, begin, valid, vector_aligned, item);
  const valid_items is_valid =
      ballot::detail::accepts_any_operand<Op, T> ? all_items_valid : valid_items_of_lane<Shape>(valid);
  const warp_segments<T> warp =
      scan_segments_of_warp<Kind, T, Shape>(item, heads.of_tile_of_full_blocks(), is_valid, initial, op);
  if (!within_warps) {
    auto& shared = simt::shared_storage<typename across_warps::storage>();
    const block_segments<T> block = across_warps::scan(shared, warp, op);
    complete_open_items<Kind, T, Shape>(item, warp.open, block.exclusive, op);
  }
  store_sums<T, Shape>(out, begin, valid, vector_aligned, item);
}

}  // namespace ballot::device
