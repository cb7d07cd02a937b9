// SPDX-License-Identifier: Apache-2.0
// Sorts the short segments of many items, and leaves tiles that have others to the next kernel.
//
//     load keys -> find the segments of the tile -> list them -> sort, store (short_segments.cuh)
//
// The next kernel begins while this one is still at work (remaining_tiles_kernel in
// sort_kernel.cuh). It is a separate kernel, because it would have too few registers as a part of
// this one.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_sort/short_segments.cuh>
#include <ballot/detail/segmented_sort/sort_arguments.cuh>
#include <ballot/detail/segmented_sort/tile_segments.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// As many as the registers of a multiprocessor are enough for: four blocks of them.
template <class U>
inline constexpr unsigned short_threads = 256;
template <class U, class V, class Shape>
using short_storage = short_segments_storage<U, Shape::tile_items + longest_short_segment<U>, false, V>;

template <class U, class V, class Shape>
struct short_kernel_storage {
  short_storage<U, V, Shape> sort;
  std::uint64_t found[2];
};

// One thread: whether the next launch has to sort the block's tile.
__device__ __forceinline__ void decide_tile(const remaining_tiles& remaining, bool is_remaining) {
  if (remaining.tiles == nullptr) return;
  if (is_remaining) simt::publish_relaxed(remaining.tiles + simt::atomic_add(remaining.count, 1u), blockIdx.x + 1);
  simt::atomic_add<simt::order::release>(remaining.decided, 1u);  // pairs with remaining_tiles_kernel
}

// A block for each tile.
template <class U, class Offset, class V, class Shape>
__global__ void __launch_bounds__(short_threads<U>, 4) short_segment_kernel(segment_sort_arguments<U, Offset, V> a) {
  constexpr unsigned threads = short_threads<U>;
  simt::let_next_launch_begin();
  auto& shared = simt::shared_storage<short_kernel_storage<U, V, Shape>>();
  const std::uint64_t tile_items = items_of_tile<Shape>(a);
  const std::uint64_t n = a.n.get(), begin = blockIdx.x * tile_items;
  if (begin >= n) {  // a surplus block of a launch sized for the capacity
    if (simt::thread_rank() == 0) decide_tile(a.remaining, false);
    return;
  }
  const std::uint64_t end = smaller(n, begin + tile_items);
  if (simt::thread_rank() < shared.sort.classes) shared.sort.count[simt::thread_rank()] = 0;
  copy_short_segments<threads>(a, shared.sort, begin, 0, static_cast<unsigned>(end - begin));
  find_tile_offsets(shared.found, a.offsets, offset_count(a), begin, end, n);
  // All that needs the tile's offsets alone is loaded at once. If they do not ascend, the last one may
  // be found before the first.
  const std::uint64_t offsets = shared.found[0] < shared.found[1] ? shared.found[1] - shared.found[0] : 0;
  const loaded_offsets<threads, decltype(a.offsets)> loaded(
      a.offsets, shared.found[0], static_cast<unsigned>(smaller(offsets, most_loaded_offsets<threads>)), 0);
  const tile_segments tile = segments_of_tile(shared.found, a.offsets, offset_count(a), begin, end, n);
  const std::uint64_t in_end = tile.has_segments() ? tile.first : tile.next;  // of the segment that reaches in
  const bool in_is_short = in_end <= begin || in_end - tile.before <= Shape::longest;
  const bool has_none = in_is_short && tile.ascends() && !tile.has_segments();
  const bool sorts = in_is_short && tile.ascends() && tile.has_segments() && tile.next - begin <= shared.sort.room &&
                     list_short_segments<threads>(shared.sort, a.offsets, tile, loaded);
  if (simt::thread_rank() == 0) decide_tile(a.remaining, !sorts && !has_none);
  if (!sorts) {
    simt::wait_for_copies();
    return;
  }
  const auto first = static_cast<unsigned>(tile.first - begin), last = static_cast<unsigned>(tile.next - begin);
  copy_short_segments<threads>(a, shared.sort, begin, static_cast<unsigned>(end - begin), last);
  simt::wait_for_copies();
  simt::sync_block();
  sort_listed_segments<threads>(shared.sort, a.layout);
  simt::sync_block();
  store_short_segments<threads>(a, shared.sort, begin, first, last);
}

}  // namespace ballot::detail
