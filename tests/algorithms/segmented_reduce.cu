// SPDX-License-Identifier: Apache-2.0
// segmented_reduce against a loop: sizes around a tile, types, addresses, lengths on the device.
#include <ballot/segmented_reduce.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace algorithms_segmented_reduce {

// The first `there` of the items; the input begins `shift` items past an aligned address, the output elsewhere.
template <class T>
void check(std::size_t n, std::size_t there, std::size_t shift) {
  CAPTURE(n);
  CAPTURE(there);
  const T addend = 3;
  std::vector<T> items = test::random_items<T>(n, 5), want(n);
  for (std::size_t i = 0; i < n; i += 7) items[i] = static_cast<T>(T{0} - addend);  // sums that are zero
  std::uint64_t not_zero = 0;
  for (std::size_t i = 0; i < there; ++i) {
    want[i] = static_cast<T>(items[i] + addend);
    not_zero += want[i] != 0;
  }
  test::for_each_schedule([&] {
    const test::guarded<T> in(items, shift);
    test::guarded<T> out(n, (shift + 1) % 3);
    test::guarded<std::uint64_t> count(1), length(std::vector<std::uint64_t>{there});
    const test::exact_scratch scratch(segmented_reduce_scratch_bytes<T>(n));
    test::directly_and_captured(
        [&] { out.fill_dirt(), count.fill_dirt(); },
        [&] {
          if (there == n) segmented_reduce(scratch.where(), in, addend, out, count.data());
          else segmented_reduce(scratch.where(), counted{in, length.data()}, addend, out, count.data());
        },
        [&] {
          const std::vector<T> got = out.read();
          bool same = true, clean = true;
          for (std::size_t i = 0; i < there; ++i) same &= got[i] == want[i];
          for (std::size_t i = there; i < n; ++i) clean &= test::is_dirt(got[i]);
          CHECK(same);
          CHECK(clean);
          CHECK(count.read()[0] == not_zero);
        });
    scratch.check_guards();
  });
}

TEST_CASE("segmented_reduce: sizes around a tile") {
  for (const std::size_t n : test::lengths_around(detail::segmented_reduce_shape<std::uint32_t>::items))
    check<std::uint32_t>(n, n, n % 3);
}

TEST_CASE("segmented_reduce: types and lengths on the device") {
  check<std::int8_t>(20'000, 20'000, 0);
  check<std::uint16_t>(20'000, 12'345, 0);
  check<std::uint64_t>(10'000, 2048, 1);
  check<std::uint32_t>(10'000, 0, 0);
}

}  // namespace algorithms_segmented_reduce
