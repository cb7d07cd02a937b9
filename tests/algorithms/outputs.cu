// SPDX-License-Identifier: Apache-2.0
// Selections into output views against loops over the same items: converted, discarded, appended at
// offsets that only the device knows, nested; and what all calls refuse of output views.
#include <ballot/compact.cuh>
#include <ballot/gather.cuh>
#include <ballot/outputs.cuh>
#include <ballot/reduce_by_key.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_reduce.cuh>
#include <ballot/split.cuh>
#include <ballot/unique.cuh>
#include <ballot/views.cuh>

#include "support/odd_items.hpp"
#include "support/output_items.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::check_items;
using test::grows;
using test::guarded;
using test::is_odd;
using test::items_with_flags;
using test::mapped;
using test::refused;
using test::tenth;

namespace algorithms_outputs {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

using shapes = detail::partition_shapes<detail::rejects::second_output, false, u32>;

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
  refused("segmented_reduce", "overlap", [&](const exec& gpu) {
    segmented_reduce(gpu, in, segment_offsets{std::span<const u32>(out)}, converting<u32>(out));
  });
  refused("segmented_reduce, offset", "out.offset", [&](const exec& gpu) {
    segmented_reduce(gpu, in, row_length(10), appended{std::span<u32>(offset.data(), n), offset.data()});
  });
  refused("segmented_reduce, room", "`out` has 499",
          [&](const exec& gpu) { segmented_reduce(gpu, in, row_length(10), discarded<u32>(n / 10 - 1)); });
  refused("gather", "overlap", [&](const exec& gpu) { gather(gpu, out, in, converting<u32>(out)); });
  refused("gather, room", "`out` has 4999", [&](const exec& gpu) { gather(gpu, in, in, discarded<u32>(n - 1)); });
  refused("scatter", "overlap", [&](const exec& gpu) { scatter(gpu, in, out, converting<u32>(out)); });
  CHECK(test::is_dirt(count.read()[0]));
}

}  // namespace algorithms_outputs
