// SPDX-License-Identifier: Apache-2.0
// compact_rows and compact_segments into output views against loops: converted, discarded, appended
// at an offset that only the device knows, in a zip; and what they refuse of them.
#include <ballot/compact_rows.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/outputs.cuh>
#include <ballot/views.cuh>

#include "support/odd_items.hpp"
#include "support/output_items.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/schedules.hpp"

#include <algorithm>

using namespace ballot;
using test::check_items;
using test::grows;
using test::guarded;
using test::is_odd;
using test::mapped;
using test::refused;
using test::tenth;

namespace algorithms_outputs_of_rows {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct itself {
  __host__ __device__ u32 operator()(u32 x) const { return x; }
};

// Of rows of few items, of one tile, of several.
TEST_CASE("compact_rows into output views") {
  using shapes = detail::row_shapes<u32>;
  for (const std::size_t width :
       {std::size_t{33}, std::size_t{shapes::small::items} + 1, 2 * std::size_t{shapes::large::items} + 9}) {
    CAPTURE(width);
    const std::size_t rows = 3, pitch = width + 5, n = 2 * pitch + width, ahead = 7;
    const auto items = test::random_items<u32>(n, 3);
    // want[i]: where there is an item of the output, and which.
    std::vector<u32> want(n), counts;
    std::vector<bool> is_there(n);
    for (std::size_t r = 0; r < rows; ++r) {
      counts.push_back(0);
      for (std::size_t i = r * pitch; i < r * pitch + width; ++i)
        if (const std::size_t to = r * pitch + counts[r]; items[i] % 2 != 0)
          want[to] = items[i], is_there[to] = true, ++counts[r];
    }
    const auto check = [&](const auto& out, std::size_t begin, auto f) {
      const auto got = out.read();
      bool same = true;
      for (std::size_t i = 0; i < got.size(); ++i)
        same &=
            i >= begin && i - begin < n && is_there[i - begin] ? got[i] == f(want[i - begin]) : test::is_dirt(got[i]);
      CHECK(same);
    };
    const auto grown = [](u32 x) { return u64{x} << 8 | 3; };
    test::for_some_schedules([&] {
      const guarded<u32> in(items), offset(std::vector<u32>{static_cast<u32>(ahead)});
      guarded<u64> wide(n);
      guarded<u32> out(n), behind(n + ahead - 2), count(rows);
      const row_layout layout{rows, width, pitch};
      const test::unaligned_scratch scratch(compact_rows_scratch_bytes<u32, u32>(layout));
      test::directly_and_captured(
          [&] { wide.fill_dirt(), count.fill_dirt(); },
          [&] { compact_rows(scratch.where(), in, layout, is_odd{}, converting<u32>(wide, grows{}), count); },
          [&] {
            CHECK(count.read() == counts);
            check(wide, 0, grown);
          });
      wide.fill_dirt(), count.fill_dirt();
      compact_rows(scratch.where(), zip{in, in}, layout, on_first{is_odd{}}, zip{converting<u32>(wide, grows{}), out},
                   count);
      CHECK(count.read() == counts);
      check(wide, 0, grown);
      check(out, 0, itself{});
      compact_rows(scratch.where(), transformed{in, itself{}}, layout, is_odd{}, appended{behind, offset.data()},
                   count);
      check(behind, ahead, itself{});  // the last items may not fit
      count.fill_dirt();
      compact_rows(scratch.where(), in, layout, is_odd{}, discarded<u32>(n), count);
      CHECK(count.read() == counts);
      scratch.check_guards();
    });
  }
}

TEST_CASE("compact_segments into output views") {
  const std::size_t n = 9'001;
  const auto items = test::random_items<u32>(n, 4);
  const std::vector<u32> offsets{0, 0, 1, 40, 41, 41, 5'000, 5'001, static_cast<u32>(n)};
  std::vector<u32> odd, new_offsets;
  for (std::size_t i = 0; i <= n; ++i) {
    for (const u32 o : offsets)
      if (o == i) new_offsets.push_back(static_cast<u32>(odd.size()));
    if (i < n && items[i] % 2 != 0) odd.push_back(items[i]);
  }
  test::for_some_schedules([&] {
    const guarded<u32> in(items), begins(offsets), offset(std::vector<u32>{11});
    guarded<u64> wide(n);
    guarded<float> tenths(n);
    guarded<u32> behind(odd.size() + 9), new_begins(offsets.size());
    const test::unaligned_scratch scratch(compact_segments_scratch_bytes<u32, u32>(n));
    test::directly_and_captured(
        [&] { wide.fill_dirt(), new_begins.fill_dirt(); },
        [&] { compact_segments(scratch.where(), in, begins, is_odd{}, converting<u32>(wide), new_begins); },
        [&] {
          CHECK(new_begins.read() == new_offsets);
          check_items(wide, mapped<u64>(odd, [](u32 x) { return x; }));
        });
    wide.fill_dirt(), new_begins.fill_dirt();
    compact_segments(scratch.where(), zip{in, in}, begins, on_first{is_odd{}},
                     zip{converting<u32>(tenths, tenth{}), converting<u32>(wide, grows{})}, new_begins);
    CHECK(new_begins.read() == new_offsets);
    check_items(tenths, mapped<float>(odd, tenth{}));
    check_items(wide, mapped<u64>(odd, [](u32 x) { return u64{x} << 8 | 3; }));
    compact_segments(scratch.where(), in, begins, is_odd{}, appended{behind, offset.data()}, new_begins);
    check_items(behind, std::vector<u32>(odd.begin(), odd.end() - 2), 11);  // the last two do not fit
    new_begins.fill_dirt();
    compact_segments(scratch.where(), in, begins, is_odd{}, discarded<u32>(n), new_begins);
    CHECK(new_begins.read() == new_offsets);
    scratch.check_guards();
  });
}

TEST_CASE("compact_rows, compact_segments: bad output views are errors before any work") {
  const std::size_t n = 960;
  const guarded<u32> in(std::vector<u32>(n, 1)), begins(std::vector<u32>{0, static_cast<u32>(n)});
  guarded<u32> out(n), counts(3), offset(std::vector<u32>{0});
  guarded<u32> new_begins(2);
  const row_layout layout{.rows = 3, .width = 320};
  refused("rows, overlap", "overlaps input `in`", [&](const exec& gpu) {
    compact_rows(gpu, in, layout, is_odd{}, converting<u32>(std::span(in.data(), n)), counts);
  });
  refused("rows, room", "`out` has 959 items",
          [&](const exec& gpu) { compact_rows(gpu, in, layout, is_odd{}, discarded<u32>(n - 1), counts); });
  refused("rows, offset", "out.offset", [&](const exec& gpu) {
    compact_rows(gpu, in, layout, is_odd{}, appended{out, counts.data()}, counts);
  });
  refused("segments, overlap", "overlaps input `in`", [&](const exec& gpu) {
    compact_segments(gpu, in, begins, is_odd{}, converting<u32>(std::span(in.data(), n)), new_begins);
  });
  refused("segments, offset", "out.offset", [&](const exec& gpu) {
    compact_segments(gpu, in, begins, is_odd{}, appended{out, new_begins.data()}, new_begins);
  });
}

}  // namespace algorithms_outputs_of_rows
