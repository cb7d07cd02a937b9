// SPDX-License-Identifier: Apache-2.0
// The kernels of the sort within segments, in small shapes and in those in use, against a stable
// sort of each segment.
#include <ballot/segmented_sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_order.hpp"
#include "support/sort_reference.hpp"

using namespace ballot;

namespace algorithms_segmented_sort_shapes {

unsigned turn = 0;  // of cases, to take the schedules in turns

// Blocks of 1024 items and ranges of 700, so that few items have long segments and many ranges. One
// round of merging is enough for 4 or 2 ranges, two rounds for 16 or 4.
using small_shape = detail::segment_sort_shape<detail::block_sort_shape<8, 5, 10>, 700, 4>;
using small_shape_of_few = detail::segment_sort_shape<detail::sparse_block_sort_shape<8, 5, 10>, 700, 2, 2>;

// gathered: gets the items of the segments that are sorted by digits, or null.
template <class Shape, class U, class V>
void sort_in_shape(const test::guarded<U>& keys, const V* values, const test::guarded<std::uint32_t>& offsets,
                   test::guarded<U>& keys_out, V* values_out, detail::length n,
                   const detail::composite_layout<U>& layout = {{}, 0, 8 * sizeof(U)},
                   std::uint64_t* gathered = nullptr) {
  detail::scratch_carver measure;
  detail::segment_sort_scratch<U, V, Shape>(measure, n.capacity);
  const test::exact_scratch scratch(measure.bytes());
  detail::scratch_carver carver(scratch.where().scratch().data());
  detail::segment_sort_arguments<U, std::uint32_t, V> a{};
  a.keys = keys.data();
  a.n = n;
  a.offsets = offsets.data();
  a.segments = {offsets.size(), nullptr};
  a.layout = layout;
  a.keys_out = keys_out.data();
  a.values = values;
  a.values_out = values_out;
  detail::launch_segment_sort_in_shape<Shape>(test::test_stream(), carver, a, "test");
  scratch.check_guards();
  if (gathered == nullptr) return;
  detail::scratch_carver second_round(scratch.where().scratch().data());
  const detail::segment_sort_scratch<U, V, Shape> used(second_round, n.capacity);
  simt::copy_bytes(test::test_stream(), gathered, used.gathered.count, sizeof(*gathered));
  simt::synchronize(test::test_stream());
}

// Keys by which bins work, overflow, and have nothing to do.
template <class U>
std::vector<std::pair<std::string, std::vector<U>>> keys_of_all_kinds(std::size_t n) {
  auto random = test::random_items<U>(n, 94), few = random, low = random, skewed = random;
  for (std::size_t i = 0; i < n; ++i) {
    few[i] = static_cast<U>(few[i] % 3);
    low[i] = static_cast<U>((low[i] & 0x3fff) | U{0x5a} << (8 * sizeof(U) - 8));
    if (i % 4 != 0) skewed[i] = static_cast<U>(skewed[i] >> (4 * sizeof(U)));
  }
  return {{"all the same", std::vector<U>(n, U{77})},
          {"few", few},
          {"differing in low bits", low},
          {"random", random},
          {"skewed", skewed}};
}

template <class Shape, class U, class V>
void check_shape(std::size_t n, const std::vector<test::segmentation>& segmentations, std::size_t kinds = 5) {
  const auto positions = [&] {
    std::vector<V> at(n);
    for (std::size_t i = 0; i < n; ++i) at[i] = static_cast<V>(7 * i);
    return at;
  }();
  const auto all_keys = keys_of_all_kinds<U>(n);
  for (std::size_t kind = 5 - kinds; kind < 5; ++kind)
    for (const test::segmentation& s : segmentations) {
      const auto& [name, keys] = all_keys[kind];
      CAPTURE(name);
      CAPTURE(s.name);
      const auto order = test::serial_segmented_argsort(keys, n, s.offsets, {});
      test::for_some_schedules(turn++, [&] {
        const test::guarded<U> in(keys);
        const test::guarded<V> values(positions);
        const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>(s.offsets.begin(), s.offsets.end()));
        test::guarded<U> out(n), out_alone(n), out_again(n);
        test::guarded<V> values_out(n), indices(n);
        const detail::length length{n, nullptr};
        sort_in_shape<Shape, U, V>(in, values.data(), offsets, out, values_out.data(), length);
        sort_in_shape<Shape, U, V>(in, nullptr, offsets, out_again, indices.data(), length);
        sort_in_shape<Shape, U, detail::no_value>(in, nullptr, offsets, out_alone, nullptr, length);
        const auto got = out.read(), alone = out_alone.read(), second_round = out_again.read();
        const auto got_values = values_out.read(), got_indices = indices.read();
        bool right = true;
        for (std::size_t i = 0; i < n; ++i)
          right &= got[i] == keys[order[i]] && alone[i] == got[i] && second_round[i] == got[i] &&
                   got_values[i] == positions[order[i]] && got_indices[i] == static_cast<V>(order[i]);
        CHECK(right);
      });
    }
}

