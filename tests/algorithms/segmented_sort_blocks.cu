// SPDX-License-Identifier: Apache-2.0
// Segments that a block sorts alone: by bins, by finer bins, by digits.
#include <ballot/detail/segmented_sort/block_segment_kernel.cuh>
#include <ballot/segmented_sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_order.hpp"
#include "support/sort_reference.hpp"

#include <algorithm>
#include <cmath>
#include <random>

using namespace ballot;

namespace algorithms_segmented_sort_blocks {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

unsigned turn = 0;  // of cases, to take the schedules in turns

template <class K, class V>
void sort_rows(unsigned threads, u64 row, bool counts_from_segment, const test::guarded<ordered_bits_t<K>>& keys,
               const V* values, test::guarded<ordered_bits_t<K>>& keys_out, V* values_out,
               const sort_options& options) {
  using U = ordered_bits_t<K>;
  const auto plan = detail::plan_digits(options.bits, 8 * sizeof(U), "test");
  detail::block_segment_arguments<U, V> a{};
  a.keys = keys.data();
  a.keys_out = keys_out.data();
  a.values = values;
  a.values_out = values_out;
  a.layout = {detail::codec_of<K>(options), plan.low, plan.high};
  a.counts_from_segment = counts_from_segment;
  a.row_items = row;
  a.arrays = {static_cast<u32>(row), threads};
  simt::launch(detail::block_segment_kernel<U, V>,
               simt::launch_config{dim3(static_cast<unsigned>(keys.size() / row)), dim3(threads), a.arrays.bytes(),
                                   test::test_stream()},
               a);
}

template <class K, class V>
void check_rows(unsigned threads, std::size_t rows, std::size_t row, const std::vector<ordered_bits_t<K>>& words,
                const sort_options& options = {}) {
  using U = ordered_bits_t<K>;
  const std::size_t n = rows * row;
  CAPTURE(row);
  CAPTURE(threads);
  REQUIRE(words.size() == n);
  std::vector<u64> begins;
  for (std::size_t i = 0; i < n; i += row) begins.push_back(i);
  const auto order = test::serial_segmented_argsort(test::keys_as<K>(words), n, begins, options);
  std::vector<V> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<V>(3 * i + 1);
  test::for_some_schedules(turn++, [&] {
    const test::guarded<U> in(words);
    const test::guarded<V> values(numbers);
    test::guarded<U> out(n), alone(n), with_values(n);
    test::guarded<V> places(n), values_out(n);
    const bool from_segment = turn % 2 == 0;
    sort_rows<K, V>(threads, row, from_segment, in, nullptr, out, places.data(), options);
    sort_rows<K, V>(threads, row, from_segment, in, values.data(), with_values, values_out.data(), options);
    sort_rows<K, detail::no_value>(threads, row, from_segment, in, nullptr, alone, nullptr, options);
    const auto got = out.read(), keys = alone.read(), beside = with_values.read();
    const auto from = places.read(), moved = values_out.read();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i)
      right &= got[i] == words[order[i]] && keys[i] == got[i] && beside[i] == got[i] &&
               from[i] == static_cast<V>(order[i] - (from_segment ? i / row * row : 0)) &&
               moved[i] == numbers[order[i]];
    CHECK(right);
  });
}

TEST_CASE_TEMPLATE("random keys, around rows of threads", K, std::uint8_t, std::int16_t, u32, float, u64, double) {
  using U = ordered_bits_t<K>;
  for (const std::size_t row : {1, 2, 3, 31, 33, 255, 256, 257, 300, 510, 513, 1022, 1025, 5119, 5120}) {
    check_rows<K, u32>(256, 2, row, test::random_items<U>(2 * row, 41));
    if (row > 3000 || row < 32)
      check_rows<K, u64>(512, 1, row, test::random_items<U>(row, 42), {direction::descending});
  }
  check_rows<K, u32>(256, 1, 1000, test::random_items<U>(1000, 43), {direction::descending, {3, 7}});
}

