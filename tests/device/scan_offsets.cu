// SPDX-License-Identifier: Apache-2.0
// Scans whose sums have another type than their items: counts to offsets, flags to ranks, bytes to
// words.
#include <ballot/scan.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/scan_call.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace device_scan_offsets {

template <class T, class In>
std::vector<T> converted(const std::vector<In>& items) {
  return std::vector<T>(items.begin(), items.end());
}

template <class In, class T>
struct from_to {
  using in = In;
  using out = T;
};

TEST_CASE_TEMPLATE("device scan: sums are taken in the output's type", Types, from_to<std::uint32_t, std::uint64_t>,
                   from_to<std::uint8_t, std::uint32_t>, from_to<std::uint64_t, std::uint32_t>,
                   from_to<std::int8_t, std::int64_t>, from_to<float, double>, from_to<std::int32_t, std::uint8_t>,
                   from_to<double, std::uint16_t>) {
  using In = typename Types::in;
  using T = typename Types::out;
  constexpr std::size_t tile = detail::small_scan_shape<T>::items;
  for (std::size_t n : {std::size_t{1}, std::size_t{33}, tile, tile + 7}) {
    CAPTURE(n);
    const auto items = test::small_items<In>(n);
    const auto inclusive = test::serial_inclusive(converted<T>(items));
    const auto exclusive = test::serial_exclusive_backward(converted<T>(items), T(5));
    test::for_each_schedule([&] {
      const test::exact_scratch scratch(scan_scratch_bytes<T>(n));
      for (std::size_t shift : {0, 1}) {
        const test::guarded<In> in(items, shift);
        test::guarded<T> out(n);
        inclusive_scan(scratch.where(), in, out);
        CHECK(out.read() == inclusive);
        out.fill_dirt();
        exclusive_scan(scratch.where(), in, T(5), out, {.order = scan_order::backward});
        CHECK(out.read() == exclusive);
      }
      scratch.check_guards();
    });
  }
}

// Tiles that otherwise only long arrays get: those that take most shared memory, and those of wide
// items and narrow sums.
TEST_CASE_TEMPLATE("device scan into another type: the tiles of many sums", Types,
                   from_to<std::uint32_t, std::uint64_t>, from_to<double, std::uint8_t>) {
  using In = typename Types::in;
  using T = typename Types::out;
  using shape = detail::scan_shape<T>;
  const std::size_t n = 2 * std::size_t{shape::items} + 7;
  const auto items = test::small_items<In>(n);
  const auto inclusive = test::serial_inclusive(converted<T>(items));
  test::for_each_schedule([&] {
    const test::guarded<In> in(items);
    test::guarded<T> out(n);
    test::for_each_scan_method([&](detail::scan_method few) {
      detail::launch_scan<device::scan_kind::inclusive, T, shape, detail::reproducible_scan_shape<T>, shape>(
          allocating(test::test_stream()), test::scan_of(in, out, T{}, plus{}), few);
      CHECK(out.read() == inclusive);
    });
  });
}

TEST_CASE("counts to offsets: an item more than counts, the last is the total") {
  using T = std::uint64_t;
  for (std::size_t n : test::lengths_around(detail::small_scan_shape<T>::items)) {
    CAPTURE(n);
    const auto counts = test::small_items<std::uint32_t>(n);  // every bit is used: sums pass 2^32
    auto padded = converted<T>(counts);
    padded.push_back(0);
    const auto offsets = test::serial_exclusive(padded, T{0});
    test::for_each_schedule([&] {
      const test::guarded<std::uint32_t> in(counts);
      test::guarded<T> out(n + 1), total(1);
      const test::exact_scratch scratch(scan_scratch_bytes<T>(n));
      const auto dirty = [&] {
        out.fill_dirt();
        total.fill_dirt();
      };
      test::directly_and_captured(
          dirty, [&] { counts_to_offsets(scratch.where(), in, out, total.data()); },
          [&] {
            CHECK(out.read() == offsets);
            CHECK(total.read()[0] == offsets[n]);
          });
      scratch.check_guards();
    });
  }
}

