// SPDX-License-Identifier: Apache-2.0
// Sort within segments that need not touch, against a stable sort of each: what lies between them
// is not written. In small blocks, so that few items have long segments and long gaps, and by the
// public calls. And between two buffers.
#include <ballot/segmented_sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/schedules.hpp"
#include "support/segmented_order.hpp"
#include "support/sort_reference.hpp"

#include <random>

using namespace ballot;
using test::guarded;
using test::refused;

namespace algorithms_segmented_sort_gaps {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

unsigned turn = 0;  // of cases, to take the schedules in turns

struct record {
  unsigned char byte[12];
};

struct bounds {
  std::string name;
  std::vector<u64> begins, ends;
};

// Makes gaps: some segments stay as they are, some lose their ends, some become gaps as a whole,
// some are empty.
bounds with_gaps(const test::segmentation& s, std::size_t n, unsigned seed) {
  bounds b{s.name, {}, {}};
  std::mt19937 random(seed);
  std::vector<u64> at(s.offsets);
  at.push_back(n);
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const u64 begin = at[i], end = std::min<u64>(at[i + 1], n), length = end - begin;
    const unsigned kind = random() % 6;
    if (kind == 0) continue;
    const u64 skipped = kind == 1 && length > 2 ? 1 + random() % (length - 1) : 0;
    const u64 left = kind == 2 && length > 2 ? 1 + random() % (length - 1) : length;
    if (kind == 3) b.begins.push_back(begin), b.ends.push_back(begin);
    b.begins.push_back(begin + std::min(skipped, left)), b.ends.push_back(begin + left);
    if (kind == 4) b.begins.push_back(end), b.ends.push_back(end);
  }
  return b;
}

constexpr u64 in_a_gap = ~u64{0};

// The source of each item of the output.
template <class K>
std::vector<u64> serial_order(const std::vector<K>& keys, std::size_t n, const bounds& b, const sort_options& options) {
  std::vector<u64> order(keys.size(), in_a_gap);
  for (std::size_t s = 0; s < b.begins.size(); ++s) {
    const u64 begin = std::min<u64>(b.begins[s], n), end = std::min<u64>(b.ends[s], n);
    const std::vector<K> segment(keys.begin() + std::ptrdiff_t(begin), keys.begin() + std::ptrdiff_t(end));
    u64 at = begin;
    for (const u64 i : test::serial_argsort(segment, options)) order[at++] = begin + i;
  }
  return order;
}
// The contents of outputs before a call, other than those of scratch.
template <class T>
std::vector<T> left_alone(std::size_t n) {
  std::vector<T> items(n);
  if (n != 0) std::memset(static_cast<void*>(items.data()), 0x5a, n * sizeof(T));
  return items;
}
template <class T>
bool is_left_alone(const T& item) {
  const T other = left_alone<T>(1)[0];
  return std::memcmp(&item, &other, sizeof(T)) == 0;
}
template <class T>
bool is_right(const std::vector<T>& got, const std::vector<T>& items, const std::vector<u64>& order) {
  bool right = got.size() == order.size();
  for (std::size_t i = 0; right && i < got.size(); ++i)
    right = order[i] == in_a_gap ? is_left_alone(got[i]) : std::memcmp(&got[i], &items[order[i]], sizeof(T)) == 0;
  return right;
}

using small_shape = detail::segment_sort_shape<detail::block_sort_shape<8, 5, 10>, 700, 4>;
using small_shape_of_few = detail::segment_sort_shape<detail::sparse_block_sort_shape<8, 5, 10>, 700, 2, 2>;
using listing_shape = detail::segment_sort_shape<detail::block_sort_shape<8, 5, 10>, 700, 2, 2, 2400>;

