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
  const std::size_t n = detail::most_items_without_list + 70'001;
  const auto values = test::random_items<std::uint8_t>(n, 3);
  // So many long segments, over each other, that the list of parts is full, and that its last
  // entries are no parts.
  std::vector<u32> again;
  for (int i = 0; i < 9; ++i) again.push_back(0), again.push_back(static_cast<u32>(n - 2 * 8192));
  // More segments than parts that the list has room for, some of them empty.
  std::vector<u32> many = offsets_of<u32>(120, {2, 0, 1}, 5);
  many.insert(many.end(), {40'000, static_cast<u32>(n)});
  const std::vector<std::vector<u32>> mixes = {{0, static_cast<u32>(n)},
                                               {0, 3, 3, 100'000, 100'001, 150'000, static_cast<u32>(n)},
                                               offsets_of<u32>(n, {20, 8192, 8193, 1, 0, 30'000}, 3),
                                               again,
                                               many};
  for (const auto& offsets : mixes)
    for (const detail::segment_plan plan :
         {detail::segment_plan{group, 1, true}, {group, 32, true}, {block, 128, true}, {block, 512, true}}) {
      check_plan<u32>(values, offsets, plan, plus{});
      if (plan.size == 32 || plan.size == 128) check_plan<u64>(values, offsets, plan, last{});
    }
}

TEST_CASE("segmented_reduce: segments over each other, of more parts than all the scratch has room for") {
  const std::size_t n = 300'000;
  std::vector<u32> offsets;
  for (int i = 0; i < 36; ++i) offsets.insert(offsets.end(), {0, static_cast<u32>(n)});
  offsets.insert(offsets.end(), {100, 103});
  const std::uint64_t parts = 36 * (n / detail::part_items_of(n));
  REQUIRE(offsets.size() - 1 <= detail::most_parts_of(n));
  REQUIRE(parts * sizeof(u32) > segmented_reduce_scratch_bytes<u32>(n));
  check_plan<u32>(test::random_items<std::uint8_t>(n, 7), offsets, {detail::segment_form::block, 512, true}, plus{});
}

}  // namespace algorithms_segmented_reduce_plans
