// SPDX-License-Identifier: Apache-2.0
// Stream compaction, the second of the chapter's applications: the items selected by a predicate,
// contiguous and in order, and their number.
//
//     survey::compact_with<survey::binary_ranks>(gpu, particles, is_alive{}, alive, count);
//
//     items   a b c d | e f g h | ...
//     selected a  c d |   f     | ...     counted and scanned a tile (tile_counts.cuh)
//     offsets 0   1 2 |   3     | ...     of the tile, and the rank in it
//     out     a c d f ...                 stored at their offsets
//
// in, out   device ranges of the same item type, trivially copyable, of any length, also above
//           2^32; apart from each other. `out` may be shorter: what does not fit is dropped, and
//           the count still says how many there were.
// keep      bool(item), on the device; called twice for each item. count: a u64 on the device,
//           apart from the ranges.
// Ranks     binary_ranks or generic_ranks (flag_ranks.cuh). Shape: a tile's.
// Scratch: compact_with_scratch_bytes(n), dirty or not. Work on the stream: three kernels and a
// fill; a fill alone for n = 0. Items are read twice, the selected ones written once; linear.
// Stable and deterministic. Errors (before any work): invalid_argument for null with n > 0, no
// address for the count, overlap, too little scratch; cuda_error from the launches.
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3, sections 3.1 and 3.3.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/survey/chapter/flag_ranks.cuh>
#include <ballot/survey/chapter/tile_counts.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::survey {

// before[t]: selected items before tile t. One barrier.
template <class Ranks, class Shape, class T, class Keep>
__global__ void __launch_bounds__(Shape::threads)
    compact_tiles_kernel(const T* in, std::uint64_t n, bool vector_aligned, Keep keep, const std::uint64_t* before,
                         T* out, std::uint64_t out_items) {
  using ranks = tile_ranks<Ranks, Shape>;
  auto& shared = simt::shared_storage<typename ranks::storage>();
  typename block::tile<T, Shape>::items item;
  tile_flags<Shape> flag;
  load_flagged<Shape>(in, n, vector_aligned, keep, item, flag);
  tile_numbers<Shape> rank;
  ranks::of(shared, flag, rank);
  const std::uint64_t tile_exclusive = before[blockIdx.x];
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) {
      const std::uint64_t place = tile_exclusive + rank[c][j];
      if (flag[c][j] && place < out_items) out[place] = item[c][j];
    }
}

// Bytes of scratch for n items. Pure.
template <class Shape = single_items>
std::size_t compact_with_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(tile_counts::bytes(detail::ceil_div(n, Shape::items)));
}

template <class Ranks, class Shape = single_items, device_range In, class Keep, output_range Out>
void compact_with(const exec& where, const In& in, Keep keep, Out&& out, device_result<std::uint64_t> count) {
  constexpr const char* function = "survey::compact_with";
  using T = detail::item_t<In>;
  const auto from = detail::as_input(in);
  const auto to = detail::as_output(out);
  static_assert(std::is_same_v<T, typename decltype(to)::value_type>, "input and output are of one type");
  const std::uint64_t n = from.capacity();
  const detail::argument read = detail::argument_of("in", from), written = detail::argument_of("out", to),
                         counted_at = detail::argument_of("count", count);
  detail::require_not_null(function, {read, written});
  detail::require(count.address() != nullptr, function, "`count` has no address");
  detail::require_apart(function, {written, counted_at}, {read});
  const std::uint32_t tiles = detail::tile_count(n, Shape::items, function);
  if (tiles == 0) {
    simt::fill_bytes(where.stream(), count.address(), 0, sizeof(std::uint64_t));
    return;
  }
  const detail::scratch_lease lease(where, tile_counts::bytes(tiles), function, {read, written, counted_at});
  detail::scratch_carver carver(lease.base());
  const tile_counts counts(carver, tiles);
  counts.launch<Ranks, Shape>(where.stream(), from.data, n, keep, count);
  using storage = typename tile_ranks<Ranks, Shape>::storage;
  simt::launch(compact_tiles_kernel<Ranks, Shape, T, Keep>,
               simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(storage), where.stream()}, from.data, n,
               block::is_vector_aligned<T, Shape::width>(from.data), keep, counts.before.data(), to.data, to.size);
}

}  // namespace ballot::survey