template <class Shape, class U, class V>
void check_segments(std::size_t n, const bounds& b) {
  CAPTURE(b.name);
  auto keys = test::random_items<U>(n, 17);
  for (std::size_t i = n / 2; i < n; ++i) keys[i] = static_cast<U>(keys[i] % 5);
  const auto values = test::random_items<V>(n, 18);
  const auto order = serial_order(keys, n, b, {});
  test::for_some_schedules(turn++, [&] {
    const guarded<U> in(keys);
    const guarded<V> values_in(values);
    const guarded<u32> begins(std::vector<u32>(b.begins.begin(), b.begins.end())),
        ends(std::vector<u32>(b.ends.begin(), b.ends.end()));
    guarded<U> out(left_alone<U>(n));
    guarded<V> values_out(left_alone<V>(n));
    detail::scratch_carver measure;
    detail::segment_sort_scratch<U, V, Shape>(measure, n);
    const test::exact_scratch scratch(measure.bytes());
    detail::scratch_carver carver(scratch.where().scratch().data());
    detail::segment_sort_arguments<U, detail::begins_then_ends<u32>, V> a{};
    a.keys = in.data();
    a.n = {n, nullptr};
    a.offsets = {begins.data(), ends.data()};
    a.segments = {begins.size(), nullptr};
    a.layout = {{}, 0, 8 * sizeof(U)};
    a.keys_out = out.data();
    a.values = values_in.data();
    a.values_out = values_out.data();
    detail::launch_segment_sort_in_shape<Shape>(test::test_stream(), carver, a, "test");
    scratch.check_guards();
    CHECK(is_right(out.read(), keys, order));
    CHECK(is_right(values_out.read(), values, order));
  });
}
template <class Shape, class U, class V>
void check_shape(std::size_t n, unsigned seed) {
  for (const test::segmentation& s : test::long_and_short(n, Shape::longest, Shape::tile_items)) {
    CAPTURE(seed);
    check_segments<Shape, U, V>(n, with_gaps(s, n, seed++));
  }
}

TEST_CASE("a gap as long as segments that are sorted by digits") {
  const std::size_t n = small_shape_of_few::merged_twice + 1;
  static_assert(n - 400 > small_shape_of_few::merged_in_large);
  check_segments<small_shape_of_few, u32, u32>(n, {"one gap", {0, n - 100}, {10, n - 10}});
}

TEST_CASE_TEMPLATE("segments with gaps in small blocks: that fit, are merged once and twice", U, u32, u64) {
  for (unsigned seed = 0; seed < (sizeof(U) == 4 ? 40 : 10); seed += 5) check_shape<small_shape, U, u32>(2100, seed);
  for (unsigned seed = 50; seed < 80; seed += 10) check_shape<small_shape, U, u32>(5103, seed);
}

TEST_CASE_TEMPLATE("segments with gaps in small blocks: that fit, are merged, and sorted by digits", U, u32, u64) {
  static_assert(small_shape_of_few::merged_twice < 3103);
  for (unsigned seed = 0; seed < 40; seed += 10) check_shape<small_shape_of_few, U, u32>(3103, seed);
}

TEST_CASE_TEMPLATE("segments with gaps, some in blocks of their own", U, u32, u64) {
  static_assert(listing_shape::merged_twice < 5103);
  for (unsigned seed = 0; seed < 40; seed += 10) check_shape<listing_shape, U, u32>(5103, seed);
  check_segments<listing_shape, U, u32>(5000, {"gaps as long as listed segments", {0, 1700, 4100}, {300, 2900, 4110}});
}

template <class K, class V, class Offset>
void check_calls(std::size_t n, const sort_options& options, unsigned seed) {
  const auto keys = test::keys_as<K>(test::random_items<ordered_bits_t<K>>(n, 91));
  const auto values = test::random_items<V>(n, 92);
  for (const test::segmentation& s : test::long_and_short(n, 400, 100)) {
    const bounds b = with_gaps(s, n, seed++);
    CAPTURE(b.name);
    const auto order = serial_order(keys, n, b, options);
    test::for_some_schedules(turn++, [&] {
      const guarded<K> in(keys);
      const guarded<V> values_in(values);
      const guarded<Offset> begins(std::vector<Offset>(b.begins.begin(), b.begins.end())),
          ends(std::vector<Offset>(b.ends.begin(), b.ends.end()));
      guarded<K> out(n);
      guarded<V> values_out(n);
      const test::unaligned_scratch scratch(segmented_sort_scratch_bytes<K>(n)),
          of_pairs(segmented_sort_pairs_scratch_bytes<K, V>(n));
      const begins_and_ends at{begins, ends};
      test::directly_and_captured([&] { out.write(left_alone<K>(n)); },
                                  [&] { segmented_sort(scratch.where(), in, at, out, options); },
                                  [&] { CHECK(is_right(out.read(), keys, order)); });
      test::directly_and_captured(
          [&] { out.write(left_alone<K>(n)), values_out.write(left_alone<V>(n)); },
          [&] { segmented_sort_pairs(of_pairs.where(), in, values_in, at, out, values_out, options); },
          [&] {
            CHECK(is_right(out.read(), keys, order));
            CHECK(is_right(values_out.read(), values, order));
          });
      scratch.check_guards();
      of_pairs.check_guards();
    });
  }
}

TEST_CASE("segments with gaps by the public calls") {
  check_calls<u32, u32, u32>(2600, {}, 1);
  check_calls<float, std::uint16_t, std::int32_t>(900, {direction::descending, {5, 22}}, 20);
  check_calls<u64, record, std::int64_t>(1500, {}, 30);
  check_calls<std::uint8_t, record, u64>(500, {.bits = {3, 7}}, 40);
}