// Segments as long as a block has room for and one more, two of them and what is left.
template <class Shape, class U, class V>
void check_longest(std::size_t kinds) {
  const std::size_t n = 2 * Shape::longest + 777;
  auto all = test::long_and_short(n, Shape::longest, Shape::tile_items);
  all.erase(all.begin(), all.begin() + 2);  // of one segment
  check_shape<Shape, U, V>(n, all, kinds);
}

TEST_CASE_TEMPLATE("segmented sort in small blocks: segments that fit, are merged once, and twice", U, std::uint32_t,
                   std::uint64_t) {
  constexpr std::size_t kinds = sizeof(U) == 4 ? 5 : 1;
  check_shape<small_shape, U, std::uint32_t>(2100, test::long_and_short(2100, small_shape::longest, 700), kinds);
  check_shape<small_shape, U, std::uint32_t>(5103, test::long_and_short(5103, small_shape::longest, 700), 1);
}

// Keys that differ in their lower halves alone.
TEST_CASE("segmented sort of two tiles, of one segment") {
  using U = std::uint64_t;
  const std::size_t n = 2 * small_shape::tile_items;
  static_assert(2 * small_shape::tile_items > small_shape::longest);
  auto keys = test::random_items<U>(n, 95);
  for (U& key : keys) key %= 3;
  test::for_some_schedules([&] {
    const test::guarded<U> in(keys);
    const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>{0});
    test::guarded<U> out(n);
    sort_in_shape<small_shape, U, detail::no_value>(in, nullptr, offsets, out, nullptr, {n, nullptr});
    CHECK(out.read() == test::serial_sort(keys, {}));
  });
}

TEST_CASE_TEMPLATE("segmented sort in small blocks: segments that fit, are merged, and sorted by digits", U,
                   std::uint32_t, std::uint64_t) {
  static_assert(small_shape_of_few::merged_twice < 3103);
  check_shape<small_shape_of_few, U, std::uint32_t>(3103, test::long_and_short(3103, small_shape::longest, 700),
                                                    sizeof(U) == 4 ? 2 : 1);
}

TEST_CASE_TEMPLATE("segmented sort in the blocks in use", U, std::uint16_t, std::uint64_t) {
  check_longest<detail::large_segment_sort_shape<U>, U, std::uint64_t>(1);
}

TEST_CASE_TEMPLATE("segmented sort in the blocks in use of few items", U, std::uint16_t, std::uint64_t) {
  check_longest<detail::small_segment_sort_shape<U>, U, std::uint32_t>(2);
}

TEST_CASE("segmented sort of a length on the device: ranges behind it have nothing to do") {
  using U = std::uint32_t;
  const std::size_t capacity = 6000;
  const auto keys = test::random_items<U>(capacity, 90);
  for (const std::size_t n : {0, 1, 699, 700, 3001}) {
    CAPTURE(n);
    const std::vector<std::uint64_t> at{5, 6, 1700, 2900, 4000};
    const auto order = test::serial_segmented_argsort(keys, n, at, {});
    test::for_some_schedules([&] {
      const test::guarded<U> in(keys);
      const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>(at.begin(), at.end()));
      const test::guarded<std::uint64_t> count(std::vector<std::uint64_t>{n});
      test::guarded<U> out(capacity);
      sort_in_shape<small_shape, U, detail::no_value>(in, nullptr, offsets, out, nullptr, {capacity, count.data()});
      const auto got = out.read();
      bool right = true;
      for (std::size_t i = 0; i < capacity; ++i) right &= i < n ? got[i] == keys[order[i]] : test::is_dirt(got[i]);
      CHECK(right);
    });
  }
}

