// SPDX-License-Identifier: Apache-2.0
// histogram against a loop: every way to count, sizes around a tile, types, skew, bins outside,
// lengths on the device.
#include <ballot/histogram.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/views.hpp"

using namespace ballot;

namespace algorithms_histogram {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Some of its numbers are no bins.
struct spread {
  u32 modulus;
  bool negative;
  template <class T>
  BALLOT_HOST_DEVICE std::int64_t operator()(const T& item) const {
    const auto bin = static_cast<std::int64_t>(static_cast<u64>(item) % modulus);
    return negative && bin % 7 == 3 ? -bin : bin;
  }
};

template <class Count, class T, class BinOf>
std::vector<Count> reference(const std::vector<T>& items, std::size_t there, const BinOf& bin_of, std::size_t bins,
                             u64& outside) {
  std::vector<Count> counts(bins);
  outside = 0;
  for (std::size_t i = 0; i < there; ++i) {
    const std::int64_t bin = static_cast<std::int64_t>(bin_of(items[i]));
    if (bin >= 0 && static_cast<u64>(bin) < bins) ++counts[static_cast<std::size_t>(bin)];
    else ++outside;
  }
  return counts;
}

template <class Count = u32, class T, class BinOf>
void check(const std::vector<T>& items, std::size_t there, const BinOf& bin_of, std::size_t bins, std::size_t shift,
           const detail::histogram_plan* plan = nullptr) {
  CAPTURE(items.size());
  CAPTURE(there);
  CAPTURE(bins);
  u64 outside;
  const auto want = reference<Count>(items, there, bin_of, bins, outside);
  test::for_some_schedules([&] {
    const test::guarded<T> in(items, shift);
    test::guarded<Count> counts(bins, (shift + 1) % 3);
    test::guarded<u64> dropped(1), length(std::vector<u64>{there});
    const exec gpu(test::test_stream(), {});
    test::directly_and_captured([&] { counts.fill_dirt(), dropped.fill_dirt(); },
                                [&] {
                                  if (plan != nullptr)
                                    detail::launch_histogram(gpu.stream(), *plan,
                                                             detail::as_input(counted{in, length.data()}), bin_of,
                                                             counts.data(), static_cast<u32>(bins), dropped.data());
                                  else if (there == items.size()) histogram(gpu, in, bin_of, counts, dropped.data());
                                  else histogram(gpu, counted{in, length.data()}, bin_of, counts, dropped.data());
                                },
                                [&] {
                                  CHECK(counts.read() == want);
                                  CHECK(dropped.read()[0] == outside);
                                });
  });
}

TEST_CASE("histogram: sizes around a tile") {
  for (const std::size_t n : test::lengths_around(detail::histogram_shape<u32>::items))
    check(test::random_items<u32>(n, 5), n, spread{100, true}, 90, n % 3);
}

TEST_CASE("histogram: every way to count, evenly spread and skewed") {
  const std::size_t n = 3 * detail::histogram_halves_shape<u32>::items + 77;
  auto even = test::random_items<u32>(n, 6), equal = even, mixed = even;
  for (std::size_t i = 0; i < n; ++i) {
    equal[i] = 12;
    if (i % 3 != 0) mixed[i] = i / 3000 % 2 == 0 ? 5 : 4;
  }
  using detail::histogram_mode;
  const detail::histogram_plan plans[] = {{histogram_mode::columns, 5, 300 * 32 * 4, 2},
                                          {histogram_mode::columns, 0, 300 * 4, 1, n},
                                          {histogram_mode::halves, 0, 600, 1, n},
                                          {histogram_mode::halves, 0, 600, 1},
                                          {histogram_mode::device, 0, 2 * detail::cached_bins * 4},
                                          {histogram_mode::device, 0, 2 * detail::cached_bins * 4, 1, n}};
  for (const auto& plan : plans) {
    CAPTURE(static_cast<int>(plan.mode));
    for (const auto* items : {&even, &equal, &mixed}) check(*items, n - 5, spread{307, true}, 299, 1, &plan);
  }
}

// One block, so that halves become full: items of one bin, and of two bins of one word.
TEST_CASE("histogram: counts above 2^16 in halves of a word") {
  const std::size_t n = 9 * detail::histogram_halves_shape<std::uint8_t>::items + 1;
  std::vector<std::uint8_t> items(n, 6);
  const detail::histogram_plan one_block{detail::histogram_mode::halves, 0, 512, 1, n};
  check(items, n, spread{8, false}, 8, 0, &one_block);
  for (std::size_t i = 0; i < n; i += 2) items[i] = 7;
  check(items, n, spread{8, false}, 8, 0, &one_block);
  // Not in the row that a warp looks at: no peers are looked for, and many lanes meet in a half
  // that becomes full.
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<std::uint8_t>(i % 4 == 0 ? i / 4 % 251 : 1);
  check(items, n, spread{256, false}, 256, 0, &one_block);
}

TEST_CASE("histogram: types of items and counts, lengths on the device") {
  check(test::random_items<std::int8_t>(20'000, 1), 20'000, spread{250, true}, 250, 0);
  check<std::int32_t>(test::random_items<std::uint16_t>(20'000, 2), 12'345, spread{70'000, false}, 65'536, 0);
  check<u64>(test::random_items<u64>(10'000, 3), 0, spread{10, false}, 10, 1);
  check<std::int64_t>(test::random_items<u64>(10'000, 4), 9'999, spread{1, false}, 1, 1);
  check(test::random_items<u32>(5'000, 5), 5'000, spread{1u << 20, false}, 1u << 20, 0);
  auto skewed = test::random_items<u32>(30'000, 6);  // few bins are met often, many once
  for (std::size_t i = 0; i < skewed.size(); ++i)
    if (i % 4 != 0) skewed[i] = skewed[i] % 40 * 24'001;
  check(skewed, 30'000, spread{1u << 20, false}, 1u << 20, 0);
}

TEST_CASE("histogram: each kind of view, with its length on the host and on the device") {
  for (const std::size_t n : {std::size_t{33}, std::size_t{detail::histogram_shape<u32>::items + 5}})
    for (const std::size_t shift : {0, 1}) {
      CAPTURE(n);
      CAPTURE(shift);
      const std::size_t there = n / 4;
      const spread bin_of{100, true};
      test::for_each_schedule([&] {
        test::guarded<u32> counts(100), dropped(1);
        const test::guarded<u64> length(std::vector<u64>{there});
        const exec gpu(test::test_stream(), {});
        test::for_each_view(n, shift, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
          CAPTURE(name);
          u64 outside;
          counts.fill_dirt(), dropped.fill_dirt();
          histogram(gpu, view, bin_of, counts, dropped.data());
          CHECK(counts.read() == reference<u32>(items, items.size(), bin_of, 100, outside));
          CHECK(dropped.read()[0] == outside);
          counts.fill_dirt();
          histogram(gpu, counted{view, length.data()}, bin_of, counts);
          CHECK(counts.read() == reference<u32>(items, there, bin_of, 100, outside));
        });
      });
    }
}

TEST_CASE("histogram: digits of keys, bins of one width") {
  CHECK(key_digit{4, 8}(0xabcu) == 0xab);
  CHECK(key_digit{24, 8}(std::int32_t{-1}) == 0x7f);
  CHECK(key_digit{31, 1}(-1.0f) == 0);
  check(test::random_items<float>(9'000, 7), 9'000, key_digit{24, 8}, 256, 0);

  const even_bins<float> floats{-1.0f, 2.0f, 30};
  for (const float outside : {-1.01f, 2.0f, std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()})
    CHECK(floats(outside) == -1);
  CHECK(floats(-1.0f) == 0);
  CHECK(floats(std::nextafter(2.0f, 0.0f)) == 29);
  const even_bins<std::int32_t> integers{-5, 6, 4};  // eleven integers in four bins, as CUB divides them
  const std::int64_t want[] = {-1, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, -1};
  for (int i = 0; i < 13; ++i) CHECK(integers(i - 6) == want[i]);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {  // as divided
    const even_bins<u64> some{random() >> 40, (random() >> (25 + i % 20)) + (u64{1} << 25),
                              1 + static_cast<u32>(random() >> (40 + i % 20))};
    const u64 width = some.upper - some.lower, item = some.lower + (i % 3 == 0 ? width - 1 : random() % width);
    using wide = detail::uint128;
    const auto begin_of_bin =
        static_cast<u64>(static_cast<wide>(item - some.lower) * some.bins / width * width / some.bins);
    const u64 near = i % 2 == 0 ? item : some.lower + begin_of_bin;
    CHECK(some(near) == static_cast<std::int64_t>(static_cast<wide>(near - some.lower) * some.bins / width));
  }
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  const even_bins<std::int64_t> all{least, most, 256};
  CHECK(all(least) == 0);
  CHECK(all(-1) == 127);
  CHECK(all(0) == 128);
  CHECK(all(most - 1) == 255);
  constexpr float largest = std::numeric_limits<float>::max();
  const even_bins<float> all_floats{-largest, largest, 4};
  CHECK(all_floats(-largest) == 0);
  CHECK(all_floats(-0.75f * largest) == 0);
  CHECK(all_floats(-0.25f * largest) == 1);
  CHECK(all_floats(0.25f * largest) == 2);
  CHECK(all_floats(0.75f * largest) == 3);
  const even_bins<float> tiny{0.0f, 1e-37f, 100};  // bins a unit: no float
  CHECK(tiny(0.0f) == 0);
  CHECK(tiny(0.505f * 1e-37f) == 50);
  CHECK(tiny(std::nextafter(1e-37f, 0.0f)) == 99);
  CHECK(tiny(1e-37f) == -1);
  CHECK(even_bins<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 0, 1}(-1) == 0);
  CHECK(even_bins<u64>{~u64{0} - 10, ~u64{0}, 10}(~u64{0} - 1) == 9);
  check(test::random_items<std::int8_t>(5'000, 8), 5'000, even_bins<std::int8_t>{-100, 100, 13}, 13, 0);
}

}  // namespace algorithms_histogram