TEST_CASE("segments with gaps of keys that are not compared keep their items, and gaps theirs") {
  check_calls<u32, record, u32>(1200, {.bits = {7, 7}}, 50);
  check_calls<u64, u32, u32>(700, {.bits = {0, 0}}, 60);
}

TEST_CASE("segments with gaps: more begins and ends in a tile than are listed, lengths on the device") {
  const std::size_t n = 1000;
  const auto keys = test::random_items<u32>(n, 5);
  bounds b{"many empty", {}, {}};
  for (std::size_t at = 3; at + 7 < n; at += 7) {
    for (unsigned empty = 0; empty < 70; ++empty) b.begins.push_back(at), b.ends.push_back(at);
    b.begins.push_back(at), b.ends.push_back(at + 1 + at % 6);
  }
  REQUIRE(2 * b.begins.size() > detail::max_listed_offsets);
  const std::size_t there = 800, segments = b.begins.size() - 500;
  const auto order = serial_order(keys, n, b, {});
  const bounds fewer{
      "", {b.begins.begin(), b.begins.begin() + std::ptrdiff_t(segments)}, {b.ends.begin(), b.ends.end()}};
  const auto of_fewer = serial_order(keys, there, fewer, {});
  test::for_some_schedules([&] {
    const guarded<u32> in(keys), begins(std::vector<u32>(b.begins.begin(), b.begins.end())),
        ends(std::vector<u32>(b.ends.begin(), b.ends.end()));
    const guarded<u64> lengths(std::vector<u64>{there, segments});
    guarded<u32> out(left_alone<u32>(n)), second(left_alone<u32>(n));
    segmented_sort(allocating(test::test_stream()), in, begins_and_ends{begins, ends}, out);
    CHECK(is_right(out.read(), keys, order));
    segmented_sort(allocating(test::test_stream()), counted{in, lengths.data()},
                   begins_and_ends{counted{begins, lengths.data() + 1}, ends}, second);
    CHECK(is_right(second.read(), keys, of_fewer));
  });
}

TEST_CASE("begins and ends of offsets that touch are those segments; none leaves all alone") {
  const std::size_t n = 3000;
  const auto keys = test::random_items<u32>(n, 6);
  std::vector<u32> at{0, 10, 10, 900, 901, 2500, n};
  test::for_some_schedules([&] {
    const guarded<u32> in(keys), offsets(at);
    guarded<u32> out(n), same(n), none(n);
    const auto all = device_span(offsets.data(), at.size());
    segmented_sort(allocating(test::test_stream()), in, offsets, out);
    segmented_sort(allocating(test::test_stream()), in, begins_and_ends{all.first(at.size() - 1), all.subspan(1)},
                   same);
    CHECK(out.read() == same.read());
    segmented_sort(allocating(test::test_stream()), in, begins_and_ends{all.first(0), all.first(0)}, none);
    const auto left = none.read();
    CHECK(std::all_of(left.begin(), left.end(), [](u32 x) { return test::is_dirt(x); }));
  });
}