// Keys with a codec and other bits, of a length on the device: in segments that are merged, twice
// too, or sorted by digits.
template <class Shape, class K, class V>
void check_layout(std::size_t n, std::size_t capacity, const sort_options& options,
                  const std::vector<std::uint64_t>& at) {
  using U = ordered_bits_t<K>;
  CAPTURE(n);
  const auto words = test::random_items<U>(capacity, 94);
  const auto order = test::serial_segmented_argsort(test::keys_as<K>(words), n, at, options);
  const auto plan = detail::plan_digits(options.bits, 8 * sizeof(U), "test");
  test::for_some_schedules(turn++, [&] {
    const test::guarded<U> in(words);
    const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>(at.begin(), at.end()));
    const test::guarded<std::uint64_t> count(std::vector<std::uint64_t>{n});
    test::guarded<U> out(capacity);
    test::guarded<V> places(capacity);
    sort_in_shape<Shape, U, V>(in, nullptr, offsets, out, places.data(), {capacity, count.data()},
                               {detail::codec_of<K>(options), plan.low, plan.high});
    const auto got = out.read();
    const auto from = places.read();
    bool right = true;
    for (std::size_t i = 0; i < capacity; ++i)
      right &= i < n ? got[i] == words[order[i]] && from[i] == static_cast<V>(order[i]) : test::is_dirt(got[i]);
    CHECK(right);
  });
}

TEST_CASE("segmented sort in small blocks, of keys with a codec and other bits, of a length on the device") {
  const std::vector<std::uint64_t> merged_and_not{3, 1403, 1404};  // of few: 1400 items are merged, 1401 are not
  for (const std::size_t n : {1, 2805, 4300}) {
    check_layout<small_shape_of_few, float, std::uint32_t>(n, 4300, {direction::descending, {5, 22}}, merged_and_not);
    check_layout<small_shape, std::int64_t, std::uint32_t>(n, 4300, {direction::descending, {8, 40}}, merged_and_not);
  }
  check_layout<small_shape_of_few, std::uint8_t, std::uint64_t>(4300, 4300, {.bits = {3, 7}}, merged_and_not);
  // The shortest ones of those that are not, side by side: each has a number of its own.
  check_layout<small_shape_of_few, std::int64_t, std::uint64_t>(4203, 4203, {direction::descending}, {0, 1401, 2802});
}

TEST_CASE("segmented sort: more empty segments in a range than are looked at one by one") {
  using U = std::uint32_t;
  constexpr std::size_t n = 3000, many = detail::max_listed_offsets + 1;
  const auto keys = test::random_items<U>(n, 99);
  std::vector<std::uint64_t> at;
  for (std::size_t i = 0; i < n; i += 1 + i % 20) {
    at.push_back(i);
    if (i / 600 != (i + 1 + i % 20) / 600) at.insert(at.end(), i > 1200 ? many : 3, i + 1);  // not in the first range
  }
  const auto order = test::serial_segmented_argsort(keys, n, at, {});
  test::for_each_schedule([&] {
    const test::guarded<U> in(keys);
    const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>(at.begin(), at.end()));
    test::guarded<U> out(n);
    sort_in_shape<small_shape, U, detail::no_value>(in, nullptr, offsets, out, nullptr, {n, nullptr});
    const auto got = out.read();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right &= got[i] == keys[order[i]];
    CHECK(right);
  });
}

// All items are there, whatever their order. gathered: as sort_in_shape has it.
template <class Shape>
void check_disordered_in_shape(std::size_t n, const std::vector<std::uint32_t>& at, std::uint64_t* gathered = nullptr) {
  using U = std::uint32_t;
  std::vector<U> positions(n);
  for (std::size_t i = 0; i < n; ++i) positions[i] = static_cast<U>(i);
  const auto keys = test::random_items<U>(n, 95);
  const test::guarded<U> in(keys), values_in(positions);
  const test::guarded<std::uint32_t> offsets(at);
  test::guarded<U> out(n), values_out(n);
  sort_in_shape<Shape, U, U>(in, values_in.data(), offsets, out, values_out.data(), {n, nullptr}, {{}, 0, 32},
                             gathered);
  auto from = values_out.read();
  const auto got = out.read();
  bool right = true;
  for (std::size_t i = 0; i < n; ++i) right &= from[i] < n && got[i] == keys[from[i]];
  CHECK(right);
  std::sort(from.begin(), from.end());
  CHECK(from == positions);
}
void check_disordered(std::size_t n, const std::vector<std::uint32_t>& at) {
  test::for_some_schedules([&] { check_disordered_in_shape<small_shape>(n, at); });
  test::for_some_schedules([&] { check_disordered_in_shape<small_shape_of_few>(n, at); });
}