TEST_CASE("counts to offsets: in place, and as many counts as the device says") {
  using T = std::uint32_t;
  const std::size_t capacity = 2 * detail::small_scan_shape<T>::items + 9;
  auto counts = test::small_items<T>(capacity + 1);
  test::for_each_schedule([&] {
    const exec where = allocating(test::test_stream());
    test::guarded<std::uint64_t> count(1);
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{detail::small_scan_shape<T>::items}, capacity}) {
      CAPTURE(n);
      count.write({n});
      test::guarded<T> items(counts);
      counts_to_offsets(where, counted{std::span<const T>(items.data(), capacity), count.data()}, items);
      auto want = test::serial_exclusive(counts, T{0});
      std::copy(counts.begin() + std::ptrdiff_t(n) + 1, counts.end(), want.begin() + std::ptrdiff_t(n) + 1);
      CHECK(items.read() == want);
    }
  });
}

TEST_CASE_TEMPLATE("scans of flags: whatever is not 0 counts as 1", T, std::uint32_t, std::uint64_t) {
  const std::size_t n = detail::small_scan_shape<T>::items + 77;
  std::mt19937 random(8);
  std::size_t shift = 0;
  for (const auto& pattern : test::flag_patterns) {
    CAPTURE(pattern.name);
    const auto flags = test::make_flags(pattern, n);
    std::vector<std::uint8_t> bytes(n);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = flags[i] ? static_cast<std::uint8_t>(random() % 255 + 1) : 0;
    const auto ones = converted<T>(flags);
    const auto inclusive = test::serial_inclusive(ones);
    const auto exclusive = test::serial_exclusive(ones, T{0});
    const auto exclusive_backward = test::serial_exclusive_backward(ones, T{0});
    test::for_each_schedule([&] {
      const test::exact_scratch scratch(scan_scratch_bytes<T>(n));
      const test::guarded<std::uint8_t> in(bytes, shift);
      test::guarded<T> ranks(n), total(1);
      exclusive_scan_flags(scratch.where(), in, ranks, {.total = total.data()});
      CHECK(ranks.read() == exclusive);
      CHECK(total.read()[0] == inclusive[n - 1]);
      inclusive_scan_flags(scratch.where(), in, ranks);
      CHECK(ranks.read() == inclusive);
      exclusive_scan_flags(scratch.where(), in, ranks, {.order = scan_order::backward});
      CHECK(ranks.read() == exclusive_backward);
      scratch.check_guards();
    });
    shift = (shift + 1) % 5;
  }
}

TEST_CASE("scans into another type: bad arguments are errors before any work") {
  const std::size_t n = 100;
  test::guarded<std::uint32_t> counts(std::vector<std::uint32_t>(n, 1)), offsets(n + 1);
  const exec where = allocating(test::test_stream());
  const std::span<std::uint32_t> as_long(offsets.data(), n);
  CHECK_THROWS_AS(counts_to_offsets(where, counts, as_long), invalid_argument);
  CHECK_THROWS_AS(counts_to_offsets(where, counts, offsets, offsets.data() + n), invalid_argument);
  // In place is for one type: a vector of the sums may cover items of other threads.
  const std::span<const std::int32_t> others(reinterpret_cast<const std::int32_t*>(offsets.data()), n);
  CHECK_THROWS_AS(inclusive_scan(where, others, as_long), invalid_argument);
  const std::span<const std::uint8_t> flags(reinterpret_cast<const std::uint8_t*>(offsets.data()), n);
  CHECK_THROWS_AS(exclusive_scan_flags(where, flags, as_long), invalid_argument);
  const auto untouched = offsets.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](std::uint32_t x) { return test::is_dirt(x); }));
}

}  // namespace device_scan_offsets
