// SPDX-License-Identifier: Apache-2.0
// Options of the device scans beside an operator: totals left on the device, backward order.
#include <ballot/scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_call.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace device_scan_options {

using affine = test::affine<std::uint16_t>;
using small_tiles = block::tile_shape<64, 2, 2>;  // 256 items, two warps

const affine start{3, 4};

struct expected {
  std::vector<affine> inclusive, exclusive;
  affine total;  // with `start` before it
};

expected expect(const std::vector<affine>& items, scan_order order) {
  const bool back = order == scan_order::backward;
  std::vector<affine> all = items;
  if (back) std::reverse(all.begin(), all.end());
  expected e{
      back ? test::serial_inclusive_backward(items, test::compose{}) : test::serial_inclusive(items, test::compose{}),
      back ? test::serial_exclusive_backward(items, start, test::compose{})
           : test::serial_exclusive(items, start, test::compose{}),
      start};
  for (const affine& item : all) e.total = test::compose{}(e.total, item);
  return e;
}

TEST_CASE("device scan, backward and with a total, by an operator that does not commute") {
  for (std::size_t n : test::lengths_around(small_tiles::items)) {
    for (const scan_order order : {scan_order::forward, scan_order::backward}) {
      const std::string name = order == scan_order::forward ? "forward" : "backward";
      CAPTURE(n);
      CAPTURE(name);
      const auto items = test::random_items<affine>(n, 5);
      const expected want = expect(items, order);
      test::for_each_schedule([&] {
        const test::guarded<affine> in(items);
        test::guarded<affine> out(n), total(1);
        const test::exact_scratch scratch(detail::scan_bytes<affine, small_tiles>(n));
        const scan_options<affine> options{.total = total.data(), .order = order};
        for (const auto few :
             {detail::scan_method::look_back, detail::scan_method::in_cluster, detail::scan_method::aggregates_first}) {
          const auto launch = [&]<device::scan_kind Kind>() {
            detail::launch_scan<Kind, affine, small_tiles>(
                scratch.where(), test::scan_of(in, out, start, test::compose{}, options), few);
          };
          const auto dirty = [&] {
            out.fill_dirt();
            total.fill_dirt();
          };
          test::directly_and_captured(
              dirty, [&] { launch.template operator()<device::scan_kind::exclusive>(); },
              [&] {
                CHECK(out.read() == want.exclusive);
                CHECK(total.read()[0] == want.total);
              });
          test::directly_and_captured(
              dirty, [&] { launch.template operator()<device::scan_kind::inclusive>(); },
              [&] {
                CHECK(out.read() == want.inclusive);
                if (n == 0) CHECK(test::is_dirt(total.read()[0]));
                else CHECK(total.read()[0] == want.inclusive[order == scan_order::forward ? n - 1 : 0]);
              });
        }
        scratch.check_guards();
      });
    }
  }
}

TEST_CASE("device scan backward: default tiles, in place, from misaligned ranges") {
  const std::size_t n = 2 * detail::small_scan_shape<std::uint32_t>::items + 7;
  const auto items = test::small_items<std::uint32_t>(n);
  const auto inclusive = test::serial_inclusive_backward(items);
  const auto exclusive = test::serial_exclusive_backward(items, 9u);
  test::for_each_schedule([&] {
    const test::exact_scratch scratch(scan_scratch_bytes<std::uint32_t>(n));
    for (std::size_t shift : {0, 1, 3}) {
      CAPTURE(shift);
      test::guarded<std::uint32_t> in_place(items, shift);
      inclusive_scan(scratch.where(), in_place, in_place, {.order = scan_order::backward});
      CHECK(in_place.read() == inclusive);
      test::guarded<std::uint32_t> in(items, shift), out(n, 3 - shift);
      exclusive_scan(scratch.where(), in, 9u, out, {.order = scan_order::backward});
      CHECK(out.read() == exclusive);
    }
  });
}

TEST_CASE("device scan backward of a length on the device: from its end, the rest is not touched") {
  const std::size_t capacity = 5 * small_tiles::items + 100;
  const auto items = test::random_items<affine>(capacity, 6);
  test::for_each_schedule([&] {
    const test::guarded<affine> in(items);
    const exec where = allocating(test::test_stream());
    test::guarded<std::uint64_t> count(1);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{small_tiles::items},
                                std::size_t{3 * small_tiles::items - 1}, capacity}) {
      CAPTURE(n);
      count.write({n});
      test::for_each_scan_method([&](detail::scan_method few) {
        test::guarded<affine> out(capacity), total(1);
        detail::launch_scan<device::scan_kind::exclusive, affine, small_tiles>(
            where,
            test::scan_of(counted{in, count.data()}, out, start, test::compose{},
                          {.total = total.data(), .order = scan_order::backward}),
            few);
        const expected want = expect({items.begin(), items.begin() + std::ptrdiff_t(n)}, scan_order::backward);
        const auto got = out.read();
        CHECK(std::equal(want.exclusive.begin(), want.exclusive.end(), got.begin()));
        CHECK(
            std::all_of(got.begin() + std::ptrdiff_t(n), got.end(), [](const affine& x) { return test::is_dirt(x); }));
        CHECK(total.read()[0] == want.total);
      });
    }
  });
}

TEST_CASE("device scan of nothing: a total takes no scratch, and the inclusive scan has none") {
  test::for_each_schedule([&] {
    const exec where(test::test_stream(), std::span<std::byte>{});
    const std::span<const int> none;
    const device_value<int> total(test::test_stream());
    device_value<int> untouched(test::test_stream());
    untouched.write(test::test_stream(), 77);
    exclusive_scan(where, none, 5, std::span<int>{}, {.total = total});
    CHECK(total.read(test::test_stream()) == 5);
    inclusive_scan(where, none, std::span<int>{}, {.total = untouched});
    CHECK(untouched.read(test::test_stream()) == 77);
  });
}

TEST_CASE("device scan with a total: overlap is an error before any work") {
  const std::size_t n = 100;
  test::guarded<int> in(std::vector<int>(n, 1)), out(n);
  test::guarded<std::uint64_t> out64(n);
  test::guarded<std::uint64_t> count(std::vector<std::uint64_t>{50});
  const exec where = allocating(test::test_stream());
  CHECK_THROWS_AS(inclusive_scan(where, in, out, {.total = out.data() + n - 1}), invalid_argument);
  CHECK_THROWS_AS(exclusive_scan(where, in, out, {.total = in.data()}), invalid_argument);
  CHECK_THROWS_AS(inclusive_scan(where, counted{in, out64.data() + 3}, out64), invalid_argument);
  CHECK_THROWS_AS(inclusive_scan(where, counted{in, count.data()}, out64, {.total = count.data()}), invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](int x) { return test::is_dirt(x); }));
  const auto untouched64 = out64.read();
  CHECK(std::all_of(untouched64.begin(), untouched64.end(), [](std::uint64_t x) { return test::is_dirt(x); }));
  CHECK(in.read() == std::vector<int>(n, 1));
  CHECK(count.read()[0] == 50);
}

}  // namespace device_scan_options
