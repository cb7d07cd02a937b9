// SPDX-License-Identifier: Apache-2.0
// Block-wise scans against a loop that restarts. Block lengths fit warps and tiles, or do not, or
// are beyond 32 bits. Also alignment, in place, counted, views, operators, and the contract's
// errors.
#include <ballot/blockwise_scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"
#include "support/segments.hpp"
#include "support/views.hpp"

using namespace ballot;

namespace device_blockwise_scan {

using small_shape = block::tile_shape<64, 2, 4>;       // 512 items
using small_long_shape = block::tile_shape<64, 1, 4>;  // 256, looking back

// Tiles of whole blocks: those that fill three quarters of the shape, and whole vectors.
static_assert(detail::tile_items_of_full_blocks<small_shape>(1) == 512);
static_assert(detail::tile_items_of_full_blocks<small_shape>(100) == 500);
static_assert(detail::tile_items_of_full_blocks<small_shape>(33) == 3 * 132);
static_assert(detail::tile_items_of_full_blocks<small_shape>(384) == 384);
static_assert(detail::tile_items_of_full_blocks<small_shape>(380) == 0);
static_assert(detail::tile_items_of_full_blocks<small_shape>(129) == 0);
static_assert(detail::tile_items_of_full_blocks<small_shape>(513) == 0);
static_assert(detail::tile_items_of_full_blocks<small_shape>((std::uint64_t{1} << 32) + 4) == 0);

std::vector<bool> heads_every(std::uint64_t block_items, std::size_t n) {
  std::vector<bool> heads(n);
  for (std::size_t i = 0; i < n; ++i) heads[i] = i % block_items == 0;
  return heads;
}

// The heads that a thread sees of a tile anywhere in an array.
template <class Shape>
__global__ void write_heads(device::periodic_head_flags<Shape> heads, std::uint64_t begin, std::uint8_t* out) {
  constexpr int run = Shape::chunks * Shape::width;
  const unsigned bits = heads.template of_thread<Shape>(begin, Shape::items, 0);
  for (int i = 0; i < run; ++i) out[simt::thread_rank() * run + i] = (bits >> i & 1u) != 0;
}

TEST_CASE("heads at the multiples of a period, anywhere in 64 bits") {
  using shape = small_shape;
  const std::uint64_t periods[] = {1,
                                   2,
                                   3,
                                   4,
                                   5,
                                   6,
                                   7,
                                   31,
                                   32,
                                   33,
                                   127,
                                   128,
                                   129,
                                   511,
                                   512,
                                   513,
                                   4096,
                                   1u << 30,
                                   (1u << 30) + 1,
                                   std::uint64_t{1} << 32,
                                   (std::uint64_t{1} << 32) + 3,
                                   std::uint64_t{1} << 40,
                                   ~std::uint64_t{0}};
  for (const std::uint64_t period : periods) {
    CAPTURE(period);
    for (const std::uint64_t near : {std::uint64_t{0}, period, std::uint64_t{1} << 33, std::uint64_t{1} << 40}) {
      for (const std::uint64_t shift : {0, 1, 100, 511, 512}) {
        const std::uint64_t begin = near < shift ? 0 : near - shift;
        CAPTURE(begin);
        test::guarded<std::uint8_t> out(shape::items);
        simt::launch(write_heads<shape>, simt::launch_config{dim3(1), dim3(shape::threads), 0, test::test_stream()},
                     device::periodic_head_flags<shape>::every(period), begin, out.data());
        const auto got = out.read();
        bool right = true;
        for (std::size_t i = 0; i < got.size(); ++i) {
          const bool wraps = begin + i < begin;  // no array has such items
          right &= wraps || (got[i] != 0) == ((begin + i) % period == 0);
        }
        CHECK(right);
      }
    }
  }
}

TEST_CASE("block-wise scan: blocks of every kind of length, through small tiles") {
  using T = test::affine<std::uint16_t>;
  const std::size_t n = 5 * small_shape::items + 7;
  const auto items = test::random_items<T>(n, 5);
  for (const std::uint64_t block_items :
       {std::uint64_t{1},   std::uint64_t{2},    std::uint64_t{3},     std::uint64_t{4},   std::uint64_t{7},
        std::uint64_t{32},  std::uint64_t{33},   std::uint64_t{100},   std::uint64_t{128}, std::uint64_t{129},
        std::uint64_t{256}, std::uint64_t{300},  std::uint64_t{384},   std::uint64_t{511}, std::uint64_t{512},
        std::uint64_t{513}, std::uint64_t{1000}, std::uint64_t{n - 1}, std::uint64_t{n},   std::uint64_t{n + 1},
        ~std::uint64_t{0}}) {
    CAPTURE(block_items);
    const auto heads = heads_every(block_items, n);
    const auto inclusive = test::serial_segmented_inclusive(items, heads, test::compose{}),
               exclusive = test::serial_segmented_exclusive(items, heads, T{3, 4}, test::compose{});
    test::for_each_schedule([&] {
      const test::guarded<T> in(items);
      test::guarded<T> out(n);
      const test::exact_scratch scratch(detail::blockwise_scan_bytes<T, small_shape, small_long_shape>(n, block_items));
      const auto scan = [&]<device::scan_kind Kind>(const std::vector<T>& want) {
        out.fill_dirt();
        detail::blockwise_scan<Kind, T, small_shape, small_long_shape>(scratch.where(), detail::as_input(in),
                                                                       detail::as_output(out), block_items, T{3, 4},
                                                                       test::compose{}, "test");
        CHECK(out.read() == want);
      };
      scan.template operator()<device::scan_kind::inclusive>(inclusive);
      scan.template operator()<device::scan_kind::exclusive>(exclusive);
      scratch.check_guards();
    });
  }
}

TEST_CASE_TEMPLATE("block-wise scan: lengths around the tile, in place, misaligned, counted", T, std::uint32_t,
                   double) {
  for (std::size_t n : test::lengths_around(detail::blockwise_scan_shape<T>::items)) {
    CAPTURE(n);
    const auto items = test::small_items<T>(n);
    for (const std::uint64_t block_items : {std::uint64_t{1000}, std::uint64_t{5000}}) {
      CAPTURE(block_items);
      const auto heads = heads_every(block_items, n);
      const auto inclusive = test::serial_segmented_inclusive(items, heads),
                 exclusive = test::serial_segmented_exclusive(items, heads, T{5});
      test::for_each_schedule([&] {
        const test::guarded<T> in(items);
        test::guarded<T> out(n), in_place(items, 1);
        const test::exact_scratch scratch(blockwise_scan_scratch_bytes<T>(n, block_items));
        test::directly_and_captured([&] { out.fill_dirt(); },
                                    [&] { blockwise_inclusive_scan(scratch.where(), in, out, block_items); },
                                    [&] { CHECK(out.read() == inclusive); });
        blockwise_exclusive_scan(scratch.where(), in_place, T{5}, in_place, block_items);
        CHECK(in_place.read() == exclusive);

        test::guarded<std::uint64_t> count(1);
        const std::uint64_t some = n / 3;
        count.write({some});
        out.fill_dirt();
        blockwise_inclusive_scan(scratch.where(), counted{in, count.data()}, out, block_items);
        const auto got = out.read();
        CHECK(std::equal(inclusive.begin(), inclusive.begin() + std::ptrdiff_t(some), got.begin()));
        CHECK(std::all_of(got.begin() + std::ptrdiff_t(some), got.end(), [](T x) { return test::is_dirt(x); }));
        scratch.check_guards();
      });
    }
  }
}

struct as_affine {
  __host__ __device__ test::affine<std::uint16_t> operator()(std::uint32_t x) const {
    return {static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(x >> 16)};
  }
};
struct flip {
  __host__ __device__ std::uint8_t operator()(std::uint8_t x) const { return static_cast<std::uint8_t>(~x); }
};

TEST_CASE("block-wise scan: each kind of view") {
  using u32 = std::uint32_t;
  using map = test::affine<std::uint16_t>;
  const auto check = [](const auto& view, const std::vector<u32>& items, std::size_t shift, std::uint64_t block_items) {
    CAPTURE(block_items);
    const std::size_t n = items.size();
    const auto heads = heads_every(block_items, n);
    const auto inclusive = test::serial_segmented_inclusive(items, heads),
               exclusive = test::serial_segmented_exclusive(items, heads, u32{5});
    std::vector<map> maps;
    for (const u32 x : items) maps.push_back(as_affine{}(x));
    const auto composed = test::serial_segmented_exclusive(maps, heads, map{3, 4}, test::compose{});
    test::for_some_schedules([&] {
      test::guarded<u32> out(n, shift);
      test::guarded<map> maps_out(n);
      const test::guarded<std::uint64_t> count(std::vector<std::uint64_t>{n / 2});
      const test::exact_scratch scratch(blockwise_scan_scratch_bytes<u32>(n, block_items)),
          small(detail::blockwise_scan_bytes<map, small_shape, small_long_shape>(n, block_items));
      test::directly_and_captured([&] { out.fill_dirt(); },
                                  [&] { blockwise_inclusive_scan(scratch.where(), view, out, block_items); },
                                  [&] { CHECK(out.read() == inclusive); });
      out.fill_dirt();
      blockwise_exclusive_scan(scratch.where(), counted{view, count.data()}, u32{5}, out, block_items);
      auto got = out.read();
      for (std::size_t i = n / 2; i < n; ++i) CHECK(test::is_dirt(got[i]));
      got.resize(n / 2);
      CHECK(got == std::vector<u32>(exclusive.begin(), exclusive.begin() + static_cast<std::ptrdiff_t>(n / 2)));
      detail::blockwise_scan<device::scan_kind::exclusive, map, small_shape, small_long_shape>(
          small.where(), detail::as_input(transformed{view, as_affine{}}), detail::as_output(maps_out), block_items,
          map{3, 4}, test::compose{}, "test");
      CHECK(maps_out.read() == composed);
      scratch.check_guards(), small.check_guards();
    });
  };
  constexpr std::size_t tile = detail::blockwise_scan_shape<u32>::items;
  for (const std::size_t n : {std::size_t{1}, std::size_t{100}, tile + 4, 2 * tile + 5})
    for (const std::size_t shift : {0, 1})
      test::for_each_view(n, shift, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
        CAPTURE(name);
        CAPTURE(n);
        for (const std::uint64_t block_items : {std::uint64_t{3}, std::uint64_t{512}, ~std::uint64_t{0}})
          check(view, items, shift, block_items);
      });
  // Bytes, whose vectors have 16 items.
  const auto bytes = test::random_items<std::uint8_t>(9001, 4);
  auto flipped = bytes;
  for (std::uint8_t& byte : flipped) byte = flip{}(byte);
  test::for_some_schedules([&] {
    for (const std::size_t shift : {0, 1}) {
      const test::guarded<std::uint8_t> in(bytes, shift);
      test::guarded<std::uint8_t> out(bytes.size(), shift);
      blockwise_inclusive_scan(exec(test::test_stream(), {}), transformed{in, flip{}}, maximum{}, out, 64);
      CHECK(out.read() == test::serial_segmented_inclusive(flipped, heads_every(64, bytes.size()), maximum{}));
    }
  });
}

