// SPDX-License-Identifier: Apache-2.0
// Each way in which segmented_reduce reduces segments, whatever their lengths are, against a loop.
#include <ballot/segmented_reduce.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_reduce.hpp"

#include <algorithm>

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
  REQUIRE(detail::window_bits_of(n, group) == 13);
  REQUIRE(detail::window_bits_of(n, block) == 13);
  const auto values = test::random_items<std::uint8_t>(n, 3);
  // Segments over each other, of which a search finds some.
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
      again,
      many};
  for (const auto& offsets : mixes)
    for (const detail::segment_plan plan :
         {detail::segment_plan{group, 1, true}, {group, 32, true}, {block, 128, true}, {block, 512, true}}) {
      check_plan<u32>(values, offsets, plan, plus{});
      if (plan.size == 32 || plan.size == 128) check_plan<u64>(values, offsets, plan, last{});
    }
}

TEST_CASE("segmented_reduce: larger windows, and more windows than there are warps in blocks") {
  using enum detail::segment_form;
  const auto bits = [](u64 n, detail::segment_form form) { return detail::window_bits_of(n, form); };
  CHECK(bits(u64{1} << 21, block) == 13);
  CHECK(bits((u64{1} << 21) + 1, block) == 14);
  CHECK(bits((u64{1} << 22) + 1, block) == 15);
  CHECK(bits(~u64{0}, block) == 15);
  CHECK(bits(u64{1} << 23, group) == 13);
  CHECK(bits((u64{1} << 24) + 1, group) == 15);
  const std::size_t n = (u64{1} << 21) + 170'000;
  REQUIRE(detail::ceil_div(n, u64{1} << 13) > detail::part_blocks_of(n, ~u64{0}));
  for (const detail::segment_plan plan : {detail::segment_plan{group, 32, true}, {block, 256, true}})
    check_plan<u32>(test::random_items<std::uint8_t>(n, 7),
                    {0, 10, 60'000, 60'000, 70'001, 2'200'000, static_cast<u32>(n - 5), static_cast<u32>(n)}, plan,
                    plus{});
}

}  // namespace algorithms_segmented_reduce_plans
