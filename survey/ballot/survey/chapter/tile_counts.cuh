// SPDX-License-Identifier: Apache-2.0
// The first two of the three launches that the chapter's applications on whole arrays take: the
// number of set flags before each tile.
//
//     array      |  tile 0  |  tile 1  |  tile 2  |       a block each
//     count           5          0          7             read: one count a tile
//     scan            0          5          5    (12)     the library's device scan; and, if wanted, the total
//     the third  |  tile 0  |  tile 1  |  tile 2  |       read again: ranks from there on, and their use
//
// Reduce, then scan, in separate launches, as was usual at the chapter's time. A chained scan would
// read the array once, but its tiles wait for each other, which would influence the times as much
// as the ranks do. Here both ways of ranking work twice, in kernels without waits. Counts have 64
// bits, so arrays of more than 2^32 items work.
#pragma once

#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/scan.cuh>
#include <ballot/survey/chapter/flag_ranks.cuh>

#include <cstdint>
#include <span>

namespace ballot::survey {

// counts[t]: the number of items of tile t that `keep` selects. One barrier.
template <class Ranks, class Shape, class T, class Keep>
__global__ void __launch_bounds__(Shape::threads)
    count_tiles_kernel(const T* in, std::uint64_t n, bool vector_aligned, Keep keep, std::uint64_t* counts) {
  using ranks = tile_ranks<Ranks, Shape>;
  auto& shared = simt::shared_storage<typename ranks::storage>();
  typename block::tile<T, Shape>::items item;
  tile_flags<Shape> flag;
  load_flagged<Shape>(in, n, vector_aligned, keep, item, flag);
  const unsigned count = ranks::count(shared, flag);
  if (simt::thread_rank() == 0) counts[blockIdx.x] = count;
}

// Scratch: 8 bytes a tile and what the scan of these takes.
struct tile_counts {
  std::span<std::uint64_t> before;  // set flags before each tile
  std::span<std::byte> scan;

  tile_counts(detail::scratch_carver& carver, std::uint64_t tiles) : before(carver.take<std::uint64_t>(tiles), tiles) {
    const std::size_t bytes = detail::scan_bytes<std::uint64_t>(tiles);
    scan = {carver.take<std::byte>(bytes), bytes};
  }

  static std::size_t bytes(std::uint64_t tiles) {
    detail::scratch_carver measure;
    tile_counts(measure, tiles);
    return tiles == 0 ? 0 : measure.bytes();
  }

  // One tile or more. Work on the stream: a kernel, a fill, a kernel. `total`, where it has an
  // address, gets the number of all set flags.
  template <class Ranks, class Shape, class T, class Keep>
  void launch(stream_t stream, const T* in, std::uint64_t n, Keep keep, device_result<std::uint64_t> total) const {
    using storage = typename tile_ranks<Ranks, Shape>::storage;
    simt::launch(
        count_tiles_kernel<Ranks, Shape, T, Keep>,
        simt::launch_config{dim3(static_cast<unsigned>(before.size())), dim3(Shape::threads), sizeof(storage), stream},
        in, n, block::is_vector_aligned<T, Shape::width>(in), keep, before.data());
    exclusive_scan(exec(stream, scan), before, before, {.total = total});
  }
};

}  // namespace ballot::survey