TEST_CASE("as many items as a block has room for") {
  check_rows<u32, u32>(256, 1, 8192, test::random_items<u32>(8192, 44));
  check_rows<u32, u64>(1024, 1, 32768, test::random_items<u32>(32768, 45));
  check_rows<double, u64>(1024, 1, 20480, test::random_items<u64>(20480, 46));
}

// Of `kind`: few distinct keys, one key, ascending, descending, most side by side, over many
// magnitudes, pairs, every 256th number, one key that is far away.
template <class U>
std::vector<U> keys_of_kind(std::size_t n, int kind) {
  std::mt19937_64 random(n + static_cast<unsigned>(kind));
  std::normal_distribution<double> normal;
  std::vector<U> words(n);
  for (std::size_t i = 0; i < n; ++i) {
    const u64 bits = random();
    switch (kind) {
      case 0:
        words[i] = static_cast<U>(bits % 3 * 0x01234567u);
        break;
      case 1:
        words[i] = 7;
        break;
      case 2:
        words[i] = static_cast<U>(i);
        break;
      case 3:
        words[i] = static_cast<U>(n - i);
        break;
      case 4:
        words[i] = static_cast<U>(bits % 64 == 0 ? bits >> 8 : 1'000'000 + bits % 4096);
        break;
      case 5:
        words[i] = static_cast<U>(std::exp(2 * normal(random)) * 1e4);
        break;
      case 6:
        words[i] = static_cast<U>(bits % (n / 2 + 1) * 77'777u);
        break;
      case 7:
        words[i] = static_cast<U>(bits << 8);
        break;
      default:
        words[i] = static_cast<U>(i == n / 2 ? ~U{0} : bits % (4 * n));
        break;
    }
  }
  return words;
}

TEST_CASE_TEMPLATE("keys that are not spread evenly", U, u32, u64) {
  for (int kind = 0; kind < 9; ++kind)
    for (const std::size_t row : {511, 700, 2500}) {
      CAPTURE(kind);
      check_rows<U, u32>(256, 1, row, keys_of_kind<U>(row, kind));
      check_rows<U, u64>(512, 1, row, keys_of_kind<U>(row, kind), {direction::descending, {4, 20}});
    }
}

// Large arrays, in tiles of 700 of which blocks sort 1024 items: longer segments are listed, up to
// 1500 in one class and up to 3000 in the other, or only up to 1200; then longer ones are merged.
// The longest are gathered.
using two_classes = detail::segment_sort_shape<detail::block_sort_shape<8, 5, 10>, 700, 2, 2, 3000>;
using one_class = detail::segment_sort_shape<detail::block_sort_shape<8, 5, 10>, 700, 2, 2, 1200>;
static_assert(two_classes::merged_in_large == 1400);

// Sorts by offsets, and returns how many segments of each class were listed.
template <class Shape, class U, class V>
std::vector<u32> sort_by(const detail::any_offsets& at, u64 segments, const test::guarded<U>& keys, const V* values,
                         test::guarded<U>& keys_out, V* values_out) {
  const u64 n = keys.size();
  detail::scratch_carver measure;
  detail::segment_sort_scratch<U, V, Shape>(measure, n);
  const test::exact_scratch scratch(measure.bytes());
  detail::scratch_carver carver(scratch.where().scratch().data()), again(scratch.where().scratch().data());
  detail::segment_sort_arguments<U, detail::any_offsets, V> a{};
  a.keys = keys.data();
  a.n = {n, nullptr};
  a.offsets = at;
  a.segments = {segments, nullptr};
  a.layout = {{}, 0, 8 * sizeof(U)};
  a.keys_out = keys_out.data();
  a.values = values;
  a.values_out = values_out;
  detail::launch_segment_sort_in_shape<Shape>(test::test_stream(), carver, a, "test");
  scratch.check_guards();
  std::vector<u32> counts(detail::listed_segments::classes);
  const detail::segment_sort_scratch<U, V, Shape> used(again, n);
  simt::copy_bytes(test::test_stream(), counts.data(), used.listed.counts, counts.size() * sizeof(u32));
  simt::synchronize(test::test_stream());
  return counts;
}

template <class Shape, class U, class V>
void check_listed(const std::vector<std::size_t>& lengths, const std::vector<u32>& listed) {
  std::vector<u64> begins;
  std::size_t n = 5;
  for (const std::size_t length : lengths) begins.push_back(n), n += length;
  REQUIRE(detail::lists_segments<Shape>(n, detail::any_length));
  auto words = test::random_items<U>(n, 47);
  for (std::size_t i = n / 2; i < n; ++i) words[i] = static_cast<U>(words[i] % 100);
  std::vector<V> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<V>(3 * i + 1);
  const auto order = test::serial_segmented_argsort(words, n, begins, {});
  test::for_some_schedules(turn++, [&] {
    const test::guarded<U> in(words);
    const test::guarded<V> values(numbers);
    const test::guarded<u64> offsets(begins);
    test::guarded<U> out(n), with_places(n);
    test::guarded<V> values_out(n), places(n);
    detail::any_offsets at;
    at.offsets = offsets.data();
    at.are_wide = true;
    CHECK(sort_by<Shape, U, V>(at, begins.size(), in, values.data(), out, values_out.data()) == listed);
    at.counts_from_segment = true;
    sort_by<Shape, U, V>(at, begins.size(), in, nullptr, with_places, places.data());
    const auto got = out.read(), beside = with_places.read();
    const auto moved = values_out.read(), from = places.read();
    bool right = true;
    std::size_t segment = 0;
    for (std::size_t i = 0; i < n; ++i) {
      while (segment + 1 < begins.size() && begins[segment + 1] <= i) ++segment;
      right &= got[i] == words[order[i]] && beside[i] == got[i] && moved[i] == numbers[order[i]] &&
               from[i] == static_cast<V>(order[i] - (i < begins[0] ? 0 : begins[segment]));
    }
    CHECK(right);
  });
}

TEST_CASE_TEMPLATE("listed segments: of both classes, beside shorter and longer ones", U, u32, u64) {
  check_listed<two_classes, U, u32>({1024, 1025, 0, 1500, 1501, 40, 3000, 3001, 7, 2000, 1, 1}, {2, 3});
  check_listed<two_classes, U, u64>({4000, 300, 1025}, {1, 0});
  check_listed<two_classes, U, u32>({3000, 3000, 3000, 3000, 1025}, {1, 4});
  check_listed<two_classes, U, u32>({900, 1000, 1024, 3001}, {0, 0});
  check_listed<one_class, U, u32>({1024, 1025, 0, 1200, 1201, 1400, 1401, 40, 3000, 7}, {0, 2});
}

TEST_CASE("two blocks take the segments of a list one after the other") {
  constexpr std::size_t segments = 7, length = 300, n = segments * length;
  const auto words = test::random_items<u32>(n, 50);
  std::vector<u64> begins;
  std::vector<detail::listed_segment> all;
  for (u64 begin = 0; begin < n; begin += length) begins.push_back(begin), all.push_back({begin, begin + length});
  const auto order = test::serial_segmented_argsort(words, n, begins, {});
  test::for_some_schedules(turn++, [&] {
    const test::guarded<u32> in(words);
    test::guarded<u32> out(n), zeroed(std::vector<u32>(detail::listed_segments::zeroed_words));
    test::guarded<detail::listed_segment> list(all);
    detail::block_segment_arguments<u32, detail::no_value> a{};
    a.keys = in.data();
    a.keys_out = out.data();
    a.layout = {{}, 0, 32};
    a.arrays = {length, 256};
    a.list.longest[0] = a.list.longest[1] = length;
    a.list.capacity = segments;
    a.list.segments = list.data();
    a.list.zeroed_at(zeroed.data());
    a.is_first_launch = true;
    const u32 count = segments;
    simt::copy_bytes(test::test_stream(), a.list.counts, &count, sizeof(count));
    simt::launch(detail::block_segment_kernel<u32, detail::no_value>,
                 simt::launch_config{dim3(2), dim3(256), a.arrays.bytes(), test::test_stream()}, a);
    const auto got = out.read();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right &= got[i] == words[order[i]];
    CHECK(right);
  });
}

TEST_CASE("listed segments on GPUs with less shared memory") {
#if BALLOT_EMULATED
  for (const bool are_small : {false, true})
    test::on_smaller_gpus([&] {
      using shape = detail::first_shape<detail::large_segment_sort_shape<u32>>;
      detail::listed_segments list;
      constexpr u64 n = detail::many_listed_items;
      detail::limit_listed_segments<u32, shape>(list, are_small ? n : n - 1, n / 3000);
      CHECK(list.longest[0] <= list.longest[1]);
      CHECK(list.longest[0] > shape::longest);
      for (unsigned of = 0; of < detail::listed_segments::classes; ++of) {
        const auto fits = [](u64 items) {
          const unsigned threads = detail::threads_of_segment<u32>(items);
          return detail::block_segment_arrays<u32>{static_cast<u32>(items), threads}.bytes() <=
                 simt::shared_bytes_limit();
        };
        CHECK(fits(list.longest[of]));
        CHECK((list.longest[of] == shape::longest_alone / (of == 1     ? 1
                                                           : are_small ? 4
                                                                       : 2) ||
               !fits(list.longest[of] + 1)));
      }
    });
#endif
}

TEST_CASE("offsets that do not ascend: segments are listed, but all items are copied") {
  const std::vector<std::vector<u64>> cases{
      {0, 1100, 2300, 1200, 4000, 5100}, {2900, 100, 1300}, {5000, 1, 1200, 2500}};
  const std::size_t n = 6000;
  const auto words = test::random_items<u32>(n, 48);
  std::vector<u32> positions(n);
  for (std::size_t i = 0; i < n; ++i) positions[i] = static_cast<u32>(i);
  for (const auto& offsets_of : cases)
    test::for_some_schedules(turn++, [&] {
      const test::guarded<u32> in(words), values(positions);
      const test::guarded<u64> offsets(offsets_of);
      test::guarded<u32> out(n), values_out(n);
      detail::any_offsets at;
      at.offsets = offsets.data();
      at.are_wide = true;
      sort_by<two_classes, u32, u32>(at, offsets_of.size(), in, values.data(), out, values_out.data());
      CHECK(out.read() == words);
      CHECK(values_out.read() == positions);
      sort_by<one_class, u32, u32>(at, offsets_of.size(), in, nullptr, out, values_out.data());
      CHECK(out.read() == words);
      CHECK(values_out.read() == positions);
    });
}

template <class U>
void check_rows_of_call(std::size_t row) {
  CAPTURE(row);
  const std::size_t n = 2 * row;
  const auto words = test::random_items<U>(n, 49);
  const auto order = test::serial_segmented_argsort(words, n, {0, row}, {});
  test::for_some_schedules(turn++, [&] {
    const test::guarded<U> in(words);
    test::guarded<U> out(n);
    test::guarded<u64> places(n);
    const test::exact_scratch scratch(detail::segmented_sort_bytes<U, u64>(n, false, row));
    detail::scratch_carver carver(scratch.where().scratch().data());
    detail::segment_sort_arguments<U, detail::any_offsets, u64> a{};
    a.n = {n, nullptr};
    a.offsets.row_items = row;
    a.segments = {2, nullptr};
    a.layout = {{}, 0, 8 * sizeof(U)};
    a.keys = in.data();
    a.keys_out = out.data();
    a.values_out = places.data();
    detail::launch_segment_sort(test::test_stream(), carver, a, "test", row);
    scratch.check_guards();
    const auto got = out.read();
    const auto from = places.read();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right &= got[i] == words[order[i]] && from[i] == order[i];
    CHECK(right);
  });
}

TEST_CASE("rows take blocks of their own where they have room") {
  for (const std::size_t row : {4864, 4865, 9000}) check_rows_of_call<u32>(row);
  for (const std::size_t row : {999, 1000, 3073}) check_rows_of_call<u64>(row);
  check_rows_of_call<std::uint8_t>(5000);
}

}  // namespace algorithms_segmented_sort_blocks
