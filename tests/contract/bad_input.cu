// SPDX-License-Identifier: Apache-2.0
// Every call, of whichever algorithm, refuses memory that is written and also read, before any
// work. Counts and lengths on the device are such memory, too. Ranges that are only read may
// overlap. Ranges that touch: touching.cu; sorts: bad_sorts.cu.
#include <ballot/ballot.cuh>

#include "support/refused.hpp"
#include "support/schedules.hpp"

#include <numeric>
#include <string>

using namespace ballot;
using test::guarded;
using test::is_odd;
using test::last_digit;
using test::refused;

namespace contract_bad_input {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 320;

// The second word of a range, as the address of a count.
template <class T>
u64* inside(const guarded<T>& range) {
  return reinterpret_cast<u64*>(range.data()) + 1;
}

TEST_CASE("a count that a selection leaves must not overlap any other argument") {
  const guarded<u32> in(n), words(n / 32);
  const guarded<u8> bytes(n);
  guarded<u32> out(n), other(n);
  guarded<u64> counts(12);
  // `length`: of the input or null; `count`: where it is left.
  const auto all = [&](const u64* length, u64* count, const std::string& why) {
    const counted now{in, length};
    const byte_flags flags{bytes};
    refused("compact by flags", why, [&](const exec& gpu) { compact(gpu, now, flags, out, count); });
    refused("compact_indices", why, [&](const exec& gpu) { compact_indices(gpu, now, flags, out, count); });
    refused("count_if", why, [&](const exec& gpu) { count_if(gpu, zip{now, out}, flags, count); });
    refused("split", why, [&](const exec& gpu) { split(gpu, now, flags, out, other, count); });
    refused("split, one output", why, [&](const exec& gpu) { split(gpu, now, flags, out, count); });
    if (count != inside(bytes)) {  // calls without flags
      refused("compact", why, [&](const exec& gpu) { compact(gpu, now, is_odd{}, out, count); });
      refused("compact a zip", why, [&](const exec& gpu) {
        compact(gpu, zip{now, positions(n)}, on_first{is_odd{}}, zip{out, other}, count);
      });
      refused("unique", why, [&](const exec& gpu) { unique(gpu, now, out, count); });
      refused("unique_by_key", why, [&](const exec& gpu) { unique_by_key(gpu, now, positions(n), out, other, count); });
      refused("run_offsets", why, [&](const exec& gpu) { run_offsets(gpu, now, out, other, count); });
      refused("run_length_encode", why, [&](const exec& gpu) { run_length_encode(gpu, now, out, other, count); });
    }
  };
  all(counts.data(), counts.data(), "length`");
  all(nullptr, inside(in), "overlap");
  all(nullptr, inside(out), "overlap");
  all(nullptr, inside(bytes), "overlap");

  const auto in_place = [&](const u64* length, u64* count, const std::string& why) {
    refused("compact_in_place", why, [&](const exec& gpu) {
      compact_in_place(gpu, counted{out, length}, byte_flags{bytes}, count);
    });
    refused("compact_in_place of a zip", why, [&](const exec& gpu) {
      compact_in_place(gpu, zip{counted{other, length}, out}, byte_flags{bytes}, count);
    });
    refused("split_in_place", why, [&](const exec& gpu) {
      split_in_place(gpu, counted{out, length}, byte_flags{bytes}, count);
    });
    if (count != inside(bytes))
      refused("unique_in_place", why, [&](const exec& gpu) { unique_in_place(gpu, counted{out, length}, count); });
  };
  in_place(counts.data(), counts.data(), "`items.length`");
  in_place(inside(out), counts.data(), "`items.length`");
  in_place(nullptr, inside(out), "overlap");
  in_place(nullptr, inside(bytes), "overlap");

  u64* const many = counts.data();  // 12 of them, as offsets and as counts of rows
  const std::string length_within = "`in.length`";
  refused("multisplit", length_within, [&](const exec& gpu) {
    multisplit(gpu, counted{in, many + 3}, last_digit{}, 10, out, counts);
  });
  const guarded<u64> begins(12);
  refused("compact_segments", length_within, [&](const exec& gpu) {
    compact_segments(gpu, counted{in, many + 3}, begins, is_odd{}, out, counts);
  });
  row_layout layout{.rows = 10, .width = 30, .pitch = 32, .lengths = many};
  refused("compact_rows, counts", "overlap",
          [&](const exec& gpu) { compact_rows(gpu, in, layout, is_odd{}, out, counts); });
  layout.lengths = inside(out);
  refused("compact_rows, items", "overlap",
          [&](const exec& gpu) { compact_rows(gpu, in, layout, is_odd{}, out, counts); });
  refused("bit_ranks, bits", "overlap", [&](const exec& gpu) { bit_ranks(gpu, {words}, n, out, inside(words)); });
  refused("bit_ranks, ranks", "overlap", [&](const exec& gpu) { bit_ranks(gpu, {words}, n, out, inside(out)); });
  refused("word_ranks", "overlap",
          [&](const exec& gpu) { word_ranks(gpu, {words}, n, std::span(other.data(), n / 32), inside(words)); });
  CHECK(std::ranges::all_of(counts.read(), test::is_dirt<u64>));
}

TEST_CASE("a length on the device is apart from what is written") {
  const guarded<u32> in(n), values(n);
  const guarded<u8> bytes(n);
  const guarded<u64> length(1);
  guarded<u32> out(n), other(n), third(n), fourth(n), words(n / 32);
  guarded<u64> wide(n);
  const auto refuse = [&](const std::string& name, auto&& call) { refused(name, "overlaps", call); };
  const counted now{in, inside(out)}, beside{in, inside(other)};

  refused("compact", "`in.length`", [&](const exec& gpu) { compact(gpu, now, is_odd{}, out, wide.data()); });
  refused("split", "`in.length`", [&](const exec& gpu) { split(gpu, now, is_odd{}, other, out, wide.data()); });
  refused("flag_bits", "`in.length`", [&](const exec& gpu) {
    flag_bits(gpu, counted{in, inside(words)}, is_odd{}, words);
  });
  refused("unique", "`in.length`", [&](const exec& gpu) { unique(gpu, now, out, wide.data()); });

  refused("sort", "`keys.length`", [&](const exec& gpu) { sort(gpu, now, out); });
  refused("sort_in_place", "`keys.length`", [&](const exec& gpu) { sort_in_place(gpu, counted{out, inside(out)}); });
  refused("sort_pairs, keys", "`keys.length`", [&](const exec& gpu) { sort_pairs(gpu, now, values, out, other); });
  refused("sort_pairs, values", "`keys.length`", [&](const exec& gpu) { sort_pairs(gpu, beside, values, out, other); });
  refused("sort_pairs_in_place, keys", "`keys.length`", [&](const exec& gpu) {
    sort_pairs_in_place(gpu, counted{out, inside(out)}, other);
  });
  refused("sort_pairs_in_place, values", "`keys.length`", [&](const exec& gpu) {
    sort_pairs_in_place(gpu, counted{out, inside(other)}, other);
  });
  refused("argsort", "`keys.length`", [&](const exec& gpu) { argsort(gpu, now, out); });
  refused("argsort with keys, keys", "`keys.length`", [&](const exec& gpu) { argsort(gpu, now, out, other); });
  refused("argsort with keys, indices", "`keys.length`", [&](const exec& gpu) { argsort(gpu, beside, out, other); });
  refused("sort_by", "`items.length`", [&](const exec& gpu) { sort_by(gpu, now, last_digit{}, out); });
  refused("argsort_by", "`items.length`", [&](const exec& gpu) { argsort_by(gpu, now, last_digit{}, out); });
  refused("argsort_further", "`keys.length`", [&](const exec& gpu) { argsort_further(gpu, now, out); });
  refused("argsort_by_columns", "`columns.length`", [&](const exec& gpu) { argsort_by_columns(gpu, out, now, now); });
  refused("sort_ping_pong, a", "`a.length`", [&](const exec& gpu) {
    sort_ping_pong(gpu, counted{out, inside(out)}, other);
  });
  refused("sort_ping_pong, b", "`a.length`", [&](const exec& gpu) {
    sort_ping_pong(gpu, counted{out, inside(other)}, other);
  });
  for (const guarded<u32>* range : {&out, &other, &third, &fourth})
    refused("sort_pairs_ping_pong", "`a.length`", [&](const exec& gpu) {
      sort_pairs_ping_pong(gpu, counted{out, inside(*range)}, other, third, fourth);
    });
  refused("segmented_sort", "`keys.length`", [&](const exec& gpu) { segmented_sort(gpu, now, values, out); });
  refused("segmented_sort, offsets", "`offsets.length`", [&](const exec& gpu) {
    segmented_sort(gpu, in, counted{values, inside(out)}, out);
  });
  for (const u64* at : {inside(out), inside(other)}) {
    refused("segmented_sort_pairs", "`keys.length`", [&](const exec& gpu) {
      segmented_sort_pairs(gpu, counted{in, at}, values, values, out, other);
    });
    refused("segmented_sort_pairs, offsets", "`offsets.length`", [&](const exec& gpu) {
      segmented_sort_pairs(gpu, in, values, counted{values, at}, out, other);
    });
  }

  refuse("inclusive_scan", [&](const exec& gpu) { inclusive_scan(gpu, now, out); });
  refuse("exclusive_scan", [&](const exec& gpu) { exclusive_scan(gpu, now, out); });
  refuse("counts_to_offsets", [&](const exec& gpu) {
    counts_to_offsets(gpu, counted{std::span(in.data(), n - 1), inside(out)}, out);
  });
  refuse("inclusive_scan_flags", [&](const exec& gpu) { inclusive_scan_flags(gpu, counted{bytes, inside(out)}, out); });
  refuse("a total", [&](const exec& gpu) {
    inclusive_scan(gpu, counted{in, length.data()}, wide, {.total = length.data()});
  });
  const byte_flags heads{bytes};
  refuse("segmented_inclusive_scan", [&](const exec& gpu) { segmented_inclusive_scan(gpu, now, heads, out); });
  refuse("segmented_exclusive_scan_backward",
         [&](const exec& gpu) { segmented_exclusive_scan_backward(gpu, now, heads, out); });
  refuse("segmented_exclusive_scan, in place", [&](const exec& gpu) {
    segmented_exclusive_scan(gpu, counted{out, inside(out)}, heads, out);
  });
  refuse("segmented scan by offsets",
         [&](const exec& gpu) { segmented_inclusive_scan(gpu, now, segment_offsets{values}, out); });
  refuse("segmented scan, offsets", [&](const exec& gpu) {
    segmented_inclusive_scan(gpu, in, segment_offsets{counted{values, inside(out)}}, out);
  });
  refuse("blockwise_inclusive_scan", [&](const exec& gpu) { blockwise_inclusive_scan(gpu, now, out, 32); });
  refuse("blockwise_exclusive_scan", [&](const exec& gpu) { blockwise_exclusive_scan(gpu, now, out, 1'000'000); });

  u64* const result = length.data();
  const counted some{in, result};
  refuse("sum", [&](const exec& gpu) { sum(gpu, some, result); });
  refuse("reduce", [&](const exec& gpu) { reduce(gpu, some, u64{1}, maximum{}, result); });
  refuse("minimum_of", [&](const exec& gpu) { minimum_of(gpu, some, result); });
  refuse("maximum_of", [&](const exec& gpu) { maximum_of(gpu, some, result); });
  const auto place = reinterpret_cast<indexed<u32>*>(wide.data());
  refuse("arg_min", [&](const exec& gpu) { arg_min(gpu, counted{in, wide.data() + 1}, place); });
  refuse("arg_max", [&](const exec& gpu) { arg_max(gpu, counted{in, wide.data()}, place); });
  CHECK(test::is_dirt(length.read()[0]));
}

TEST_CASE("what is only read may overlap") {
  // Items that are their own length, flags, values and offsets.
  std::vector<u64> items(n);
  std::iota(items.begin(), items.end(), u64{0});
  const u64 there = 200;
  std::vector<u64> odd;
  for (u64 x = 1; x < there; x += 2) odd.push_back(x);
  test::for_each_schedule([&] {
    const guarded<u64> in(items);
    const counted now{in, in.data() + there};
    guarded<u64> out(n), second(n), count(1);
    const exec where = allocating(test::test_stream());
    const auto begins_with = [&](const guarded<u64>& found, const std::vector<u64>& want) {
      const std::vector<u64> got = found.read();
      CHECK(std::equal(want.begin(), want.end(), got.begin()));
      CHECK(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(want.size()), got.end(), test::is_dirt<u64>));
    };
    compact(where, zip{now, in}, on_first{is_odd{}}, zip{out, second}, count.data());
    CHECK(count.read()[0] == odd.size());
    begins_with(out, odd), begins_with(second, odd);

    const byte_flags low_bytes{{reinterpret_cast<const u8*>(in.data()), n}};  // one in 8 of them is not 0
    count_if(where, now, low_bytes, count.data());
    CHECK(count.read()[0] == (there + 7) / 8 - 1);

    const std::vector<u64> first(items.begin(), items.begin() + there);
    out.fill_dirt(), second.fill_dirt();
    segmented_sort_pairs(where, now, in, now, out, second);
    begins_with(out, first), begins_with(second, first);
    out.fill_dirt(), second.fill_dirt();
    sort_pairs(where, now, in, out, second);
    begins_with(out, first), begins_with(second, first);
    out.fill_dirt();
    argsort_by_columns(where, out, now, column{now, {.bits = {0, 8}}});
    begins_with(out, first);
  });
}