TEST_CASE("segmented sort by offsets that do not ascend, here and there") {
  for (const unsigned seed : {96, 97, 98}) {
    CAPTURE(seed);
    // The last ones differ from ascending ones in a few places alone.
    const std::size_t n = 5300;  // merged twice; and for the other shape, more than that
    auto at = test::random_items<std::uint32_t>(400, seed);
    for (std::uint32_t& offset : at) offset %= 2 * n;
    if (seed != 96) std::sort(at.begin(), at.end());
    if (seed == 97) std::swap(at[20], at[150]);
    if (seed == 98) std::rotate(at.begin() + 30, at.begin() + 31, at.begin() + 90);
    check_disordered(n, at);
  }
}

TEST_CASE("segmented sort by offsets that do not ascend within a tile, beside a subsegment of a longer segment") {
  for (const std::vector<std::uint32_t>& at : {std::vector<std::uint32_t>{10, 40, 20},  // behind the last one
                                               {1350, 900, 1360},                       // before the first one
                                               {1300, 720, 2000, 1450}}) {              // two ranges, which see it
    CAPTURE(at[0]);
    check_disordered(3103, at);
  }
}

// Every other range meets a segment that seems to reach from there to the end, and the ranges
// between see that offsets do not ascend. All these segments together have several times as many
// items as there are.
TEST_CASE("segmented sort by offsets of which long segments are made that have more items than there are") {
  constexpr std::size_t range = small_shape_of_few::tile_items, ranges = 20, n = ranges * range;
  std::vector<std::uint32_t> at(64, n);  // by warps: every second one is looked at, then the one before that
  for (std::size_t j = 0; j < ranges; ++j) {
    at[2 * j + 1] = static_cast<std::uint32_t>(j * range + 100);
    if (j % 2 == 0) at[2 * j] = at[2 * j + 1] - 50;
  }
  test::for_some_schedules(turn++, [&] {
    std::uint64_t gathered = 0;
    check_disordered_in_shape<small_shape_of_few>(n, at, &gathered);
    CHECK(gathered > 5 * n);
  });
}

// One thread: every segment from `step` * i to the end is given a place.
template <class Segments>
__global__ void place_segments_kernel(Segments all, std::uint64_t n, std::uint64_t step) {
  if (simt::thread_rank() != 0) return;
  for (std::uint64_t begin = 0; begin < n; begin += step) (void)detail::reserve_composites(all, begin, n);
}

TEST_CASE("offsets of long segments that have more items than there are: ids for those within") {
  const std::uint64_t n = 6000, step = 100, least = 500;
  using segments = detail::long_segments<std::uint32_t, detail::no_value>;
  test::for_some_schedules(turn++, [&] {
    const test::guarded<std::uint64_t> places(std::vector<std::uint64_t>(n / step, 0)),
        items(std::vector<std::uint64_t>{0});
    const test::guarded<std::uint64_t> shifts(segments::max_ids(n, least));
    const segments all{step, least, places.data(), items.data(), nullptr, shifts.data(), nullptr, nullptr, n};
    simt::launch(place_segments_kernel<segments>, simt::launch_config{dim3(1), dim3(32), 0, test::test_stream()}, all,
                 n, step);
    std::uint64_t given = 0;
    const auto found = places.read(), written = shifts.read();
    for (std::uint64_t begin = 0; begin < n; given += n - begin, begin += step) {
      CHECK(found[begin / step] == given + 2);
      if (given < n) CHECK(written[given / least] == begin - given);
    }
    CHECK(given > 20 * n);
    CHECK(items.read()[0] == given);
  });
}

}  // namespace algorithms_segmented_sort_shapes
