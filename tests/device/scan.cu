// SPDX-License-Identifier: Apache-2.0
// Device scans against serial sums: types, lengths, alignment, in place, counted, operators, the
// contract's errors.
#include <ballot/scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_call.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

#include <cmath>

using namespace ballot;

namespace device_scan {

using many_small_tiles = block::tile_shape<32, 1, 1>;

TEST_CASE_TEMPLATE("device scan, inclusive and exclusive", T, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t,
                   float, double) {
  for (std::size_t n : test::lengths_around(detail::small_scan_shape<T>::items)) {
    CAPTURE(n);
    const auto items = test::small_items<T>(n);
    const auto inclusive = test::serial_inclusive(items), exclusive = test::serial_exclusive(items, T(5));
    test::for_each_schedule([&] {
      const test::guarded<T> in(items);
      test::guarded<T> out(n);
      const test::exact_scratch scratch(scan_scratch_bytes<T>(n));
      test::directly_and_captured([&] { out.fill_dirt(); }, [&] { inclusive_scan(scratch.where(), in, out); },
                                  [&] { CHECK(out.read() == inclusive); });
      test::directly_and_captured([&] { out.fill_dirt(); }, [&] { exclusive_scan(scratch.where(), in, T(5), out); },
                                  [&] { CHECK(out.read() == exclusive); });
      scratch.check_guards();
    });
  }
}

// Otherwise only long arrays get these tiles, and only on a GPU.
TEST_CASE_TEMPLATE("device scan: the tiles of many sums", T, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                   float) {
  using shape = detail::scan_shape<T>;
  const std::size_t tile = shape::items;
  for (const std::size_t n : {std::size_t{1}, tile - 1, tile, tile + 1, 2 * tile + 77}) {
    CAPTURE(n);
    const auto items = test::small_items<T>(n);
    const auto inclusive = test::serial_inclusive(items), backward = test::serial_exclusive_backward(items, T(5));
    test::for_each_schedule([&] {
      const test::guarded<T> in(items);
      test::guarded<T> out(n);
      const exec where = allocating(test::test_stream());
      test::for_each_scan_method([&](detail::scan_method few) {
        const auto launch = [&]<device::scan_kind Kind>(scan_order order) {
          out.fill_dirt();
          detail::launch_scan<Kind, T, shape, detail::reproducible_scan_shape<T>, shape>(
              where, test::scan_of(in, out, T(5), plus{}, {.order = order}), few);
        };
        launch.template operator()<device::scan_kind::inclusive>(scan_order::forward);
        CHECK(out.read() == inclusive);
        launch.template operator()<device::scan_kind::exclusive>(scan_order::backward);
        CHECK(out.read() == backward);
      });
    });
  }
}

TEST_CASE_TEMPLATE("device scan: more items never need less scratch", T, std::uint8_t, std::uint32_t, double) {
  std::size_t before = 0;
  for (std::uint64_t n = 0; n < 2 * detail::small_scan_items<T>; n += 509) {
    const std::size_t bytes = scan_scratch_bytes<T>(n);
    CHECK_MESSAGE(bytes >= before, n);
    before = bytes;
  }
  for (const std::uint64_t n :
       {detail::small_scan_items<T> - 1, detail::small_scan_items<T>, detail::small_scan_items<T> + 1})
    CHECK(scan_scratch_bytes<T>(n) <= scan_scratch_bytes<T>(n + 1));
}

#if !BALLOT_EMULATED
TEST_CASE("device scan: from few sums to many") {
  using T = std::uint32_t;
  constexpr std::size_t few = detail::small_scan_items<T>;
  constexpr std::size_t two_launches = detail::few_scan_items<T>;
  for (const std::size_t n : {few - 1, few, few + 1, 2 * few + 5, two_launches, two_launches + 1}) {
    CAPTURE(n);
    const auto items = test::small_items<T>(n);
    const test::guarded<T> in(items);
    test::guarded<T> out(n);
    const test::exact_scratch scratch(scan_scratch_bytes<T>(n));
    inclusive_scan(scratch.where(), in, out);
    CHECK(out.read() == test::serial_inclusive(items));
    scratch.check_guards();
  }
}
#endif

TEST_CASE("device scan, in place and from misaligned ranges") {
  const std::size_t n = 3 * detail::small_scan_shape<std::uint32_t>::items + 7;
  const auto items = test::small_items<std::uint32_t>(n);
  const auto inclusive = test::serial_inclusive(items);
  test::for_each_schedule([&] {
    const test::exact_scratch scratch(scan_scratch_bytes<std::uint32_t>(n));
    for (std::size_t shift : {0, 1, 2, 3}) {
      CAPTURE(shift);
      test::guarded<std::uint32_t> in_place(items, shift);
      inclusive_scan(scratch.where(), in_place, in_place);
      CHECK(in_place.read() == inclusive);
      test::guarded<std::uint32_t> in(items, shift), out(n, 3 - shift);
      inclusive_scan(scratch.where(), in, out);
      CHECK(out.read() == inclusive);
    }
  });
}

// Vectors, items one by one, and rows of 32 that begin within a warp's part of a tile.
TEST_CASE_TEMPLATE("device scan: every alignment of input and output, around the end of a tile", T, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
  using shape = block::tile_shape<64, 3, 16 / sizeof(T)>;
  constexpr std::size_t tile = shape::items, alignments = 16 / sizeof(T), step = sizeof(T) == 1 ? 3 : 1;
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, tile - 1, tile, tile + 1, 2 * tile + 35}) {
    CAPTURE(n);
    const auto items = test::small_items<T>(n);
    const auto inclusive = test::serial_inclusive(items), backward = test::serial_inclusive_backward(items);
    const exec where = allocating(test::test_stream());
    unsigned turn = 0;
    for (std::size_t in_shift = 0; in_shift < alignments; in_shift += step) {
      for (std::size_t out_shift = 0; out_shift < alignments + 2; out_shift += step) {
        CAPTURE(in_shift);
        CAPTURE(out_shift);
        test::for_some_schedules(turn++, [&] {
          const test::guarded<T> in(items, in_shift);
          test::guarded<T> out(n, out_shift);
          const auto launch = [&](scan_order order) {
            detail::launch_scan<device::scan_kind::inclusive, T, shape>(
                where, test::scan_of(in, out, T{}, plus{}, {.order = order}));
          };
          launch(scan_order::forward);
          CHECK(out.read() == inclusive);
          launch(scan_order::backward);
          CHECK(out.read() == backward);
        });
      }
    }
  }
}