TEST_CASE("more items than offsets and lengths count") {
  const guarded<u8> in(n);
  const std::span<const u8> many(in.data(), std::size_t{1} << 32);  // nobody reads them,
  u64* const count = reinterpret_cast<u64*>(256);                   // and nobody writes here
  const std::span<u32> offsets(reinterpret_cast<u32*>(512), 2), no_lengths;
  const std::span<u8> no_items;
  refused("run_length_encode", "for more items than they count",
          [&](const exec& gpu) { run_length_encode(gpu, many, no_items, no_lengths, count); });
  refused("run_offsets", "for more items than they count",
          [&](const exec& gpu) { run_offsets(gpu, many, no_items, no_lengths, count); });
  const std::span<const u32> old(reinterpret_cast<u32*>(768), 2);
  refused("compact_segments", "for more items than they count",
          [&](const exec& gpu) { compact_segments(gpu, many, old, is_odd{}, no_items, offsets); });
}

TEST_CASE("an empty range within another does not overlap it") {
  guarded<u32> out(n);
  guarded<u64> count(1);
  const exec where = allocating(test::test_stream());
  CHECK_NOTHROW(compact(where, std::span<const u32>(out.data() + 3, 0), is_odd{}, out, count.data()));
  CHECK(count.read()[0] == 0);
}

}  // namespace contract_bad_input
