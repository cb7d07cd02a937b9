// SPDX-License-Identifier: Apache-2.0
// Segmented scans by offsets: every pattern of heads, empty segments, offsets of every type and in
// any order, ignored offsets, the contract's errors.
#include <ballot/segmented_scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"
#include "support/segments.hpp"

#include <algorithm>
#include <limits>

using namespace ballot;

namespace device_segmented_scan_offsets {

using small_tiles = block::tile_shape<64, 1, 4>;

// The heads as offsets, some of them twice, with the end.
template <class Offset>
std::vector<Offset> as_offsets(const std::vector<bool>& heads) {
  std::vector<Offset> offsets;
  for (std::size_t i = 0; i < heads.size(); ++i)
    if (heads[i]) offsets.insert(offsets.end(), i % 3 == 0 ? 3 : 1, static_cast<Offset>(i));
  offsets.push_back(static_cast<Offset>(heads.size()));
  return offsets;
}

template <class Offset, class T = std::uint32_t>
void check_offsets(const std::vector<T>& items, const std::vector<bool>& heads, const std::vector<Offset>& offsets) {
  const auto inclusive = test::serial_segmented_inclusive(items, heads),
             exclusive = test::serial_segmented_exclusive(items, heads, T{7});
  const test::guarded<T> in(items);
  const test::guarded<Offset> begins(offsets);
  test::guarded<T> out(items.size());
  const test::exact_scratch scratch(detail::segmented_scan_by_offsets_bytes<T, small_tiles>(items.size()));
  const auto scan = [&]<device::scan_kind Kind>(const std::vector<T>& want) {
    for (const std::uint64_t listed :
         {std::uint64_t{0}, detail::most_listed_offsets}) {  // flags in global, shared memory
      out.fill_dirt();
      detail::segmented_scan<Kind, T, false, small_tiles>(scratch.where(), detail::as_input(in),
                                                          segment_offsets{begins}, detail::as_output(out), T{7}, plus{},
                                                          "test", listed);
      CHECK(out.read() == want);
    }
  };
  scan.template operator()<device::scan_kind::inclusive>(inclusive);
  scan.template operator()<device::scan_kind::exclusive>(exclusive);
  scratch.check_guards();
}

TEST_CASE("segmented scan by offsets: every pattern of heads, with empty segments") {
  const std::size_t n = 5 * small_tiles::items + 7;
  const auto items = test::small_items<std::uint32_t>(n);
  for (const test::named_heads& pattern : test::head_patterns<small_tiles>(n)) {
    CAPTURE(pattern.name);
    test::for_each_schedule([&] { check_offsets(items, pattern.heads, as_offsets<std::uint32_t>(pattern.heads)); });
  }
}

TEST_CASE_TEMPLATE("segmented scan by offsets of every type, in any order, some to be ignored", Offset, std::int32_t,
                   std::uint64_t, std::int64_t) {
  const std::size_t n = 7 * small_tiles::items + 13;
  const auto items = test::small_items<std::uint32_t>(n);
  const auto heads = test::make_flags(test::flag_patterns[6], n);
  auto offsets = as_offsets<Offset>(heads);
  offsets.push_back(static_cast<Offset>(n + 1));
  offsets.push_back(static_cast<Offset>((n + 31) / 32 * 32));
  offsets.push_back(std::numeric_limits<Offset>::max());
  offsets.push_back(static_cast<Offset>(-1));
  std::shuffle(offsets.begin(), offsets.end(), std::mt19937(5));
  test::for_each_schedule([&] { check_offsets(items, heads, offsets); });
}

TEST_CASE("segmented scan by offsets: lengths, no offsets, directly and captured") {
  using T = std::uint32_t;
  for (std::size_t n : {0, 1, 31, 32, 33, 2048, 2049, 5121}) {  // 2048: the bits fill their scratch, the items a tile
    CAPTURE(n);
    for (std::size_t step : {2, 37, 100000}) {  // the last: no offset but the one at the end, or none at all
      CAPTURE(step);
      std::vector<bool> heads(n);
      for (std::size_t i = step; i < n; i += step) heads[i] = true;
      auto offsets = as_offsets<std::uint32_t>(heads);
      if (step == 100000) offsets.clear();
      const auto items = test::small_items<T>(n);
      const auto want = test::serial_segmented_inclusive(items, heads);
      test::for_each_schedule([&] {
        const test::guarded<T> in(items);
        const test::guarded<std::uint32_t> begins(offsets);
        test::guarded<T> out(n);
        const test::unaligned_scratch scratch(segmented_scan_by_offsets_scratch_bytes<T>(n));
        test::directly_and_captured(
            [&] { out.fill_dirt(); },
            [&] { segmented_inclusive_scan(scratch.where(), in, segment_offsets{begins}, out); },
            [&] { CHECK(out.read() == want); });
        out.fill_dirt();  // the same by flags in global memory, as of more offsets
        detail::segmented_scan<device::scan_kind::inclusive, T>(scratch.where(), detail::as_input(in),
                                                                segment_offsets{begins}, detail::as_output(out), T{},
                                                                plus{}, "test", std::uint64_t{0});
        CHECK(out.read() == want);
        scratch.check_guards();
      });
    }
  }
}

TEST_CASE("segmented scan by offsets: as many of each as the device says") {
  using T = std::uint32_t;
  const std::size_t capacity = 3000, n = 2200, segments = 700;  // more than a thread of each block has at once
  const auto items = test::small_items<T>(capacity);
  std::vector<std::uint32_t> offsets(720);
  std::vector<bool> heads(capacity);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = static_cast<std::uint32_t>(i * 3);
    if (i < segments) heads[offsets[i]] = true;
  }
  const auto want = test::serial_segmented_exclusive(items, heads, T{0});
  test::for_each_schedule([&] {
    test::guarded<T> in(items);
    const test::guarded<std::uint32_t> begins(offsets);
    test::guarded<std::uint64_t> count(1), segment_count(1);
    count.write({n});
    segment_count.write({segments});
    const test::unaligned_scratch scratch(segmented_scan_by_offsets_scratch_bytes<T>(capacity));
    for (const std::uint64_t listed : {std::uint64_t{0}, detail::most_listed_offsets}) {
      in.write(items);
      detail::segmented_scan<device::scan_kind::exclusive, T>(
          scratch.where(), detail::as_input(counted{in, count.data()}),
          segment_offsets{counted{begins, segment_count.data()}}, detail::as_output(in), T{}, plus{}, "test",
          listed);  // in place
      const auto got = in.read();
      CHECK(std::equal(want.begin(), want.begin() + n, got.begin()));
      CHECK(std::equal(items.begin() + n, items.end(), got.begin() + n));
    }
  });
}

