// SPDX-License-Identifier: Apache-2.0
// Selections into output views against loops over the same items: converted, discarded, appended at offsets that only
// the device knows, nested; split to both ends; and what is refused.
#include <ballot/compact.cuh>
#include <ballot/gather.cuh>
#include <ballot/outputs.cuh>
#include <ballot/reduce_by_key.cuh>
#include <ballot/scan.cuh>
#include <ballot/split.cuh>
#include <ballot/unique.cuh>
#include <ballot/views.cuh>

#include "support/odd_items.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::guarded;
using test::is_odd;
using test::items_with_flags;
using test::refused;

namespace algorithms_outputs {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

using shapes = detail::partition_shapes<detail::rejects::second_output, false, u32>;

struct tenth {
  __host__ __device__ float operator()(u32 x) const { return static_cast<float>(x % 1000) / 10; }
};
// Not callable as const: each call is made on a fresh copy.
struct grows {
  u32 by = 3;
  __host__ __device__ u64 operator()(u32 x) { return u64{x} << 8 | by++; }
};
struct thrice {
  __host__ __device__ u32 operator()(u32 x) const { return 3 * x; }
};
struct three {
  u32 a, b, c;
  friend bool operator==(const three&, const three&) = default;
};
struct first_is_odd {
  __host__ __device__ bool operator()(const three& x) const { return x.a % 2 != 0; }
};
struct wide {
  u64 words[5];
  friend bool operator==(const wide&, const wide&) = default;
};
struct widened {
  __host__ __device__ wide operator()(u32 x) const { return {{x, u64{x} << 1, u64{x} << 2, u64{x} << 3, 7}}; }
};
// A caller's own: item i goes to row i % 2 of two.
struct two_rows {
  using value_type = u32;
  u32* first;
  u32* second;
  u64 items;
  u64 size() const { return items; }
  __device__ void store(u64 i, u32 item) const {
    u32* const row = i % 2 == 0 ? first : second;
    row[i / 2] = item;
  }
};

// The first items of an output; the others are dirt.
template <class T>
void check_items(const guarded<T>& of, const std::vector<T>& want, std::size_t begin = 0) {
  const auto items = of.read();
  bool same = true, others_are_dirt = true;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (i >= begin && i - begin < want.size()) same &= items[i] == want[i - begin];
    else others_are_dirt &= test::is_dirt(items[i]);
  CHECK(same);
  CHECK(others_are_dirt);
}
template <class To, class From, class F>
std::vector<To> mapped(const std::vector<From>& items, F f) {
  std::vector<To> all;
  for (const From& x : items) all.push_back(static_cast<To>(f(x)));
  return all;
}

TEST_CASE("selections into outputs that convert and outputs that are discarded") {
  for (const std::size_t n : test::lengths_around(shapes::small::items)) {
    CAPTURE(n);
    const auto items = items_with_flags<u32>(test::make_flags(test::flag_patterns[5], n));
    std::vector<u32> odd, even;
    for (const u32 x : items) (x % 2 != 0 ? odd : even).push_back(x);
    test::for_some_schedules([&] {
      const guarded<u32> in(items);
      guarded<float> tenths(n);
      guarded<u64> grown(n), count(1);
      guarded<u8> bytes(n, 1);
      guarded<u32> out(n), others(n);
      const test::unaligned_scratch scratch(split_scratch_bytes<u32, u32>(n));
      const exec gpu = scratch.where();
      const auto check_count = [&](std::size_t want) { CHECK(count.read()[0] == want); };
      test::directly_and_captured(
          [&] { tenths.fill_dirt(), bytes.fill_dirt(), count.fill_dirt(); },
          [&] { split(gpu, in, is_odd{}, converting<u32>(tenths, tenth{}), converting<u32>(bytes), count.data()); },
          [&] {
            check_count(odd.size());
            check_items(tenths, mapped<float>(odd, tenth{}));
            check_items(bytes, mapped<u8>(even, [](u32 x) { return x; }));
          });
      test::directly_and_captured([&] { out.fill_dirt(), count.fill_dirt(); },
                                  [&] { split(gpu, in, is_odd{}, discarded<u32>(n), out, count.data()); },
                                  [&] { check_count(odd.size()), check_items(out, even); });
      test::directly_and_captured([&] { grown.fill_dirt(), out.fill_dirt(), count.fill_dirt(); },
                                  [&] {
                                    compact(gpu, zip{in, positions(n)}, on_first{is_odd{}},
                                            zip{converting<u32>(grown, grows{}), out}, count.data());
                                  },
                                  [&] {
                                    check_count(odd.size());
                                    check_items(grown, mapped<u64>(odd, [](u32 x) { return u64{x} << 8 | 3; }));
                                  });
      // Into one output: the rejected items behind the selected ones.
      grown.fill_dirt();
      split(gpu, in, is_odd{}, converting<u32>(grown), count.data());
      auto both = odd;
      both.insert(both.end(), even.begin(), even.end());
      check_items(grown, mapped<u64>(both, [](u32 x) { return x; }));
      scratch.check_guards();
    });
  }
}

TEST_CASE("outputs of a caller's own, of larger items, and shorter ones") {
  const std::size_t n = 3 * shapes::small::items + 7;
  const auto items = items_with_flags<u32>(test::make_flags(test::flag_patterns[5], n));
  std::vector<u32> odd;
  for (const u32 x : items)
    if (x % 2 != 0) odd.push_back(x);
  REQUIRE(odd.size() > 200);
  test::for_each_schedule([&] {
    const guarded<u32> in(items);
    guarded<u32> first(n), second(n);
    guarded<wide> large(n);
    guarded<u64> count(1);
    const exec gpu = allocating(test::test_stream());
    compact(gpu, in, is_odd{}, two_rows{first.data(), second.data(), n}, count.data());
    CHECK(count.read()[0] == odd.size());
    std::vector<u32> rows[2];
    for (std::size_t i = 0; i < odd.size(); ++i) rows[i % 2].push_back(odd[i]);
    check_items(first, rows[0]);
    check_items(second, rows[1]);
    compact(gpu, in, is_odd{}, converting<u32>(large, widened{}), count.data());
    check_items(large, mapped<wide>(odd, widened{}));
    const std::span<wide> front(large.data(), 100);
    large.fill_dirt();
    compact(gpu, in, is_odd{}, converting<u32>(front, widened{}), count.data());
    CHECK(count.read()[0] == odd.size());
    check_items(large, mapped<wide>(std::vector<u32>(odd.begin(), odd.begin() + 100), widened{}));
  });
}

template <class Offset>
void check_appended(Offset before) {
  const std::size_t n = 2 * shapes::small::items + 33, room = n + 50;
  CAPTURE(before);
  const auto items = items_with_flags<u32>(test::make_flags(test::flag_patterns[5], n));
  std::vector<u32> odd;
  std::vector<u64> places;
  for (std::size_t i = 0; i < n; ++i)
    if (items[i] % 2 != 0) odd.push_back(items[i]), places.push_back(i);
  const auto at = static_cast<std::size_t>(std::clamp(static_cast<i64>(before), i64{0}, static_cast<i64>(room)));
  const auto fitting = [&](const auto& all) {
    return std::remove_cvref_t<decltype(all)>(all.begin(),
                                              all.begin() + std::ptrdiff_t(std::min(all.size(), room - at)));
  };
  test::for_some_schedules([&] {
    const guarded<u32> in(items);
    guarded<u32> out(room);
    guarded<i64> indices(room, 1);
    guarded<u64> doubled(room);
    guarded<Offset> offset(std::vector<Offset>{before});
    guarded<u32> count(1);
    const test::unaligned_scratch scratch(compact_scratch_bytes<u32>(n));
    test::directly_and_captured([&] { out.fill_dirt(), count.fill_dirt(); },
                                [&] {
                                  compact(scratch.where(), in, is_odd{}, appended{out, offset.data()}, count.data());
                                },
                                [&] {
                                  CHECK(count.read()[0] == odd.size());
                                  check_items(out, fitting(odd), at);
                                });
    const exec gpu = allocating(test::test_stream());
    compact_indices(gpu, in, is_odd{}, appended{indices, offset.data()}, count.data());
    check_items(indices, fitting(mapped<i64>(places, [](u64 i) { return i; })), at);
    // Nested, both ways round.
    compact(gpu, in, is_odd{}, converting<u32>(appended{doubled, offset.data()}), count.data());
    check_items(doubled, fitting(mapped<u64>(odd, [](u32 x) { return x; })), at);
    doubled.fill_dirt();
    compact(gpu, in, is_odd{}, appended{converting<u32>(doubled, grows{}), offset.data()}, count.data());
    check_items(doubled, fitting(mapped<u64>(odd, [](u32 x) { return u64{x} << 8 | 3; })), at);
  });
}

TEST_CASE("selections that append at an offset on the device") {
  for (const u32 before : {0u, 1u, 57u, 900u, 100'000u}) check_appended<u32>(before);
  for (const i64 before : {i64{-5}, i64{12}}) check_appended<i64>(before);
}

TEST_CASE("lists that are appended one behind the other, by the counts of the calls before") {
  const std::size_t n = 3000;
  const auto items = items_with_flags<u32>(test::make_flags(test::flag_patterns[5], n));
  std::vector<u32> want;
  for (int round = 0; round < 2; ++round)
    for (const u32 x : items)
      if (x % 2 != 0) want.push_back(x);
  test::for_each_schedule([&] {
    const guarded<u32> in(items);
    guarded<u32> out(2 * n), counts(2);
    const exec gpu = allocating(test::test_stream());
    compact(gpu, in, is_odd{}, out, counts.data());
    compact(gpu, in, is_odd{}, appended{out, counts.data()}, counts.data() + 1);
    CHECK(counts.read() == std::vector<u32>(2, static_cast<u32>(want.size() / 2)));
    check_items(out, want);
  });
}

TEST_CASE("runs into output views") {
  const std::size_t n = 2 * shapes::small::items + 5;
  std::vector<u32> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<u32>(i / 3 * i / 1000);
  std::vector<u32> heads, lengths;
  std::vector<u64> begins;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || items[i] != items[i - 1]) heads.push_back(items[i]), lengths.push_back(0), begins.push_back(i);
    ++lengths.back();
  }
  test::for_each_schedule([&] {
    const guarded<u32> in(items), offset(std::vector<u32>{11});
    guarded<u64> wide_heads(n), places(n), count(1);
    guarded<std::int32_t> appended_lengths(n + 11);
    guarded<double> floating(n);
    guarded<u32> offsets(n + 1);
    const exec gpu = allocating(test::test_stream());
    unique(gpu, in, converting<u32>(wide_heads), count.data());
    CHECK(count.read()[0] == heads.size());
    check_items(wide_heads, mapped<u64>(heads, [](u32 x) { return x; }));
    wide_heads.fill_dirt();
    unique_by_key(gpu, in, positions(n), discarded<u32>(n), converting<u32>(places), count.data());
    check_items(places, begins);
    run_length_encode(gpu, in, converting<u32>(floating, tenth{}), appended{appended_lengths, offset.data()},
                      count.data());
    check_items(floating, mapped<double>(heads, tenth{}));
    check_items(appended_lengths, mapped<std::int32_t>(lengths, [](u32 x) { return x; }), 11);
    run_offsets(gpu, in, converting<u32>(wide_heads), offsets, count.data());
    check_items(wide_heads, mapped<u64>(heads, [](u32 x) { return x; }));
    CHECK(offsets.read()[heads.size()] == n);
  });
}

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
      guarded<u64> wide(n), appended_sums(n + 20);
      guarded<u32> total(1);
      guarded<double> total_of_floats(1);
      const test::unaligned_scratch scratch(scan_scratch_bytes<double>(n)), of_u32(scan_scratch_bytes<u32>(n));
      test::directly_and_captured([&] { floats.fill_dirt(); },
                                  [&] { inclusive_scan(scratch.where(), in, converting<double>(floats)); },
                                  [&] { check_items(floats, mapped<float>(inclusive, [](double x) { return x; })); });
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
            want.resize(std::min(want.size(), appended_sums.size() - 17));
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

TEST_CASE("output views: bad arguments are errors before any work") {
  const std::size_t n = 5000;
  const guarded<u32> in(std::vector<u32>(n, 1));
  guarded<u32> out(n), offset(std::vector<u32>{0});
  guarded<u64> count(1);
  const u32* const none = nullptr;
  refused("appended", "`offset` is null", [&](const exec&) { appended(out, none); });
  refused("compact", "overlap",
          [&](const exec& gpu) { compact(gpu, out, is_odd{}, converting<u32>(out), count.data()); });
  refused("compact", "`out` column 1", [&](const exec& gpu) {
    compact(gpu, zip{in, in}, on_first{is_odd{}}, zip{out, converting<u32>(out)}, count.data());
  });
  refused("compact", "out.offset", [&](const exec& gpu) {
    compact(gpu, in, is_odd{}, appended{out, offset.data()}, offset.data());
  });
  refused("compact", "out.offset", [&](const exec& gpu) {
    compact(gpu, in, is_odd{}, appended{out, out.data() + 3}, count.data());
  });
  refused("compact", "null", [&](const exec& gpu) {
    compact(gpu, in, is_odd{}, converting<u32>(std::span<u64>(static_cast<u64*>(nullptr), n)), count.data());
  });
  refused("split", "overlap", [&](const exec& gpu) {
    split(gpu, in, is_odd{}, out, appended{out, offset.data()}, count.data());
  });
  refused("unique", "overlap", [&](const exec& gpu) { unique(gpu, out, converting<u32>(out), count.data()); });
  refused("run_length_encode", "lengths.offset", [&](const exec& gpu) {
    run_length_encode(gpu, in, std::span<u32>{}, appended{out, offset.data()}, offset.data());
  });
  const std::span<u32> shorter(out.data(), n - 1);
  refused("split_to_both_ends", "`out` has 4999",
          [&](const exec& gpu) { split_to_both_ends(gpu, in, is_odd{}, shorter, count.data()); });
  refused("split_to_both_ends", "overlap",
          [&](const exec& gpu) { split_to_both_ends(gpu, out, is_odd{}, out, count.data()); });
  refused("split_to_both_ends", "`count`",
          [&](const exec& gpu) { split_to_both_ends(gpu, in, is_odd{}, out, nullptr); });
  refused("inclusive_scan", "overlap", [&](const exec& gpu) { inclusive_scan(gpu, out, converting<u32>(out)); });
  refused("inclusive_scan, view", "overlap",
          [&](const exec& gpu) { inclusive_scan(gpu, reversed{out}, converting<u32>(out)); });
  refused("exclusive_scan, room", "`out` has room for 4999 items, `in` has 5000",
          [&](const exec& gpu) { exclusive_scan(gpu, in, converting<u32>(shorter)); });
  refused("exclusive_scan, total", "overlap",
          [&](const exec& gpu) { exclusive_scan(gpu, in, converting<u32>(out), {.total = out.data() + 4}); });
  refused("exclusive_scan, total at the offset", "out.offset", [&](const exec& gpu) {
    exclusive_scan(gpu, in, appended{out, offset.data()}, {.total = offset.data()});
  });
  refused("reduce_by_key", "overlap",
          [&](const exec& gpu) { reduce_by_key(gpu, in, in, converting<u32>(out), out, count.data()); });
  refused("reduce_by_key, offset", "results.offset", [&](const exec& gpu) {
    reduce_by_key(gpu, in, in, discarded<u32>(n), appended{out, offset.data()}, offset.data());
  });
  refused("gather", "overlap", [&](const exec& gpu) { gather(gpu, out, in, converting<u32>(out)); });
  refused("gather, room", "`out` has 4999", [&](const exec& gpu) { gather(gpu, in, in, discarded<u32>(n - 1)); });
  refused("scatter", "overlap", [&](const exec& gpu) { scatter(gpu, in, out, converting<u32>(out)); });
  CHECK(test::is_dirt(count.read()[0]));
}

}  // namespace algorithms_outputs