// Then it is one of more states than whole tiles would take, which fill a part of the scratch.
TEST_CASE("device scan: what a shorter first tile leaves has a tile of its own") {
  using T = std::uint32_t;
  using shape = block::tile_shape<64, 3, 4>;
  using reproducible = block::tile_shape<128, 11, 4>;
  const std::size_t n = 32 * std::size_t{shape::items};
  const std::size_t bytes = detail::scan_bytes<T, shape, reproducible>(n);
  REQUIRE(bytes > detail::scan_scratch<detail::scan_look_back<T>>::bytes(32));
  const auto items = test::small_items<T>(n);
  const auto inclusive = test::serial_inclusive(items);
  test::depth_first([&] {
    const test::guarded<T> in(items, 1);
    test::for_each_scan_method([&](detail::scan_method few) {
      test::guarded<T> out(n, 1);
      const test::exact_scratch scratch(bytes);
      detail::launch_scan<device::scan_kind::inclusive, T, shape, reproducible>(
          scratch.where(), test::scan_of(in, out, T{}, plus{}), few);
      CHECK(out.read() == inclusive);
      scratch.check_guards();
    });
  });
}

TEST_CASE("device scan of a length on the device: the rest of the output is not touched") {
  const std::size_t capacity = 2 * detail::small_scan_shape<float>::items + 100;
  const auto items = test::small_items<float>(capacity);
  test::for_each_schedule([&] {
    const test::guarded<float> in(items);
    const test::exact_scratch scratch(scan_scratch_bytes<float>(capacity));
    test::guarded<std::uint64_t> count(1);
    for (std::uint64_t asked : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4097}, std::uint64_t{capacity},
                                std::uint64_t{capacity} * 3}) {
      CAPTURE(asked);
      const std::size_t n = std::min<std::size_t>(asked, capacity);
      count.write({asked});
      test::guarded<float> out(capacity);
      inclusive_scan(scratch.where(), counted{in, count.data()}, out);
      const auto got = out.read();
      const auto want = test::serial_inclusive(std::vector<float>(items.begin(), items.begin() + std::ptrdiff_t(n)));
      CHECK(std::equal(want.begin(), want.end(), got.begin()));
      CHECK(std::all_of(got.begin() + std::ptrdiff_t(n), got.end(), [](float x) { return test::is_dirt(x); }));
    }
  });
}

