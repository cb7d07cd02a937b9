// SPDX-License-Identifier: Apache-2.0
// A tile of an array that begins anywhere: each tile of an array, full and partial, at each address
// that an item may have. Its items are those of the array, whether they are loaded by vectors or
// not, and no vector reaches beyond the array.
#include <ballot/block/shifted_tile.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <algorithm>

using namespace ballot;

namespace block_shifted_tile {

// A tile a block. of_threads: the items of each thread; of_warps: the items of the tile, each read
// by the warp whose part it is in.
template <class T, class Shape, bool MayShift>
__global__ void __launch_bounds__(Shape::threads)
    read_tiles(const T* in, std::uint64_t n, block::aligned_vectors vectors, T* of_threads, T* of_warps) {
  using tile_type = block::shifted_tile<T, Shape, MayShift>;
  constexpr unsigned run = tile_type::items_per_thread;
  auto& shared = simt::shared_storage<typename tile_type::storage>();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * Shape::items;
  const auto valid = static_cast<unsigned>(n - begin < Shape::items ? n - begin : Shape::items);
  tile_type tile;
  tile.start(shared, in, begin, valid, n, vectors);
  tile_type::finish();
  T item[run];
  tile.get(shared, item);
  for (unsigned i = 0; i < run; ++i) of_threads[begin + simt::thread_rank() * run + i] = item[i];
  for (unsigned i = simt::lane_id(); i < Shape::warp_items; i += simt::warp_size) {
    const unsigned at = simt::warp_id() * Shape::warp_items + i;
    of_warps[begin + at] = tile.item_at(shared, at);
  }
}

template <class T, class Shape, bool MayShift>
void check(std::size_t n) {
  CAPTURE(n);
  const auto items = test::random_items<T>(n, 3);
  const std::size_t all = (n + Shape::items - 1) / Shape::items * Shape::items;
  std::vector<T> filled = items;
  filled.resize(all, items[(n - 1) / Shape::items * Shape::items]);
  for (std::size_t offset = 0; offset < Shape::width; ++offset) {
    CAPTURE(offset);
    const test::guarded<T> in(items, offset);
    test::guarded<T> of_threads(all), of_warps(all);
    simt::launch(
        read_tiles<T, Shape, MayShift>,
        simt::launch_config{dim3(static_cast<unsigned>(all / Shape::items)), dim3(Shape::threads),
                            sizeof(typename block::shifted_tile<T, Shape, MayShift>::storage), test::test_stream()},
        in.data(), std::uint64_t{n}, block::aligned_vectors_of<T, Shape::width>(in.data()), of_threads.data(),
        of_warps.data());
    CHECK(of_threads.read() == filled);
    CHECK(of_warps.read() == filled);
  }
}
template <class T, class Shape>
void check_sizes() {
  constexpr std::size_t tile = Shape::items, width = Shape::width;
  for (const std::size_t n : {std::size_t{1}, tile, 2 * tile, 2 * tile + width - 1, 2 * tile + width, 4 * tile - 1})
    check<T, Shape, true>(n), check<T, Shape, false>(n);
}

TEST_CASE("a tile of an array that begins anywhere") {
  test::for_each_schedule([] {
    check_sizes<std::uint32_t, block::tile_shape<64, 3, 4>>();
    check_sizes<std::uint32_t, block::tile_shape<64, 1, 2>>();
    check_sizes<std::uint64_t, block::tile_shape<96, 3, 2>>();
    check_sizes<std::uint16_t, block::tile_shape<32, 2, 4>>();
    check_sizes<std::uint8_t, block::tile_shape<32, 1, 4>>();
    check_sizes<std::uint8_t, block::tile_shape<32, 1, 8>>();
  });
}

}  // namespace block_shifted_tile
