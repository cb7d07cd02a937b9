// SPDX-License-Identifier: Apache-2.0
// Reductions of segments and of runs apply an operator to sums of adjacent items of one segment and
// to `initial` alone: never to items that are missing in a tile, and never across a head.
#include <ballot/reduce_by_key.cuh>
#include <ballot/segmented_reduce.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/stretches.hpp"

#include <algorithm>

using namespace ballot;

namespace algorithms_adjacent_operands {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using test::after_initial;
using test::initial_stretch;
using test::stretch;

// Operands of one segment. segment: of each item.
template <class Word>
struct join_within_segments {
  test::join_adjacent<Word> join;
  const u32* segment;

  __device__ stretch<Word> operator()(const stretch<Word>& first, const stretch<Word>& then) const {
    const Word place = static_cast<Word>(then.begin & static_cast<Word>(~test::top_bit<Word>));
    if (!(first == initial_stretch<Word>()) && is_stretch(then, join.limit) && place != 0 &&
        segment[place - 1] != segment[place])
      simt::atomic_add(join.strangers, 1u);  // relaxed: read behind the kernel
    return join(first, then);
  }
};

// Begins of segments of random lengths up to `longest`, ascending, each an item's.
std::vector<u32> begins_of(std::size_t n, u32 longest) {
  const auto random = test::random_items<u32>(n, longest + 1);
  std::vector<u32> begins;
  for (std::size_t at = 0; at < n; at += 1 + random[at] % longest) begins.push_back(static_cast<u32>(at));
  return begins;
}
std::vector<u32> segments_of_items(const std::vector<u32>& begins, std::size_t n) {
  std::vector<u32> segment(n);
  for (std::size_t s = 0; s < begins.size(); ++s)
    for (std::size_t i = begins[s]; i < (s + 1 < begins.size() ? begins[s + 1] : n); ++i)
      segment[i] = static_cast<u32>(s);
  return segment;
}

template <class Word>
void check(std::size_t n, u32 longest, unsigned turn) {
  using T = stretch<Word>;
  CAPTURE(n);
  CAPTURE(longest);
  const std::vector<u32> begins = begins_of(n, longest), segment = segments_of_items(begins, n);
  std::vector<u32> offsets = begins;
  offsets.push_back(static_cast<u32>(n));
  std::vector<std::uint8_t> heads(n);
  for (const u32 b : begins) heads[b] = 1;
  std::vector<T> by_segment, by_run;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    by_segment.push_back(after_initial<Word>(offsets[s], offsets[s + 1]));
    by_run.push_back({static_cast<Word>(offsets[s]), static_cast<Word>(offsets[s + 1])});
  }
  test::for_some_schedules(turn, [&] {
    const test::guarded<T> in(test::stretches<Word>(n), turn % 2);
    const test::guarded<u32> segments(segment), offsets_in(offsets);
    const test::guarded<std::uint8_t> flags(heads);
    test::guarded<T> out(begins.size());
    test::guarded<u32> keys_out(begins.size()), count(1);
    const exec gpu = allocating(test::test_stream());
    const auto strangers_of = [&](const auto& call) {
      const test::guarded<unsigned> strangers(std::vector<unsigned>{0});
      out.fill_dirt();
      call(join_within_segments<Word>{{static_cast<Word>(n), strangers.data()}, segments.data()});
      return strangers.read()[0];
    };
    const T initial = initial_stretch<Word>();
    CHECK(strangers_of([&](auto op) { segmented_reduce(gpu, in, segment_offsets(offsets_in), initial, op, out); }) ==
          0);
    CHECK(out.read() == by_segment);
    CHECK(strangers_of(
              [&](auto op) { segmented_reduce(gpu, in, byte_flags{flags}, initial, op, out, count.data()); }) == 0);
    CHECK(out.read() == by_segment);
    CHECK(strangers_of([&](auto op) { reduce_by_key(gpu, segments, in, op, keys_out, out, count.data()); }) == 0);
    CHECK(out.read() == by_run);
  });
}

TEST_CASE("reductions of segments and runs apply an operator to adjacent items of one segment alone") {
  const std::size_t tile = detail::runs_shapes<u32, stretch<u32>>::many::items;
  unsigned turn = 0;
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{33}, std::size_t{1000},
                              tile - 1, tile, tile + 1, 5 * tile + 7})
    for (const u32 longest : {1u, 3u, 40u, 3000u, 1'000'000u}) check<u32>(n, longest, turn++);
  for (const std::size_t n : {std::size_t{33}, 2 * tile + 5})
    for (const u32 longest : {3u, 700u}) check<u64>(n, longest, turn++);
}

}  // namespace algorithms_adjacent_operands