// Large arrays, in the shapes in use: gaps and segments of all lengths.
TEST_CASE("large arrays of segments with gaps") {
#if BALLOT_EMULATED
  if (emulator::instrumented()) return;
#endif
  for (const std::size_t n : {std::size_t{140'000}, std::size_t{1'100'000}}) {
    const auto keys = test::random_items<u32>(n, 71);
    bounds b{"", {}, {}};
    std::mt19937 random(static_cast<unsigned>(n));
    for (u64 at = 3; at < n;) {
      const u64 length = random() % (u64{2} << random() % 16), gap = random() % (u64{1} << random() % 16);
      b.begins.push_back(at), b.ends.push_back(std::min<u64>(at + length, n));
      at += length + gap;
    }
    const auto order = serial_order(keys, n, b, {});
    test::depth_first([&] {
      const guarded<u32> in(keys);
      const guarded<u64> begins(b.begins), ends(b.ends);
      guarded<u32> out(left_alone<u32>(n));
      const test::exact_scratch scratch(segmented_sort_scratch_bytes<u32>(n));
      segmented_sort(scratch.where(), in, begins_and_ends{begins, ends}, out);
      CHECK(is_right(out.read(), keys, order));
    });
  }
}

TEST_CASE("begins and ends that do not ascend write nothing but the outputs") {
  const std::size_t n = 2000;
  const auto keys = test::random_items<u32>(n, 8);
  test::for_some_schedules([&] {
    const guarded<u32> in(keys), begins(std::vector<u32>{1500, 3, 900, 5000}), ends(std::vector<u32>{20, 1700, 7, 9});
    const guarded<record> records(n);
    guarded<u32> out(n);
    guarded<record> records_out(n);
    const test::unaligned_scratch scratch(segmented_sort_pairs_scratch_bytes<u32, record>(n));
    segmented_sort_pairs(scratch.where(), in, records, begins_and_ends{begins, ends}, out, records_out);
    (void)out.read();  // the guards
    (void)records_out.read();
    scratch.check_guards();
  });
}

// A position of 32 bits is none where an item stays as it is: so 2^32 items have positions of 64
// bits.
TEST_CASE("segmented sort with gaps: the positions of 2^32 items") {
  const u64 most = u64{1} << 32;
  const u64 less = segmented_sort_pairs_scratch_bytes<u32, record>(most - 1);
  CHECK(segmented_sort_pairs_scratch_bytes<u32, record>(most) - less > most);
}

TEST_CASE("segmented sort between two buffers") {
  const std::size_t n = 1500;
  const auto keys = test::random_items<u32>(n, 9);
  const auto values = test::random_items<u64>(n, 10);
  const std::vector<u64> at{0, 100, 700, 701};
  const auto order = test::serial_segmented_argsort(keys, n, at, {});
  test::for_some_schedules([&] {
    guarded<u32> a(keys), b(n);
    guarded<u64> values_a(values), values_b(n);
    const guarded<u64> offsets(at);
    const test::unaligned_scratch scratch(segmented_sort_pairs_scratch_bytes<u32, u64>(n));
    CHECK(segmented_sort_ping_pong(scratch.where(), a, offsets, b) == 1);
    CHECK(is_right(b.read(), keys, order));
    a.write(keys);
    b.fill_dirt();
    CHECK(segmented_sort_pairs_ping_pong(scratch.where(), a, values_a, offsets, b, values_b) == 1);
    CHECK(is_right(b.read(), keys, order));
    CHECK(is_right(values_b.read(), values, order));
    a.write(keys);
    CHECK(segmented_sort_ping_pong(scratch.where(), a, offsets, b, {.bits = {3, 3}}) == 0);
    CHECK(a.read() == keys);
    CHECK(segmented_sort_pairs_ping_pong(scratch.where(), a, values_a, offsets, b, values_b, {.bits = {3, 3}}) == 0);
  });
}

TEST_CASE("segments with gaps, and buffers: bad arguments are errors before any work") {
  const std::size_t n = 100;
  guarded<u32> keys(n), out(n), second(n), shorter(n - 1);
  const guarded<u32> begins(std::vector<u32>{0, 10}), ends(std::vector<u32>{5, 20}), more(std::vector<u32>{5, 20, 30});
  const guarded<u64> counts(std::vector<u64>{1, 1});
  refused("lengths", "`begins` has 2 items, `ends` has 3", [&](const exec& gpu) {
    segmented_sort(gpu, keys, begins_and_ends{begins, more}, out);
  });
  refused("ends in the output", "`ends`", [&](const exec& gpu) {
    segmented_sort(gpu, keys, begins_and_ends{begins, device_span(out.data(), 2)}, out);
  });
  refused("begins in the output", "`begins`", [&](const exec& gpu) {
    segmented_sort_pairs(gpu, keys, keys, begins_and_ends{device_span(second.data(), 2), ends}, out, second);
  });
  refused("count of the ends", "`ends` is counted", [&](const exec& gpu) {
    segmented_sort(gpu, keys, begins_and_ends{counted{begins, counts.data()}, counted{ends, counts.data() + 1}}, out);
  });
  refused("null", "null", [&](const exec& gpu) {
    segmented_sort(gpu, keys, begins_and_ends{begins, std::span<const u32>(static_cast<u32*>(nullptr), 2)}, out);
  });
  refused("buffers of other lengths", "`b` has 99",
          [&](const exec& gpu) { segmented_sort_ping_pong(gpu, keys, begins, shorter); });
  refused("the same buffer", "overlap", [&](const exec& gpu) { segmented_sort_ping_pong(gpu, keys, begins, keys); });
  refused("bits", "bit", [&](const exec& gpu) { segmented_sort_ping_pong(gpu, keys, begins, out, {.bits = {0, 33}}); });
  refused("buffers of values", "`values_b` has 99",
          [&](const exec& gpu) { segmented_sort_pairs_ping_pong(gpu, keys, keys, begins, out, shorter); });
}

}  // namespace algorithms_segmented_sort_gaps
