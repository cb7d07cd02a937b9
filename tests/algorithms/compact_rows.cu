// SPDX-License-Identifier: Apache-2.0
// Batched compaction against a loop over rows: short and long rows, pitches that break vectors,
// lengths of each row, flags, zips, errors.
#include <ballot/compact_rows.cuh>

#include "support/device_data.hpp"
#include "support/odd_items.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::is_odd;

namespace algorithms_compact_rows {

struct batch {
  std::size_t rows, width, pitch;
  std::size_t items() const { return rows == 0 ? 0 : (rows - 1) * pitch + width; }
};

// The contents of `out` afterwards, if it held dirt before.
template <class T, class Select>
std::vector<T> serial_rows(const std::vector<T>& in, const batch& of, const std::vector<std::uint64_t>& lengths,
                           const T& dirt, const Select& select, std::vector<std::uint64_t>& counts) {
  std::vector<T> out(in.size(), dirt);
  counts.assign(of.rows, 0);
  for (std::size_t r = 0; r < of.rows; ++r)
    for (std::size_t i = 0; i < std::min<std::size_t>(of.width, lengths[r]); ++i)
      if (select(r * of.pitch + i)) out[r * of.pitch + counts[r]++] = in[r * of.pitch + i];
  return out;
}

TEST_CASE("rows of one tile, of several, of lengths on the device") {
  using T = std::uint32_t;
  using shapes = detail::row_shapes<T>;
  const std::size_t small = shapes::small::items, large = shapes::large::items;
  for (const batch& of :
       {batch{1, 7, 7}, batch{90, 33, 33}, batch{5, small, small + 3}, batch{3, small + 1, small + 32},
        batch{2, 2 * large + 9, 2 * large + 10}, batch{4, 0, 8}, batch{0, 5, 5}}) {
    CAPTURE(of.rows);
    CAPTURE(of.width);
    const auto items = test::random_items<T>(of.items(), 3);
    std::vector<std::uint64_t> all(of.rows, of.width), some(of.rows), counts;
    for (std::size_t r = 0; r < of.rows; ++r) some[r] = r % 4 == 0 ? 0 : r % 4 == 1 ? of.width * 2 : of.width / r;
    test::for_each_schedule([&] {
      const test::guarded<T> in(items, of.rows % 2);
      const test::guarded<std::uint64_t> length(some);
      test::guarded<T> out(items.size());
      const T dirt = out.read().empty() ? T{} : out.read()[0];
      test::guarded<std::uint64_t> count(of.rows);
      row_layout layout{of.rows, of.width, of.pitch};
      const test::unaligned_scratch scratch(compact_rows_scratch_bytes<T>(layout));
      for (const auto* lengths : {&all, &some}) {
        layout.lengths = lengths == &all ? nullptr : length.data();
        const auto want = serial_rows(
            items, of, *lengths, dirt, [&](std::size_t i) { return items[i] % 2 != 0; }, counts);
        test::directly_and_captured([&] { out.fill_dirt(), count.fill_dirt(); },
                                    [&] { compact_rows(scratch.where(), in, layout, is_odd{}, out, count); },
                                    [&] {
                                      CHECK(count.read() == counts);
                                      CHECK(out.read() == want);
                                    });
      }
      scratch.check_guards();
    });
  }
}

TEST_CASE("rows of two arrays by flags, with pitches that fit vectors and that do not") {
  for (const batch& of : {batch{9, 100, 101}, batch{9, 100, 128}, batch{3, 2000, 2016}}) {
    CAPTURE(of.pitch);
    const std::size_t n = of.items();
    const auto a = test::random_items<std::uint32_t>(n, 1);
    const auto b = test::random_items<std::uint8_t>(n, 2);
    const auto flags = test::make_flags(test::flag_patterns[6], n);
    std::vector<std::uint8_t> bytes(n);
    std::vector<std::uint32_t> words((n + 31) / 32, 0);
    for (std::size_t i = 0; i < n; ++i)
      if ((bytes[i] = flags[i]) != 0) words[i / 32] |= 1u << i % 32;
    const std::vector<std::uint64_t> all(of.rows, of.width);
    std::vector<std::uint64_t> counts;
    test::for_each_schedule([&] {
      const test::guarded<std::uint32_t> in(a), word(words);
      const test::guarded<std::uint8_t> other(b), byte(bytes);
      test::guarded<std::uint32_t> out(n);
      test::guarded<std::uint8_t> other_out(n);
      test::guarded<std::uint64_t> count(of.rows);
      const auto select = [&](std::size_t i) { return static_cast<bool>(flags[i]); };
      const auto want_a = serial_rows(a, of, all, out.read()[0], select, counts);
      const auto want_b = serial_rows(b, of, all, other_out.read()[0], select, counts);
      const row_layout layout{of.rows, of.width, of.pitch};
      const exec where = allocating(test::test_stream());
      const auto check = [&] {
        CHECK(count.read() == counts);
        CHECK(out.read() == want_a);
        CHECK(other_out.read() == want_b);
        out.fill_dirt(), other_out.fill_dirt();
      };
      compact_rows(where, zip{in, other}, layout, byte_flags{byte}, zip{out, other_out}, count);
      check();
      if (of.pitch % 32 == 0) {
        compact_rows(where, zip{in, other}, layout, bit_flags{word}, zip{out, other_out}, count);
        check();
      } else {
        CHECK_THROWS_AS(compact_rows(where, in, layout, bit_flags{word}, out, count), invalid_argument);
      }
    });
  }
}

TEST_CASE("rows: bad arguments are errors before any work") {
  using T = std::uint32_t;
  const std::size_t n = 1000;
  const test::guarded<T> in(std::vector<T>(n, 1));
  test::guarded<T> out(n);
  test::guarded<std::uint64_t> count(10), length(std::vector<std::uint64_t>{n});
  const exec where = allocating(test::test_stream());
  const row_layout layout{10, 100};
  const test::unaligned_scratch small(compact_rows_scratch_bytes<T>(layout) - 2);
  const std::span<T> null(static_cast<T*>(nullptr), n);
  const auto refused = [&](const auto& call) { CHECK_THROWS_AS(call(), invalid_argument); };
  refused([&] { compact_rows(where, in, {11, 100}, is_odd{}, out, count); });
  refused([&] { compact_rows(where, in, {10, 100, 99}, is_odd{}, out, count); });
  refused([&] { compact_rows(where, in, {10, 100, std::uint64_t{1} << 61}, is_odd{}, out, count); });
  refused([&] { compact_rows(where, in, layout, is_odd{}, std::span(out.data(), n - 1), count); });
  refused([&] { compact_rows(where, in, layout, is_odd{}, out, std::span(count.data(), 9)); });
  refused([&] { compact_rows(where, in, layout, is_odd{}, in, count); });
  refused([&] { compact_rows(where, null, layout, is_odd{}, out, count); });
  refused([&] { compact_rows(where, in, layout, is_odd{}, null, count); });
  refused([&] { compact_rows(where, counted{in, length.data()}, layout, is_odd{}, out, count); });
  refused([&] { compact_rows(small.where(), in, layout, is_odd{}, out, count); });
  CHECK(test::is_dirt(count.read()[0]));
  CHECK(test::is_dirt(out.read()[0]));
}

}  // namespace algorithms_compact_rows
