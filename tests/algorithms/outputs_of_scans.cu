// SPDX-License-Identifier: Apache-2.0
// Scans, reductions of runs and of segments, gathers and scatters into output views, against loops
// over the same items.
#include <ballot/gather.cuh>
#include <ballot/outputs.cuh>
#include <ballot/reduce_by_key.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_reduce.cuh>
#include <ballot/views.cuh>

#include "support/output_items.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <numeric>

using namespace ballot;
using test::check_items;
using test::grows;
using test::guarded;
using test::mapped;

namespace algorithms_outputs_of_scans {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// The inner offset leaves less room than the outer one skips: on the device alone it is known.
TEST_CASE("scans behind two offsets") {
  const std::vector<u32> items(20, 1);
  for (const u32 inner : {0u, 60u, 90u, 100u, 200u})
    for (const u32 outer : {0u, 3u, 30u, 50u, 100u}) {
      CAPTURE(inner);
      CAPTURE(outer);
      std::vector<u32> want;
      for (u32 i = 0; i < 20 && inner + outer + i < 100; ++i) want.push_back(i + 1);
      test::for_some_schedules([&] {
        const guarded<u32> in(items), a(std::vector<u32>{inner}), b(std::vector<u32>{outer});
        guarded<u32> out(100), converted(100);
        const exec gpu = allocating(test::test_stream());
        inclusive_scan(gpu, in, appended{appended{out, a.data()}, b.data()});
        check_items(out, want, std::min(inner + outer, 100u));
        inclusive_scan(gpu, in, appended{converting<u32>(appended{converted, a.data()}), b.data()});
        check_items(converted, want, std::min(inner + outer, 100u));
      });
    }
}

struct thrice {
  __host__ __device__ u32 operator()(u32 x) const { return 3 * x; }
};
TEST_CASE("scans into output views") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{9'001}}) {
    CAPTURE(n);
    auto items = test::random_items<u32>(n, 3);
    for (u32& x : items) x %= 1000;
    std::vector<double> inclusive(n), from_five(n);
    std::vector<u32> exclusive(n), backward(n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      exclusive[i] = static_cast<u32>(sum), from_five[i] = 5 + sum;
      inclusive[i] = sum += items[i];
    }
    for (std::size_t i = n, rest = 0; i-- > 0;) backward[i] = static_cast<u32>(rest += items[i]);
    const auto whole = static_cast<u32>(sum);
    test::for_some_schedules([&] {
      const guarded<u32> in(items), offset(std::vector<u32>{17});
      guarded<float> floats(n), more(n, 1);
      guarded<u64> wide(n), appended_sums(n + 10);  // the last sums do not fit
      guarded<u32> total(1);
      guarded<double> total_of_floats(1);
      const test::unaligned_scratch scratch(scan_scratch_bytes<double>(n)), of_u32(scan_scratch_bytes<u32>(n));
      test::directly_and_captured([&] { floats.fill_dirt(); },
                                  [&] { inclusive_scan(scratch.where(), in, converting<double>(floats)); },
                                  [&] { check_items(floats, mapped<float>(inclusive, [](double x) { return x; })); });
      inclusive_scan(scratch.where(), in, converting<double>(floats), {.order = scan_order::backward});
      check_items(floats, mapped<float>(backward, [](u32 x) { return x; }));
      exclusive_scan(scratch.where(), in, 5, converting<double>(more),
                     {.total = total_of_floats.data(), .reproducible = true});
      check_items(more, mapped<float>(from_five, [](double x) { return x; }));
      CHECK(total_of_floats.read()[0] == 5 + sum);
      test::directly_and_captured(
          [&] { appended_sums.fill_dirt(); },
          [&] {
            exclusive_scan(of_u32.where(), in, converting<u32>(appended{appended_sums, offset.data()}));
          },
          [&] {
            auto want = mapped<u64>(exclusive, [](u32 x) { return x; });
            want.resize(n < 7 ? 0 : n - 7);
            check_items(appended_sums, want, 17);
          });
      inclusive_scan(of_u32.where(), in, converting<u32>(wide, grows{}), {.order = scan_order::backward});
      check_items(wide, mapped<u64>(backward, [](u32 x) { return u64{x} << 8 | 3; }));
      total.fill_dirt();
      inclusive_scan(of_u32.where(), transformed{in, thrice{}}, discarded<u32>(n), {.total = total.data()});
      CHECK((n == 0 ? test::is_dirt(total.read()[0]) : total.read()[0] == 3 * whole));
      scratch.check_guards();
      of_u32.check_guards();
    });
  }
}

TEST_CASE("results of runs into output views") {
  const std::size_t n = 20'000;
  std::vector<u32> keys(n), values(n), heads, sums;
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<u32>(i / 7 * i / 3000), values[i] = static_cast<u32>(i % 11);
    if (i == 0 || keys[i] != keys[i - 1]) heads.push_back(keys[i]), sums.push_back(0);
    sums.back() += values[i];
  }
  test::for_some_schedules([&] {
    const guarded<u32> keys_in(keys), values_in(values), offset(std::vector<u32>{5});
    guarded<u64> wide(n), wide_keys(n);
    guarded<u32> behind(n + 5), second(n), count(1);
    const test::unaligned_scratch scratch(reduce_by_key_scratch_bytes<u32, u32, u32>(n));
    test::directly_and_captured([&] { wide.fill_dirt(), behind.fill_dirt(); },
                                [&] {
                                  reduce_by_key(scratch.where(), keys_in, values_in, appended{behind, offset.data()},
                                                converting<u32>(wide), count.data());
                                },
                                [&] {
                                  CHECK(count.read()[0] == heads.size());
                                  check_items(behind, heads, 5);
                                  check_items(wide, mapped<u64>(sums, [](u32 x) { return x; }));
                                });
    wide.fill_dirt();
    reduce_by_key(scratch.where(), keys_in, zip{values_in, values_in}, converting<u32>(wide_keys),
                  zip{second, converting<u32>(wide, grows{})}, count.data());
    check_items(wide_keys, mapped<u64>(heads, [](u32 x) { return x; }));
    check_items(second, sums);
    check_items(wide, mapped<u64>(sums, [](u32 x) { return u64{x} << 8 | 3; }));
    guarded<u32> few(sums.size());  // the last results do not fit
    reduce_by_key(scratch.where(), keys_in, values_in, discarded<u32>(n), appended{few, offset.data()}, count.data());
    check_items(few, std::vector<u32>(sums.begin(), sums.end() - 5), 5);
  });
}