TEST_CASE("block-wise scan: views are checked") {
  test::guarded<int> out(9000), other(9000);
  test::guarded<std::uint8_t> bytes(300);
  const std::span<int> null(static_cast<int*>(nullptr), 9000);
  for (const std::uint64_t block_items : {1024, 5000}) {
    test::refused("an array of a view is null", "`in` is null",
                  [&](const exec& gpu) { blockwise_inclusive_scan(gpu, reversed{null}, out, block_items); });
    test::refused("out in an array of a view", "overlaps input `in`",
                  [&](const exec& gpu) { blockwise_exclusive_scan(gpu, reversed{out}, out, block_items); });
    test::refused("a view of another length", "`out` has 9000 items, `in` has 8999", [&](const exec& gpu) {
      blockwise_inclusive_scan(gpu, constant{1, 8999}, out, block_items);
    });
    test::refused("more positions than their type counts", "more positions", [&](const exec& gpu) {
      blockwise_inclusive_scan(gpu, positions<std::uint8_t>(300), bytes, block_items);
    });
  }
}

TEST_CASE("block-wise scan: bad arguments are errors before any work") {
  const std::size_t n = 9000;
  const test::guarded<int> in(std::vector<int>(n, 1));
  test::guarded<int> out(n), shorter(n - 1);
  const std::size_t bytes = blockwise_scan_scratch_bytes<int>(n, 5000);
  CHECK(bytes != 0);
  CHECK(blockwise_scan_scratch_bytes<int>(n, 1024) == 0);
  CHECK(blockwise_scan_scratch_bytes<int>(0, 5000) == 0);
  const test::exact_scratch scratch(bytes), small(bytes - 257);
  const exec where = scratch.where();
  for (const std::uint64_t block_items : {1024, 5000}) {
    CHECK_THROWS_AS(blockwise_inclusive_scan(where, in, shorter, block_items), invalid_argument);
    CHECK_THROWS_AS(
        blockwise_inclusive_scan(where, std::span<const int>(static_cast<const int*>(nullptr), n), out, block_items),
        invalid_argument);
    CHECK_THROWS_AS(blockwise_exclusive_scan(where, in, std::span<int>(static_cast<int*>(nullptr), n), block_items),
                    invalid_argument);
    CHECK_THROWS_AS(blockwise_exclusive_scan(where, std::span<const int>(out.data(), n - 1),
                                             std::span<int>(out.data() + 1, n - 1), block_items),
                    invalid_argument);
    blockwise_inclusive_scan(exec(where.stream(), std::span<std::byte>{}), std::span<const int>{}, std::span<int>{},
                             block_items);  // n = 0 needs nothing
  }
  CHECK_THROWS_AS(blockwise_inclusive_scan(where, in, out, 0), invalid_argument);
  CHECK_THROWS_AS(blockwise_inclusive_scan(small.where(), in, out, 5000), invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](int x) { return test::is_dirt(x); }));
}

}  // namespace device_blockwise_scan