TEST_CASE_TEMPLATE("device scan over many tiles with an operator that does not commute", Word, std::uint16_t,
                   std::uint32_t) {
  using T = test::affine<Word>;  // 64-bit and 128-bit tile states
  const std::size_t n = 32 * 150 + 5;
  const auto items = test::random_items<T>(n, 11);
  const auto inclusive = test::serial_inclusive(items, test::compose{}),
             exclusive = test::serial_exclusive(items, T{3, 4}, test::compose{});
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    test::guarded<T> out(n);
    const exec where = allocating(test::test_stream());
    test::for_each_scan_method([&](detail::scan_method few) {
      const auto launch = [&]<device::scan_kind Kind>() {
        out.fill_dirt();
        detail::launch_scan<Kind, T, many_small_tiles>(where, test::scan_of(in, out, T{3, 4}, test::compose{}), few);
      };
      launch.template operator()<device::scan_kind::inclusive>();
      CHECK(out.read() == inclusive);
      launch.template operator()<device::scan_kind::exclusive>();
      CHECK(out.read() == exclusive);
    });
  });
}

TEST_CASE("device scan: sums are not limited to fewer bits than the type has") {
  const std::size_t n = detail::small_scan_shape<std::uint32_t>::items * 3;
  std::vector<std::uint32_t> items(n, 0xfffffff0u);
  std::vector<std::uint64_t> large(n, 0xfffffffffffffff0u);
  test::for_each_schedule([&] {
    const exec where = allocating(test::test_stream());
    test::guarded<std::uint32_t> in(items), out(n);
    inclusive_scan(where, in, out);
    CHECK(out.read() == test::serial_inclusive(items));
    test::guarded<std::uint64_t> in64(large), out64(n);
    inclusive_scan(where, in64, out64);
    CHECK(out64.read() == test::serial_inclusive(large));
  });
}

TEST_CASE("device scan: bad arguments are errors before any work") {
  const std::size_t n = 5000;
  const test::guarded<int> in(std::vector<int>(n, 1));
  test::guarded<int> out(n), shorter(n - 1);
  const std::size_t bytes = scan_scratch_bytes<int>(n);
  const test::exact_scratch scratch(bytes), small(bytes - 257), large(bytes + 1);
  const exec where = scratch.where();
  CHECK_THROWS_AS(inclusive_scan(where, in, shorter), invalid_argument);
  CHECK_THROWS_AS(inclusive_scan(where, std::span<const int>(static_cast<const int*>(nullptr), n), out),
                  invalid_argument);
  CHECK_THROWS_AS(inclusive_scan(where, in, std::span<int>(static_cast<int*>(nullptr), n)), invalid_argument);
  CHECK_THROWS_AS(inclusive_scan(small.where(), in, out), invalid_argument);
  const exec misaligned(where.stream(), large.where().scratch().subspan(1));
  CHECK_THROWS_AS(inclusive_scan(where, std::span<const int>(out.data(), n - 1), std::span<int>(out.data() + 1, n - 1)),
                  invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](int x) { return test::is_dirt(x); }));
  CHECK(scan_scratch_bytes<int>(0) == 0);
  inclusive_scan(misaligned, in, out);
  CHECK(out.read() == test::serial_inclusive(in.read()));
  inclusive_scan(exec(where.stream(), std::span<std::byte>{}), std::span<const int>{},
                 std::span<int>{});  // n = 0 needs nothing
}

}  // namespace device_scan
