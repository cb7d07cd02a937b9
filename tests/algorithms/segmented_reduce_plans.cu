// SPDX-License-Identifier: Apache-2.0
// Each way in which segmented_reduce reduces segments, whatever their lengths are, against a loop.
#include <ballot/segmented_reduce.cuh>
#include <ballot/views.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_reduce.hpp"

#include <algorithm>
#include <bit>

using namespace ballot;

namespace algorithms_segmented_reduce_plans {

using namespace ballot::test::reductions_of_segments;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct last {  // does not commute
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T&, const T& b) const {
    return b;
  }
};

// Each way to reduce segments, whatever their lengths are. The results depend on the way alone, not
// on timing.
template <class T, class V, class Op>
void check_plan(const std::vector<V>& values, const std::vector<u32>& offsets, detail::segment_plan plan, Op op) {
  const std::size_t n = values.size(), segments = offsets.size() - 1;
  CAPTURE(static_cast<int>(plan.form));
  CAPTURE(plan.size);
  CAPTURE(segments);
  std::vector<T> want;
  for (std::size_t s = 0; s < segments; ++s)
    want.push_back(reduce_of(values, std::min<std::size_t>(offsets[s], n), std::min<std::size_t>(offsets[s + 1], n),
                             static_cast<T>(values[1]), op));
  test::for_schedules_by_size(n, [&] {
    const test::guarded<V> in(values, 1);
    const test::guarded<u32> begins(offsets);
    test::guarded<T> out(segments);
    out.fill_dirt();
    const test::exact_scratch scratch(segmented_reduce_scratch_bytes<T>(n));
    const exec gpu = scratch.where();
    const detail::scratch_lease lease(gpu, detail::segmented_reduce_bytes<T>(n), "test");
    detail::launch_segmented_reduce<device::items_as<T>>(
        gpu.stream(), lease.base(), detail::as_input(in),
        detail::segments_by_offsets<u32>{begins.data(), detail::length{offsets.size()}}, segments,
        static_cast<T>(values[1]), op, detail::as_output(out), "test", &plan);
    CHECK(same_bits(out.read(), want));
    scratch.check_guards();
  });
}
TEST_CASE("segmented_reduce: each way to reduce, of any lengths") {
  using enum detail::segment_form;
  const std::size_t n = detail::most_items_without_blocks + 8000;
  const auto numbers = test::random_items<u32>(n, 6);
  const auto maps = as_items<affine>(test::random_items<u32>(2 * n, 8));
  std::vector<std::vector<u32>> mixes = {
      {0, 0, 1, 1, 33, 34, 546, 1059, 4096 + 1059, 2 * 4096 + 1060, 2 * 4096 + 1060, static_cast<u32>(n)},
      {static_cast<u32>(n), 50, 7, 40'000, 1, 900'000, 35'000}};  // over each other
  mixes.push_back(offsets_of<u32>(n, {0, 1, 31, 32, 33, 127, 128, 129, 1000, 4100}, 7));
  for (const auto& offsets : mixes)
    for (const detail::segment_plan plan : {detail::segment_plan{group, 1, false},
                                            {group, 4, false},
                                            {group, 32, false},
                                            {block, 128, false},
                                            {block, 256, false},
                                            {block, 512, false},
                                            {blocks, 1, false},
                                            {blocks, 3, false},
                                            {blocks, 8, false}}) {
      if (plan.form == blocks && plan.size * (offsets.size() - 1) > detail::most_segment_results) continue;
      check_plan<u32>(numbers, offsets, plan, plus{});
      check_plan<u64>(numbers, offsets, plan, minimum{});
      check_plan<affine>(maps, offsets, plan, compose{});
    }
}

TEST_CASE("segmented_reduce: long segments in parts, beside short ones") {
  using enum detail::segment_form;
  const std::size_t n = detail::most_items_without_parts + 70'001;
  constexpr u32 part = 8192;
  REQUIRE(detail::window_bits_of(n, 1) == 13);
  const auto values = test::random_items<std::uint8_t>(n, 3);
  // So many long segments, over each other, that the list of parts is full, and that its last
  // entries are no parts. A search finds some of them.
  std::vector<u32> again;
  for (int i = 0; i < 9; ++i) again.push_back(0), again.push_back(static_cast<u32>(n - 2 * part));
  // More segments than a block has threads, some of them empty.
  std::vector<u32> many = offsets_of<u32>(1200, {2, 0, 1}, 5);
  many.insert(many.end(), {40'000, static_cast<u32>(n)});
  many.insert(many.end(), 300, static_cast<u32>(n));
  const std::vector<std::vector<u32>> mixes = {
      {0, static_cast<u32>(n)},
      {0, 3, 3, 100'000, 100'001, 150'000, static_cast<u32>(n)},
      // They begin and end at windows, or one item beside.
      {0, 2 * part, 4 * part + 1, 6 * part, 8 * part - 1, 10 * part, 10 * part, 11 * part, 14 * part, 14 * part + 1},
      offsets_of<u32>(n, {20, part, part + 1, 1, 0, 30'000}, 3),
      {0, 50'000, 7, static_cast<u32>(n), 20'000, 90'000},
      // The windows from 60,000 on do not find the first segment.
      {0, 150'000, 60'000, 190'000},
      again,
      many};
  for (const auto& offsets : mixes)
    for (const detail::segment_plan plan :
         {detail::segment_plan{group, 1, true}, {group, 32, true}, {block, 128, true}, {block, 512, true}}) {
      check_plan<u32>(values, offsets, plan, plus{});
      if (plan.size == 32 || plan.size == 128) check_plan<u64>(values, offsets, plan, last{});
    }
}

// Which segments have parts in each window. Results are the same if parts are not found: a block then
// reduces the whole segment.
template <class In>
void check_found(const In& in, const std::vector<u32>& offsets, u64 part) {
  const std::uint64_t n = in.capacity();
  const std::size_t segments = offsets.size() - 1, windows = detail::ceil_div(n, part);
  CAPTURE(segments);
  const detail::segment_plan plan{detail::segment_form::block, 128, true};
  REQUIRE(detail::window_bits_of(n, sizeof(typename In::value_type)) + 1 ==
          static_cast<unsigned>(std::bit_width(part)));
  const u64 long_items = detail::long_items_of_block(n / segments, part);
  std::vector<u64> first(windows, detail::no_segment), further(first);
  for (std::size_t s = 0; s < segments; ++s)
    for (u64 at = offsets[s]; offsets[s + 1] - offsets[s] > long_items && at < offsets[s + 1]; at += part)
      (at == offsets[s] ? first : further)[at / part] = s;
  const test::guarded<u32> begins(offsets);
  test::guarded<u32> out(segments);
  test::for_schedules_by_size(n, [&] {
    const test::exact_scratch scratch(segmented_reduce_scratch_bytes<u32>(n));
    const detail::scratch_lease lease(scratch.where(), detail::segmented_reduce_bytes<u32>(n), "test");
    detail::launch_segmented_reduce<device::items_as<u32>>(
        test::test_stream(), lease.base(), in,
        detail::segments_by_offsets<u32>{begins.data(), detail::length{offsets.size()}}, segments, u32{0}, plus{},
        detail::as_output(out), "test", &plan);
    const detail::segmented_reduce_scratch<u32> parts(lease.base(), n);
    std::vector<detail::segments_of_window> found(windows);
    simt::copy_bytes(test::test_stream(), found.data(), parts.windows.found, windows * sizeof(found[0]));
    simt::synchronize(test::test_stream());
    std::size_t right = 0;
    while (right < windows && found[right].first == first[right] && found[right].further == further[right]) ++right;
    CHECK(right == windows);
  });
}
TEST_CASE("segmented_reduce: each window finds the segments that have parts in it") {
  const std::size_t n = detail::most_items_without_parts + 70'001;
  constexpr u32 part = 8192;
  const auto end = static_cast<u32>(n);
  std::vector<u32> many = offsets_of<u32>(part, {2, 0, 1, 0, 0}, 5);  // more than are compared in a round
  many.insert(many.end(), {part, 5 * part, 5 * part, 5 * part + 1, end});
  std::vector<u32> behind = many;
  behind.insert(behind.end(), 9000, end);
  std::vector<std::vector<u32>> mixes = {
      {0, end},
      {part - 1, 2 * part, 4 * part + 1, 6 * part, 8 * part - 1, 10 * part, 10 * part, 11 * part, 14 * part, end},
      {7, 7, 9 * part + 9, 9 * part + 10, 11 * part, 12 * part + 1, 12 * part + 1, 20 * part},
      offsets_of<u32>(n, {20, part, part + 1, 1, 0, 30'000}, 3),
      many,
      behind};
  for (auto& offsets : mixes) {
    offsets.insert(offsets.end(), 100, offsets.back());  // so that the mean is less than a part
    const test::guarded<std::uint8_t> in(test::random_items<std::uint8_t>(n, 3));
    check_found(detail::as_input(in), offsets, part);
  }
  // So many windows that a block has several of them.
  const u32 more = (u32{1} << 26) + 70'000;
  check_found(detail::as_input(constant{1u, more}), {more - 800'000, more - 799'990, more - 5}, u64{1} << 17);
}

TEST_CASE("segmented_reduce: long rows in parts, by an operator that does not commute") {
  using enum detail::segment_form;
  const std::size_t n = detail::most_items_without_parts + 70'001;
  constexpr u64 row = 30'000;
  const u64 rows = detail::ceil_div(n, row);
  const auto values = test::random_items<std::uint8_t>(n, 3);
  std::vector<u64> want;
  for (u64 r = 0; r < rows; ++r) want.push_back(values[std::min<u64>(n, (r + 1) * row) - 1]);
  for (const detail::segment_plan plan : {detail::segment_plan{group, 8, true}, {block, 128, true}})
    test::for_schedules_by_size(n, [&] {
      const test::guarded<std::uint8_t> in(values, 1);
      test::guarded<u64> out(rows);
      const test::exact_scratch scratch(segmented_reduce_scratch_bytes<u64>(n));
      const exec gpu = scratch.where();
      const detail::scratch_lease lease(gpu, detail::segmented_reduce_bytes<u64>(n), "test");
      detail::launch_segmented_reduce<device::items_as<u64>>(gpu.stream(), lease.base(), detail::as_input(in),
                                                             detail::segments_by_length{row, n, rows}, rows, u64{5},
                                                             last{}, detail::as_output(out), "test", &plan);
      CHECK(out.read() == want);
    });
}

TEST_CASE("segmented_reduce: larger windows of more items") {
  using enum detail::segment_form;
  CHECK(detail::window_bits_of(u64{1} << 21, 4) == 13);
  CHECK(detail::window_bits_of((u64{1} << 21) + 1, 4) == 14);
  CHECK(detail::window_bits_of((u64{1} << 22) + 1, 4) == 15);
  CHECK(detail::window_bits_of(u64{1} << 24, 4) == 15);
  CHECK(detail::window_bits_of(u64{1} << 23, 8) == 14);
  CHECK(detail::window_bits_of((u64{1} << 23) + 1, 8) == 15);
  CHECK(detail::window_bits_of((u64{1} << 24) + 1, 8) == 16);
  CHECK(detail::window_bits_of(~u64{0}, 8) == 17);
  const std::size_t n = (u64{1} << 21) + 170'000;
  check_plan<u32>(test::random_items<std::uint8_t>(n, 7),
                  {0, 10, 60'000, 60'000, 70'001, 2'200'000, static_cast<u32>(n - 5), static_cast<u32>(n)},
                  {block, 256, true}, plus{});
}

}  // namespace algorithms_segmented_reduce_plans
