// SPDX-License-Identifier: Apache-2.0
// The split whose rejected items come from the end, in reverse, against a loop over the same items.
#include <ballot/outputs.cuh>
#include <ballot/split.cuh>
#include <ballot/views.cuh>

#include "support/odd_items.hpp"
#include "support/output_items.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::check_items;
using test::guarded;
using test::is_odd;
using test::items_with_flags;
using test::mapped;

namespace algorithms_split_to_both_ends {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct three {
  u32 a, b, c;
  friend bool operator==(const three&, const three&) = default;
};
struct first_is_odd {
  __host__ __device__ bool operator()(const three& x) const { return x.a % 2 != 0; }
};
TEST_CASE_TEMPLATE("split to both ends", T, u8, u32, three) {
  using small = typename detail::partition_shapes<detail::rejects::second_output, false, T>::small;
  const auto make = [](u32 x) {
    if constexpr (std::is_same_v<T, three>) return three{x, x + 1, x + 2};
    else return static_cast<T>(x);
  };
  using odd_first = std::conditional_t<std::is_same_v<T, three>, first_is_odd, is_odd>;
  for (const std::size_t n : test::lengths_around(small::items)) {
    CAPTURE(n);
    const auto flags = test::make_flags(test::flag_patterns[5], n);
    const auto numbers = items_with_flags<u32>(flags);
    std::vector<T> items = mapped<T>(numbers, make), want;
    std::vector<u32> places;
    for (std::size_t i = 0; i < n; ++i)
      if (flags[i]) want.push_back(items[i]), places.push_back(static_cast<u32>(i));
    const std::size_t selected = want.size();
    for (std::size_t i = n; i-- > 0;)
      if (!flags[i]) want.push_back(items[i]), places.push_back(static_cast<u32>(i));
    test::for_some_schedules([&] {
      const guarded<T> in(items);
      const guarded<u32> bits(test::as_bits(flags));
      guarded<T> out(n), second(n);
      guarded<u32> at(n);
      guarded<u64> count(1), length(1);
      const test::unaligned_scratch scratch(split_scratch_bytes<T, u32>(n));
      const exec gpu = scratch.where();
      const auto before = [&] { out.fill_dirt(), at.fill_dirt(), count.fill_dirt(); };
      const auto check = [&] {
        CHECK(count.read()[0] == selected);
        CHECK(out.read() == want);
      };
      test::directly_and_captured(
          before, [&] { split_to_both_ends(gpu, in, odd_first{}, out, count.data()); }, check);
      test::directly_and_captured(
          before,
          [&] {
            split_to_both_ends(gpu, zip{in, positions(n)}, bit_flags{bits}, zip{out, at}, count.data());
          },
          [&] {
            check();
            CHECK(at.read() == places);
          });
      // Of a length on the device, from the end of the items that are there.
      const std::size_t there = n / 3;
      length.write({there});
      std::vector<T> fewer;
      for (std::size_t i = 0; i < there; ++i)
        if (flags[i]) fewer.push_back(items[i]);
      for (std::size_t i = there; i-- > 0;)
        if (!flags[i]) fewer.push_back(items[i]);
      split_to_both_ends(gpu, counted{in, length.data()}, odd_first{}, second, count.data());
      check_items(second, fewer);
      scratch.check_guards();
    });
  }
}

TEST_CASE("split to both ends of an output that converts") {
  const std::size_t n = 5000;
  const auto items = items_with_flags<u32>(test::make_flags(test::flag_patterns[5], n));
  std::vector<u64> want;
  for (const u32 x : items)
    if (x % 2 != 0) want.push_back(x);
  for (std::size_t i = n; i-- > 0;)
    if (items[i] % 2 == 0) want.push_back(items[i]);
  const guarded<u32> in(items);
  guarded<u64> out(n), count(1);
  split_to_both_ends(allocating(test::test_stream()), in, is_odd{}, converting<u32>(out), count.data());
  CHECK(out.read() == want);
}

TEST_CASE("split to both ends of what is behind an offset: items that do not fit are dropped") {
  const std::size_t n = 1'000;
  const auto items = items_with_flags<u32>(test::make_flags(test::flag_patterns[5], n));
  test::for_some_schedules([&] {
    for (const u32 offset : {0u, 10u, 999u, 1'000u, 5'000u}) {
      CAPTURE(offset);
      const guarded<u32> in(items), begin(std::vector<u32>{offset});
      guarded<u32> out(n), count(1);
      guarded<u64> converted(n);
      auto want = out.read();
      std::size_t first = offset, last = offset + n;
      for (const u32 x : items)
        if (const std::size_t at = x % 2 != 0 ? first++ : --last; at < n) want[at] = x;
      const exec gpu = allocating(test::test_stream());
      split_to_both_ends(gpu, in, is_odd{}, appended{out, begin.data()}, count.data());
      CHECK(out.read() == want);
      CHECK(count.read()[0] == first - offset);
      split_to_both_ends(gpu, in, is_odd{}, converting<u32>(appended{converted, begin.data()}), count.data());
      const auto got = converted.read();
      for (std::size_t i = offset; i < n; ++i) CHECK(got[i] == want[i]);
    }
  });
}

}  // namespace algorithms_split_to_both_ends
