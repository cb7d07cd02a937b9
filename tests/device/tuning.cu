// SPDX-License-Identifier: Apache-2.0
// Tuning tables: which row is found, which GPU gets which shape; and scans in the shape of the GPU
// at hand, with scratch that is enough for every GPU. Made-up tables and shapes; today the
// library's own rows are for every GPU.
#include <ballot/blockwise_scan.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>

#include "support/patterns.hpp"
#include "support/scan_call.hpp"
#include "support/scan_reference.hpp"
#include "support/segments.hpp"
#include "support/shapes_of_gpus.hpp"

using namespace ballot;

namespace device_tuning {

using u32 = std::uint32_t;
using detail::scan_tuning;

struct made_up {
  static constexpr scan_tuning rows[] = {
      {4, 128, 3, nullptr}, {4, 64, 1, nullptr, 900},  {4, 256, 2, nullptr, 1000},
      {8, 32, 1, nullptr},  {16, 64, 2, nullptr, 750}, {16, 96, 2, nullptr},
  };
};
struct ordered {
  static constexpr scan_tuning rows[] = {{4, 128, 3, nullptr}, {4, 64, 1, nullptr, 900}, {4, 256, 2, nullptr, 1000},
                                         {8, 32, 1, nullptr},  {16, 96, 2, nullptr},     {16, 64, 2, nullptr, 750}};
};
struct newer_first {
  static constexpr scan_tuning rows[] = {{4, 128, 3, nullptr, 900}, {4, 64, 1, nullptr}};
};
struct in_disorder {
  static constexpr scan_tuning rows[] = {{4, 128, 3, nullptr}, {4, 64, 1, nullptr, 1000}, {4, 64, 1, nullptr, 900}};
};
static_assert(detail::has_ordered_rows<ordered>() && !detail::has_ordered_rows<made_up>() &&
              !detail::has_ordered_rows<newer_first>() && !detail::has_ordered_rows<in_disorder>());

static_assert(detail::row_of_bytes<ordered>(1) == 0 && detail::row_of_bytes<ordered>(4) == 0);
static_assert(detail::row_of_bytes<ordered>(5) == 3 && detail::row_of_bytes<ordered>(9) == 4);
static_assert(detail::row_of_bytes<ordered>(17) == 4);  // none fits: the last one for every GPU

template <class T>
using shape_of = typename detail::tuned_scan_shape<ordered, T, 1>::type;
static_assert(std::is_same_v<shape_of<std::uint64_t>, block::tile_shape<32, 1, 1>>);
using for_three =
    test::three_shapes<block::tile_shape<128, 3, 1>, block::tile_shape<64, 1, 1>, block::tile_shape<256, 2, 1>>;
static_assert(std::is_same_v<shape_of<u32>, for_three>);
static_assert(for_three::items == 64 && for_three::width == 1);
static_assert(std::is_same_v<detail::first_shape<for_three>, block::tile_shape<128, 3, 1>>);

TEST_CASE("tuning: the shape for the architecture, and the most of all shapes") {
  test::for_each_architecture([](int architecture) {
    CAPTURE(architecture);
    CHECK(simt::device_architecture() == architecture);
    unsigned threads = 0, calls = 0;
    detail::with_shape_of_gpu<for_three>([&]<class Own>(std::type_identity<Own>) { threads = Own::threads, ++calls; });
    CHECK(threads == test::threads_of_gpu(architecture, 128, 64, 256));
    CHECK(calls == 1);
  });
  const auto items = []<class Own>(std::type_identity<Own>) { return std::size_t{Own::items}; };
  CHECK(detail::most_of_shapes<for_three>(items) == 512);
  CHECK(detail::most_of_shapes<block::tile_shape<32, 1, 1>>(items) == 32);
}

// Today no row of the library is for some GPUs alone. Then a call does not ask for the
// architecture.
TEST_CASE("tuning: the library's rows of scans are for every GPU") {
  const auto check = [](const auto& rows) {
    for (const auto& row : rows) CHECK(row.architecture == 0);
  };
  check(detail::scan_tunings::rows);
  check(detail::small_scan_tunings::rows);
  check(detail::segmented_scan_tunings::rows);
  check(detail::small_segmented_scan_tunings::rows);
}

using tiles =
    test::three_shapes<block::tile_shape<128, 1, 4>, block::tile_shape<32, 1, 4>, block::tile_shape<64, 2, 4>>;

TEST_CASE("tuning: scans in the shape of the GPU") {
  for (const std::size_t n : {std::size_t{7}, std::size_t{128}, std::size_t{5077}}) {
    CAPTURE(n);
    const auto items = test::small_items<u32>(n);
    const auto inclusive = test::serial_inclusive(items);
    test::for_each_architecture([&](int architecture) {
      CAPTURE(architecture);
      const test::guarded<u32> in(items);
      test::guarded<u32> out(n);
      test::noted_threads threads;
      const test::exact_scratch scratch(detail::scan_bytes<u32, tiles>(n));
      test::for_each_scan_method([&](detail::scan_method few) {
        out.fill_dirt();
        detail::launch_scan<device::scan_kind::inclusive, u32, tiles>(
            scratch.where(), test::scan_of(in, out, u32{}, test::noting_plus{threads.data()}), few);
        CHECK(out.read() == inclusive);
        CHECK(threads.take() == test::threads_of_gpu(architecture, 128, 32, 64));
      });
      scratch.check_guards();
    });
  }
}

TEST_CASE("tuning: segmented and block-wise scans in the shape of the GPU") {
  const std::size_t n = 5077, block_items = 1000;
  const auto items = test::small_items<u32>(n);
  std::vector<bool> heads(n), blocks(n);
  for (std::size_t i = 0; i < n; ++i) heads[i] = i % 777 == 5, blocks[i] = i % block_items == 0;
  const auto by_heads = test::serial_segmented_inclusive(items, heads),
             by_blocks = test::serial_segmented_inclusive(items, blocks);
  test::for_each_architecture([&](int architecture) {
    CAPTURE(architecture);
    const unsigned expected = test::threads_of_gpu(architecture, 128, 32, 64);
    const test::guarded<u32> in(items);
    const test::guarded<std::uint8_t> bytes(test::as_bytes(heads));
    test::guarded<u32> out(n);
    test::noted_threads threads;
    const test::exact_scratch scratch(detail::segmented_scan_bytes<u32, tiles>(n));
    for (const u32 few : {0u, 8u, 1000u}) {  // by look-back, by either, by aggregates first
      CAPTURE(few);
      out.fill_dirt();
      detail::segmented_scan<device::scan_kind::inclusive, u32, false, tiles>(
          scratch.where(), detail::as_input(in), byte_flags{bytes}, detail::as_output(out), u32{},
          test::noting_plus{threads.data()}, "test", few);
      CHECK(out.read() == by_heads);
      CHECK(threads.take() == expected);
    }
    out.fill_dirt();
    detail::blockwise_scan<device::scan_kind::inclusive, u32, block::tile_shape<32, 1, 4>, tiles>(
        scratch.where(), detail::as_input(in), detail::as_output(out), block_items, u32{},
        test::noting_plus{threads.data()}, "test");
    CHECK(out.read() == by_blocks);
    CHECK(threads.take() == expected);
    scratch.check_guards();
  });
}

}  // namespace device_tuning