// Each block goes over the offsets by itself while there are few blocks.
TEST_CASE("segmented scan by offsets: few offsets, more than the few tiles") {
  using T = std::uint32_t;
  using shape = block::tile_shape<32, 1, 1>;
  const std::size_t n = shape::items * (detail::few_small_tiles(detail::few_tiles) + 2) + 5;
  const std::vector<std::uint32_t> offsets{7, 100, 3000, 4100};
  std::vector<bool> heads(n);
  for (const std::uint32_t at : offsets) heads[at] = true;
  const auto items = test::small_items<T>(n);
  const test::guarded<T> in(items);
  const test::guarded<std::uint32_t> begins(offsets);
  test::guarded<T> out(n);
  const test::exact_scratch scratch(detail::segmented_scan_by_offsets_bytes<T, shape>(n));
  const auto want = test::serial_segmented_inclusive(items, heads);
  test::for_each_schedule([&] {
    out.fill_dirt();
    detail::segmented_scan<device::scan_kind::inclusive, T, false, shape>(
        scratch.where(), detail::as_input(in), segment_offsets{begins}, detail::as_output(out), T{}, plus{}, "test");
    CHECK(out.read() == want);
  });
}

TEST_CASE("segmented scan by offsets: bad arguments are errors before any work") {
  const std::size_t n = 6000;
  const test::guarded<int> in(std::vector<int>(n, 1));
  const test::guarded<std::uint32_t> begins(std::vector<std::uint32_t>{0, 5, 6000});
  test::guarded<int> out(n), shorter(n - 1);
  const std::size_t bytes = segmented_scan_by_offsets_scratch_bytes<int>(n);
  const test::exact_scratch scratch(bytes), small(bytes - 257);
  const exec where = scratch.where();
  CHECK_THROWS_AS(segmented_inclusive_scan(where, in, segment_offsets{begins}, shorter), invalid_argument);
  CHECK_THROWS_AS(segmented_inclusive_scan(small.where(), in, segment_offsets{begins}, out), invalid_argument);
  CHECK_THROWS_AS(segmented_exclusive_scan(
                      where, in, segment_offsets{std::span(static_cast<const std::uint32_t*>(nullptr), 3)}, out),
                  invalid_argument);
  CHECK_THROWS_AS(
      segmented_exclusive_scan(where, in, segment_offsets{std::span<const int>(out.data() + n - 1, 1)}, out),
      invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](int x) { return test::is_dirt(x); }));
  CHECK(segmented_scan_by_offsets_scratch_bytes<int>(0) == 0);
  segmented_inclusive_scan(exec(where.stream(), std::span<std::byte>{}), std::span<const int>{},
                           segment_offsets{begins}, std::span<int>{});
}

}  // namespace device_segmented_scan_offsets