TEST_CASE("reductions of segments into output views") {
  const std::size_t n = 20'000;
  auto items = test::random_items<u32>(n, 5);
  for (u32& x : items) x %= 1000;
  const auto sum_of = [&](std::size_t begin, std::size_t end) {
    return std::accumulate(items.begin() + static_cast<std::ptrdiff_t>(begin),
                           items.begin() + static_cast<std::ptrdiff_t>(end), 1u);
  };
  std::vector<u32> begins{0, 0, 3, 40, 40, 2'000, 9'000, 9'001, 19'000}, sums;
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) sums.push_back(sum_of(begins[s], begins[s + 1]));
  std::vector<std::uint8_t> heads(n);
  for (const u32 begin : begins) heads[begin] = 1;
  std::vector<u32> of_flags{sum_of(0, 3),         sum_of(3, 40),         sum_of(40, 2'000), sum_of(2'000, 9'000),
                            sum_of(9'000, 9'001), sum_of(9'001, 19'000), sum_of(19'000, n)};
  test::for_some_schedules([&] {
    const guarded<u32> in(items), offsets(begins), offset(std::vector<u32>{5});
    const guarded<std::uint8_t> flags(heads);
    guarded<u64> wide(sums.size());
    guarded<u32> behind(4 + sums.size()), count(1);
    const exec gpu = allocating(test::test_stream());
    const segment_offsets segments{offsets};
    test::directly_and_captured([&] { wide.fill_dirt(); },
                                [&] { segmented_reduce(gpu, in, segments, 1, converting<u32>(wide, grows{})); },
                                [&] { check_items(wide, mapped<u64>(sums, [](u32 x) { return u64{x} << 8 | 3; })); });
    behind.fill_dirt();
    segmented_reduce(gpu, in, segments, 1, appended{behind, offset.data()});  // the last one does not fit
    check_items(behind, std::vector<u32>(sums.begin(), sums.end() - 1), 5);
    for (const std::size_t row : {1, 5, 16, 100, 300, 9'000}) {
      CAPTURE(row);
      std::vector<u32> of_rows;
      for (std::size_t at = 0; at < n; at += row) of_rows.push_back(sum_of(at, std::min(n, at + row)));
      guarded<u64> out(of_rows.size());
      segmented_reduce(gpu, in, row_length(row), 1, converting<u32>(out));
      check_items(out, mapped<u64>(of_rows, [](u32 x) { return x; }));
      segmented_reduce(gpu, in, row_length(row), discarded<u32>(n));
    }
    wide.fill_dirt();
    segmented_reduce(gpu, in, byte_flags{flags}, 1, converting<u32>(wide), count.data());
    CHECK(count.read()[0] == of_flags.size());
    check_items(wide, mapped<u64>(of_flags, [](u32 x) { return x; }));
    behind.fill_dirt();
    segmented_reduce(gpu, in, byte_flags{flags}, 1, behind, count.data());
    check_items(behind, of_flags);
  });
}

TEST_CASE("gathers and scatters into output views") {
  const std::size_t n = 3000;
  const auto items = test::random_items<u32>(n, 4);
  std::vector<std::int32_t> places(n);
  for (std::size_t i = 0; i < n; ++i)
    places[i] = i % 10 == 3 ? -1 : i % 10 == 4 ? 3000 : static_cast<std::int32_t>(i * 7 % n);
  std::vector<u64> gathered_items, scattered(n);
  std::vector<bool> is_there(n);
  for (std::size_t i = 0; i < n; ++i)
    if (places[i] >= 0 && places[i] < 3000) scattered[places[i]] = items[i], is_there[places[i]] = true;
  test::for_some_schedules([&] {
    const guarded<u32> in(items), offset(std::vector<u32>{40});
    const guarded<std::int32_t> indices(places);
    guarded<u64> out(n), to(n);
    guarded<u32> behind(n + 9), outside(1);
    const exec gpu = allocating(test::test_stream());
    gather(gpu, in, indices, converting<u32>(out), outside.data());
    CHECK(outside.read()[0] == 600);
    auto got = out.read();
    for (std::size_t i = 0; i < n; ++i)
      REQUIRE((i % 10 == 3 || i % 10 == 4 ? test::is_dirt(got[i]) : got[i] == items[places[i]]));
    scatter(gpu, in, indices, converting<u32>(to), outside.data());
    CHECK(outside.read()[0] == 600);
    got = to.read();
    for (std::size_t i = 0; i < n; ++i) REQUIRE((is_there[i] ? got[i] == scattered[i] : test::is_dirt(got[i])));
    gather(gpu, in, indices, appended{behind, offset.data()});
    const auto got_behind = behind.read();
    for (std::size_t i = 0; i < behind.size(); ++i)
      REQUIRE((i < 40 || (i - 40) % 10 == 3 || (i - 40) % 10 == 4 ? test::is_dirt(got_behind[i])
                                                                  : got_behind[i] == items[places[i - 40]]));
  });
}

}  // namespace algorithms_outputs_of_scans
