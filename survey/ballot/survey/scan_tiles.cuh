// SPDX-License-Identifier: Apache-2.0
// Every block scans a tile of its own: the block patterns on a whole array, to test and to measure
// them.
//
//     array    | tile 0            | tile 1            | ...       the sums restart in each tile
//              load to shared memory, scan there, store
//
// Shared memory: tile_items and what the pattern needs beside them. Barriers: one, and the
// pattern's. Global accesses are coalesced, one item per lane. Deterministic, also for floats: the
// pattern fixes the association.
#pragma once

#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/detail/scan_kernel.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/survey/patterns/pattern.cuh>
#include <ballot/survey/scan_arguments.hpp>

namespace ballot::survey {

using device::scan_kind;

template <class Pattern, scan_kind Kind, class T, class Op>
__global__ void scan_tiles_kernel(const T* in, T* out, std::uint64_t n, unsigned tile_items, T initial, Op op) {
  T* const items = &simt::shared_storage<T>();
  T* const spare = items + tile_items;
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * tile_items;
  const auto valid = static_cast<unsigned>(ballot::detail::smaller(n - begin, tile_items));
  load_items(items, in + begin, valid, block_threads());
  simt::sync_block();
  if constexpr (Kind == scan_kind::inclusive) Pattern::inclusive(items, valid, spare, op);
  else Pattern::exclusive(items, valid, spare, initial, op);
  for (unsigned i = simt::thread_rank(); i < valid; i += block_threads()) out[begin + i] = items[i];
}

// The shape of a scan of tiles: items per tile, threads per block (full warps if the pattern needs
// them).
struct tile_size {
  unsigned items, threads;
};

// Scans the tiles of `in` into `out`, which is as long and may be the same. `initial`: of an
// exclusive scan. No scratch; one launch, none for n = 0. Errors before it: invalid_argument.
template <class Pattern, scan_kind Kind, device_range In, output_range Out, class Op>
void scan_tiles(const exec& where, const In& in, detail::item_t<In> initial, Op op, Out&& out, tile_size tile) {
  using T = detail::item_t<In>;
  static_assert(sizeof(T) <= 16, "block patterns take items of at most 16 bytes");
  const auto from = detail::as_input(in);
  const auto to = detail::as_output(out);
  const char* const function = "survey::scan_tiles";
  require_scan_arguments(function, from, to, may_be_in_place::yes);
  detail::require(tile.items != 0 && tile.threads != 0 && tile.threads <= 1024, function,
                  "a tile or a block of no size");
  detail::require(!Pattern::full_warps || tile.threads % simt::warp_size == 0, function,
                  "the pattern needs blocks of whole warps");
  const std::uint32_t tiles = detail::tile_count(to.size, tile.items, function);
  if (tiles == 0) return;
  const std::size_t shared = (std::size_t{tile.items} + Pattern::spare_items(tile.items, tile.threads)) * sizeof(T);
  simt::launch(scan_tiles_kernel<Pattern, Kind, T, Op>,
               simt::launch_config{dim3(tiles), dim3(tile.threads), shared, where.stream()}, from.data, to.data,
               to.size, tile.items, initial, op);
}
// By plus, from 0.
template <class Pattern, scan_kind Kind, device_range In, output_range Out>
void scan_tiles(const exec& where, const In& in, Out&& out, tile_size tile) {
  scan_tiles<Pattern, Kind>(where, in, detail::item_t<In>{}, plus{}, out, tile);
}

}  // namespace ballot::survey
