// SPDX-License-Identifier: Apache-2.0
// What segmented reductions ask of the runtime, what they refuse, and lengths on the device above
// the capacity.
#include <ballot/segmented_reduce.cuh>
#include <ballot/views.cuh>

#include "support/adjacent.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

#include <algorithm>

using namespace ballot;
using test::guarded;
using test::refused;

namespace contract_segmented_reduce {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 9000;

TEST_CASE("contract: segmented_reduce") {
  const guarded<u32> in(test::random_items<u32>(n, 1)), begins(std::vector<u32>{0, 7, 5000, n});
  const guarded<std::uint8_t> heads(n);
  guarded<u32> out(3), rows(9), flagged(n);
  guarded<indexed<u32>> least(9);
  device_value<u64> count(test::test_stream());
  const segment_offsets segments{begins};
  test::check_contract("by offsets", segmented_reduce_scratch_bytes<u32>(n), {1, 0},
                       [&](const exec& gpu) { segmented_reduce(gpu, in, segments, out); });
  test::check_contract("by rows", segmented_reduce_scratch_bytes<u32>(n), {1, 0},
                       [&](const exec& gpu) { segmented_reduce(gpu, in, row_length(1000), rows); });
  test::check_contract("by flags", segmented_reduce_by_flags_scratch_bytes<u32>(n), {2, 0},
                       [&](const exec& gpu) { segmented_reduce(gpu, in, byte_flags{heads}, flagged, count); });
  test::check_contract("segmented_arg_max", segmented_reduce_scratch_bytes<indexed<u32>>(n), {1, 0},
                       [&](const exec& gpu) { segmented_arg_max(gpu, in, row_length(1000), least); });
  test::check_contract("by offsets, of a view", segmented_reduce_scratch_bytes<u32>(n), {1, 0},
                       [&](const exec& gpu) { segmented_reduce(gpu, reversed{in}, segments, out); });
  test::check_contract("by rows, of a view", segmented_reduce_scratch_bytes<u32>(n), {1, 0}, [&](const exec& gpu) {
    segmented_reduce(gpu, constant{1u, n}, row_length(1000), rows);
  });
  test::check_contract(
      "by flags, of a view", segmented_reduce_by_flags_scratch_bytes<u32>(n), {2, 0},
      [&](const exec& gpu) { segmented_reduce(gpu, reversed{in}, byte_flags{heads}, flagged, count); });
  const std::size_t large = detail::most_items_of_long_without_parts + 1;
  const guarded<u32> more(large);
  test::check_contract("of few long segments", segmented_reduce_scratch_bytes<u32>(large), {2, 0},
                       [&](const exec& gpu) { segmented_reduce(gpu, more, segments, out); });
  guarded<u32> of_many(99);
  const guarded<u32> many(100);
  test::check_contract("of more items", segmented_reduce_scratch_bytes<u32>(large), {2, 0},
                       [&](const exec& gpu) { segmented_reduce(gpu, more, segment_offsets{many}, of_many); });
  const guarded<u32> even_more(detail::most_parts_of(large) + 2);
  guarded<u32> of_even_more(detail::most_parts_of(large) + 1);
  test::check_contract("of more segments", segmented_reduce_scratch_bytes<u32>(large), {2, 0},
                       [&](const exec& gpu) { segmented_reduce(gpu, more, segment_offsets{even_more}, of_even_more); });
  const std::size_t some = detail::most_items_without_parts + 1;
  const guarded<u32> short_begins(some / 32);
  guarded<u32> of_short(some / 32 - 1);
  test::check_contract("of short segments", segmented_reduce_scratch_bytes<u32>(some), {3, 0}, [&](const exec& gpu) {
    segmented_reduce(gpu, std::span<const u32>(more.data(), some), segment_offsets{short_begins}, of_short);
  });
  test::check_contract("of no segments", 0, {0, 0}, [&](const exec& gpu) {
    segmented_reduce(gpu, in, segment_offsets{std::span<const u32>{}}, std::span<u32>{});
    segmented_reduce(gpu, std::span<const u32>{}, row_length(5), std::span<u32>{});
  });
  test::check_contract("of no items", 0, {1, 0},
                       [&](const exec& gpu) { segmented_reduce(gpu, std::span<const u32>{}, segments, out); });
  test::check_contract("by flags, of no items", 0, {0, 1}, [&](const exec& gpu) {
    segmented_reduce(gpu, std::span<const u32>{}, byte_flags{}, flagged, count);
  });
}

// The names of the cases are cells of docs/reference.md (tests/house/reference_test.py).
TEST_CASE(
    "`segmented_reduce_scratch_bytes<T>(n)`: none up to 2^15 items, then 1024 results, or a list if it is larger (u32: "
    "0.006 n)") {
  CHECK(segmented_reduce_scratch_bytes<u32>(u64{1} << 15) == 0);
  CHECK(segmented_reduce_scratch_bytes<u32>(u64{1} << 17) <= 1024 * sizeof(u32) + 512);
  u64 before = 0;
  for (u64 items = 1; items < u64{1} << 40; items = items * 9 / 8 + 1) {
    const u64 bytes = segmented_reduce_scratch_bytes<u32>(items);
    CHECK(static_cast<double>(bytes) <= std::max(4608.0, 0.006 * static_cast<double>(items) + 2048));
    CHECK(bytes >= before);
    // As the header says.
    const u64 entries = items <= u64{1} << 23 ? 2 * detail::ceil_div(items, 8192)
                                              : std::max<u64>(2050, 2 * detail::ceil_div(items, 32'768));
    if (items > u64{1} << 20) CHECK(bytes - (20 + sizeof(u32)) * entries < 2048);
    // There is room for each window.
    for (const std::size_t item_bytes : {1, 4, 8, 32})
      if (items > detail::most_items_without_parts)
        CHECK(detail::most_windows_of(items) >=
              detail::ceil_div(items, u64{1} << detail::window_bits_of(items, item_bytes)));
    // The list holds the parts of every ascending list of offsets.
    if (items > detail::most_items_without_parts)
      CHECK(detail::most_parts_of(items) >= 2 * (items / (detail::part_items_of(items) + 1)));
    before = bytes;
  }
}
TEST_CASE("`segmented_reduce_by_flags_scratch_bytes<T>(n)`: 16 bytes a tile for each 8 of a result (u32: 0.005 n)") {
  CHECK(segmented_reduce_by_flags_scratch_bytes<u32>(0) == 0);
  u64 before = 0;
  for (u64 items = 1; items < u64{1} << 34; items = items * 3 / 2 + 1) {
    const u64 bytes = segmented_reduce_by_flags_scratch_bytes<u32>(items);
    CHECK(static_cast<double>(bytes) <= 0.005 * static_cast<double>(items) + 2304);
    CHECK(bytes >= before);
    before = bytes;
  }
}

TEST_CASE("segmented_reduce refuses bad arguments before any work") {
  guarded<u32> in(320), begins(17), out(16), few(15);
  guarded<u64> count(2);
  const guarded<std::uint8_t> heads(319);
  const segment_offsets segments{begins};
  const std::span<u32> null(static_cast<u32*>(nullptr), 16);
  refused("in is null", "`in` is null", [&](const exec& gpu) { segmented_reduce(gpu, null, segments, out); });
  refused("out is null", "`out` is null", [&](const exec& gpu) { segmented_reduce(gpu, in, segments, null); });
  refused("segments are null", "`segments` is null",
          [&](const exec& gpu) { segmented_reduce(gpu, in, segment_offsets{null}, few); });
  refused("another length", "`out` has 16 items, `segments` has 17",
          [&](const exec& gpu) { segmented_reduce(gpu, in, segments, few); });
  refused("rows of another length", "`out` has 16 items, `rows of in` has 32",
          [&](const exec& gpu) { segmented_reduce(gpu, in, row_length(10), out); });
  refused("rows of no items", "rows of no items",
          [&](const exec& gpu) { segmented_reduce(gpu, in, row_length(0), out); });
  refused("too few flags", "fewer flags",
          [&](const exec& gpu) { segmented_reduce(gpu, in, byte_flags{heads}, out, count.data()); });
  refused("no count", "`count` has no address", [&](const exec& gpu) {
    segmented_reduce(gpu, std::span<const u32>(in.data(), 319), byte_flags{heads}, out, nullptr);
  });
  refused("an array of a view is null", "`in` is null", [&](const exec& gpu) {
    segmented_reduce(gpu, gathered{in, null}, segments, out);
  });
  refused("out in an array of a view", "overlaps input `in`", [&](const exec& gpu) {
    segmented_reduce(gpu, gathered{in, out}, segments, out);
  });
  refused("out of rows in an array of a view", "overlaps input `in`", [&](const exec& gpu) {
    segmented_reduce(gpu, strided{out, 1}, row_length(1), out);
  });
  refused("out of flagged segments in an array of a view", "overlaps input `in`",
          [&](const exec& gpu) { segmented_reduce(gpu, reversed{out}, byte_flags{heads}, out, count.data()); });
  refused("more positions than their type counts", "more positions",
          [&](const exec& gpu) { segmented_reduce(gpu, positions<std::uint8_t>(300), segments, std::span(out)); });
  refused("rows of more positions than their type counts", "more positions", [&](const exec& gpu) {
    segmented_reduce(gpu, positions<std::uint8_t>(300), row_length(30), std::span(out).first(10));
  });
  refused("flagged positions, more than their type counts", "more positions", [&](const exec& gpu) {
    segmented_reduce(gpu, positions<std::uint8_t>(300), byte_flags{heads}, out, count.data());
  });
  u64* const inside = reinterpret_cast<u64*>(out.data()) + 1;
  refused("a length within out", "overlaps input `in`", [&](const exec& gpu) {
    segmented_reduce(gpu, counted{in, inside}, segments, out);
  });
  refused("segments within out", "overlaps input `segments`", [&](const exec& gpu) {
    segmented_reduce(gpu, in, segment_offsets{std::span<const u32>(out.data(), 17)}, out);
  });
  test::touching_and_overlapping("by offsets", 2, {320 * 4, 32 * 4, 31 * 8}, [](const exec& gpu, const auto& at) {
    segmented_reduce(gpu, at[0].template of<const u32>(), segment_offsets{at[1].template of<const u32>()},
                     at[2].template of<u64>());
  });
  test::touching_and_overlapping("by flags", 2, {320 * 4, 320, 320 * 4, 8}, [](const exec& gpu, const auto& at) {
    segmented_reduce(gpu, at[0].template of<const u32>(), byte_flags{at[1].template of<const std::uint8_t>()},
                     at[2].template of<u32>(), at[3].word());
  });
}

TEST_CASE("segmented_reduce: more segments than a grid has blocks for") {
  const u64 most = ((u64{1} << 31) - 1) * 256;
  const auto far_away = [](u64 items, unsigned number) {
    return std::span<u32>(reinterpret_cast<u32*>(u64{1} << (50 + number)), items);  // nobody looks at them
  };
  refused("segmented_reduce", "more items than one grid", [&](const exec& gpu) {
    segmented_reduce(gpu, far_away(5, 0), segment_offsets{far_away(most + 2, 1)}, far_away(most + 1, 2));
  });
}

TEST_CASE("segmented_reduce: a count above the capacity is the capacity") {
  const guarded<u32> in(test::random_items<u32>(n, 2)), begins(std::vector<u32>{0, 7, 5000, n});
  guarded<u32> out(3);
  const exec gpu = allocating(test::test_stream());
  segmented_reduce(gpu, in, segment_offsets{begins}, out);
  const auto want = out.read();
  for (const u64 above : {~u64{0}, u64{n} + 1}) {
    const guarded<u64> length(std::vector<u64>{above});
    out.fill_dirt();
    segmented_reduce(gpu, counted{in, length.data()}, segment_offsets{counted{begins, length.data()}}, out);
    CHECK(out.read() == want);
  }
}

}  // namespace contract_segmented_reduce
