// SPDX-License-Identifier: Apache-2.0
// segmented_reduce by offsets against a loop: lengths of segments, empty ones, offsets that do not
// ascend, operators that do not commute, results of up to 32 bytes. The ways to reduce, rows and
// head flags are in the files beside it.
#include <ballot/segmented_reduce.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_reduce.hpp"

#include <algorithm>
#include <cstring>

using namespace ballot;

namespace algorithms_segmented_reduce {

using namespace ballot::test::reductions_of_segments;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// There are `items` of the input and `entries` of the offsets, which may be fewer than their
// capacities.
template <class T, class V, class Offset, class Op = plus>
void check(const std::vector<V>& values, const std::vector<Offset>& offsets, std::size_t items, std::size_t entries,
           T initial = {}, Op op = {}) {
  const std::size_t n = values.size(), room = offsets.size() - 1;
  CAPTURE(n);
  CAPTURE(room);
  std::vector<T> want;
  for (std::size_t s = 0; s + 1 < entries; ++s) {
    const auto at = [&](std::size_t i) { return std::min<u64>(static_cast<u64>(offsets[i]), items); };
    want.push_back(reduce_of(values, at(s), at(s + 1), initial, op));
  }
  test::for_schedules_by_size(n, [&] {
    const test::guarded<V> in(values, n % 3);
    const test::guarded<Offset> begins(offsets, 1);
    test::guarded<T> out(room, n % 2);
    test::guarded<u64> length(std::vector<u64>{items, entries});
    const test::exact_scratch scratch(segmented_reduce_scratch_bytes<T>(n));
    test::directly_and_captured([&] { out.fill_dirt(); },
                                [&] {
                                  if (items == n && entries == offsets.size())
                                    segmented_reduce(scratch.where(), in, segment_offsets{begins}, initial, op, out);
                                  else
                                    segmented_reduce(scratch.where(), counted{in, length.data()},
                                                     segment_offsets{counted{begins, length.data() + 1}}, initial, op,
                                                     out);
                                },
                                [&] {
                                  const std::vector<T> got = out.read();
                                  bool same = true, clean = true;
                                  for (std::size_t s = 0; s < room; ++s) {
                                    if (s < want.size()) same &= std::memcmp(&got[s], &want[s], sizeof(T)) == 0;
                                    else clean &= test::is_dirt(got[s]);
                                  }
                                  CHECK(same);
                                  CHECK(clean);
                                });
    scratch.check_guards();
  });
}

TEST_CASE("segmented_reduce: lengths of segments") {
  const std::vector<std::vector<u32>> mixes = {
      {1},        {0, 1, 2},       {5, 9, 0},    {16, 40, 3},     {31, 32, 33, 64},
      {100, 130}, {511, 513, 200}, {1, 3000, 0}, {4096, 4097, 1}, {9000}};
  for (const auto& lengths : mixes) {
    const std::size_t n = 20'000;
    check<u32>(test::random_items<u32>(n, 1), offsets_of<u32>(n, lengths, 2), n, offsets_of<u32>(n, lengths, 2).size());
    // Sums that the hardware does not reduce.
    check<u64>(test::random_items<u32>(n, 1), offsets_of<u32>(n, lengths, 2), n, offsets_of<u32>(n, lengths, 2).size());
  }
  check<u64>(test::random_items<u32>(1, 1), std::vector<u32>{0, 1}, 1, 2);
}

// The operands of bytes are added as int.
struct promoting_plus {
  BALLOT_HOST_DEVICE int operator()(std::uint8_t a, std::uint8_t b) const { return a + b; }
};
TEST_CASE("segmented_reduce: an operator that gives another type") {
  const std::size_t n = 9'000;
  for (const std::vector<u32>& lengths : {std::vector<u32>{0, 1, 2}, {5, 40, 3000}}) {
    const auto offsets = offsets_of<u32>(n, lengths, 2);
    check<std::uint8_t>(test::random_items<std::uint8_t>(n, 1), offsets, n, offsets.size(), 0, promoting_plus{});
  }
}

TEST_CASE("segmented_reduce: an operator that does not commute, in order") {
  for (const std::size_t n : {1, 33, 30'000, 300'007}) {
    const auto values = as_items<affine>(test::random_items<u32>(2 * n, 8));
    for (const std::vector<u32>& lengths :
         {std::vector<u32>{0, 7, 20}, {100, 1, 63}, {900, 2049, 0}, {5000, 1}, {1'000'000}}) {
      const auto offsets = offsets_of<std::int32_t>(n, lengths, 5);
      check<affine>(values, offsets, n, offsets.size(), affine{3, 4}, compose{});
    }
  }
}

TEST_CASE("segmented_reduce: many short segments and a long one") {
  const std::size_t n = detail::most_items_without_parts + 70'001;
  auto offsets = offsets_of<u32>(n / 2, {1, 2, 20}, 3);
  offsets.push_back(static_cast<u32>(n));
  check<u32>(test::random_items<std::uint8_t>(n, 3), offsets, n, offsets.size());
}

TEST_CASE("segmented_reduce: lengths on the device; offsets that do not ascend or lie outside") {
  const std::size_t n = 5000;
  const auto values = test::random_items<u32>(n, 4);
  const auto offsets = offsets_of<u64>(n, {10, 3, 0, 500}, 1);
  check<u64>(values, offsets, 4000, offsets.size() - 3, u64{7}, plus{});
  check<u32>(values, offsets, 0, offsets.size());
  check<u32>(values, offsets, n, 1);
  check<u32>(values, offsets, n, 0);
  check<u32>(values, std::vector<std::int32_t>{100, 50, -1, 7, 9999, 5000, 4990, 4999}, n, 8, 5u, bit_xor{});
}

struct four {
  u64 x[4];
};
struct add_and_turn {
  BALLOT_HOST_DEVICE four operator()(const four& a, const four& b) const {
    return {{a.x[0] * b.x[0], b.x[0] * a.x[1] + b.x[1], a.x[2] + b.x[2], b.x[3]}};
  }
};
TEST_CASE("segmented_reduce: results of 32 bytes") {
  const std::size_t n = 4001;
  const auto values = as_items<four>(test::random_items<u32>(8 * n, 5));
  const auto offsets = offsets_of<u32>(n, {2, 300, 0, 1100}, 6);
  check<four>(values, offsets, n, offsets.size(), four{{1, 2, 3, 4}}, add_and_turn{});
}

TEST_CASE("segmented_reduce: sums of floats have the same bits on every run") {
  const std::size_t n = 400'000;
  std::vector<float> items(n);
  const auto random = test::random_items<u32>(n, 3);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<float>(random[i]) * 1e-3f - 1e6f;
  const test::guarded<float> in(items);
  const test::guarded<u32> begins(std::vector<u32>{0, 10, 5000, 300'000, static_cast<u32>(n)});
  test::guarded<float> out(4);
  std::vector<float> first;
  test::for_each_schedule([&] {
    segmented_reduce(allocating(test::test_stream()), in, segment_offsets{begins}, out);
    if (first.empty()) first = out.read();
    CHECK(same_bits(out.read(), first));
  });
}

}  // namespace algorithms_segmented_reduce
