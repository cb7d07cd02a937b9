// SPDX-License-Identifier: Apache-2.0
// A tile that is loaded and stored again: full and partial, at addresses that are aligned to
// vectors or not. One access moves a vector, or a part of it, or not even one item.
#include <ballot/block/tile.cuh>

#include "support/device_data.hpp"
#include "support/schedules.hpp"

#include <array>

using namespace ballot;

namespace block_tile {

// of_threads: the vectors of each thread, chunk by chunk.
template <class T, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    move_tile(const T* in, unsigned valid, bool in_aligned, bool out_aligned, T* out, T* of_threads) {
  using tile = block::tile<T, Shape>;
  typename tile::items item;
  tile::load(in, valid, in_aligned, item);
  for (int c = 0; c < Shape::chunks; ++c)
    for (int j = 0; j < Shape::width; ++j) of_threads[tile::first_item(c) + static_cast<unsigned>(j)] = item[c][j];
  tile::store(out, valid, out_aligned, item);
}

template <class T>
T numbered(std::uint64_t i) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(i * 7 + 3);
  else return T{static_cast<typename T::value_type>(i), static_cast<typename T::value_type>(i * 7 + 3)};
}

template <class T, class Shape>
void check() {
  constexpr unsigned all = Shape::items;
  std::vector<T> items;
  for (unsigned i = 0; i < all; ++i) items.push_back(numbered<T>(i));
  for (const unsigned valid : {1u, all / 2, all - 1, all}) {
    CAPTURE(valid);
    const std::vector<T> some(items.begin(), items.begin() + valid);
    auto filled = some;
    filled.resize(all, items[0]);
    for (const std::size_t in_offset : {0, 1})
      for (const std::size_t out_offset : {0, 1}) {
        const test::guarded<T> in(some, in_offset);
        test::guarded<T> out(valid, out_offset), of_threads(all);
        simt::launch(move_tile<T, Shape>, simt::launch_config{dim3(1), dim3(Shape::threads), 0, test::test_stream()},
                     in.data(), valid, block::is_vector_aligned<T, Shape::width>(in.data()),
                     block::is_vector_aligned<T, Shape::width>(out.data()), out.data(), of_threads.data());
        CHECK(of_threads.read() == filled);
        CHECK(out.read() == some);
      }
  }
}

TEST_CASE("a tile is loaded and stored") {
  test::for_each_schedule([] {
    check<std::uint8_t, block::tile_shape<64, 2, 4>>();
    check<std::uint32_t, block::tile_shape<128, 3, 4>>();
    check<std::uint64_t, block::tile_shape<32, 1, 2>>();
    check<std::uint64_t, block::tile_shape<64, 2, 4>>();                 // two accesses a vector
    check<std::array<std::uint32_t, 3>, block::tile_shape<64, 2, 1>>();  // items of 12 bytes: none
  });
}

TEST_CASE("which addresses are aligned to vectors") {
  alignas(32) std::uint32_t words[9];
  CHECK(block::is_vector_aligned<std::uint32_t, 4>(words));
  CHECK(!block::is_vector_aligned<std::uint32_t, 4>(words + 1));
  CHECK(!block::is_vector_aligned<std::uint32_t, 4>(words + 2));
  CHECK(block::is_vector_aligned<std::uint32_t, 2>(words + 2));
  CHECK(block::is_vector_aligned<std::uint32_t, 8>(words + 4));  // by accesses of 16 bytes
  CHECK(!block::is_vector_aligned<std::uint32_t, 8>(words + 2));
  CHECK(!block::is_vector_aligned<std::array<std::uint32_t, 3>, 2>(
      reinterpret_cast<std::array<std::uint32_t, 3>*>(words)));
}

}  // namespace block_tile
