// SPDX-License-Identifier: Apache-2.0
// The sort within segments by any_offsets, as in the compiled library: rows of one length and
// offsets of both sizes. Positions count from the begin of their segment. And keys that are not
// spread evenly.
#include <ballot/segmented_sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_order.hpp"
#include "support/sort_reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

using namespace ballot;

namespace algorithms_segmented_sort_rows {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

unsigned turn = 0;  // of cases, to take the schedules in turns

// Blocks of 1024 items and tiles of 700; one round of merging does for 4 tiles, two for 16, or for
// 2 and 4.
using small_shape = detail::segment_sort_shape<detail::block_sort_shape<8, 5, 10>, 700, 4>;
using small_shape_of_few = detail::segment_sort_shape<detail::sparse_block_sort_shape<8, 5, 10>, 700, 2, 2>;

template <class Shape, class K, class V>
void sort_at(const detail::any_offsets& at, u64 segments, u64 longest, const test::guarded<ordered_bits_t<K>>& keys,
             test::guarded<ordered_bits_t<K>>& keys_out, V* values_out, const sort_options& options = {}) {
  using U = ordered_bits_t<K>;
  const u64 n = keys.size();
  detail::scratch_carver measure;
  detail::segment_sort_scratch<U, V, Shape>(measure, n, longest);
  if (longest <= Shape::longest) CHECK(measure.bytes() == 0);
  const test::exact_scratch scratch(measure.bytes());
  detail::scratch_carver carver(scratch.where().scratch().data());
  const auto plan = detail::plan_digits(options.bits, 8 * sizeof(U), "test");
  detail::segment_sort_arguments<U, detail::any_offsets, V> a{};
  a.keys = keys.data();
  a.n = {n, nullptr};
  a.offsets = at;
  a.segments = {segments, nullptr};
  a.layout = {detail::codec_of<K>(options), plan.low, plan.high};
  a.keys_out = keys_out.data();
  a.values_out = values_out;
  detail::launch_segment_sort_in_shape<Shape>(test::test_stream(), carver, a, "test", longest);
  scratch.check_guards();
}

// from_segment: positions count from the begin of their segment.
template <class Shape, class K, class V>
void check_at(const detail::any_offsets& at, const std::vector<u64>& begins, u64 longest,
              const std::vector<ordered_bits_t<K>>& words, const sort_options& options = {}) {
  using U = ordered_bits_t<K>;
  const std::size_t n = words.size();
  const auto order = test::serial_segmented_argsort(test::keys_as<K>(words), n, begins, options);
  test::for_some_schedules(turn++, [&] {
    const test::guarded<U> in(words);
    test::guarded<U> out(n), alone(n);
    test::guarded<V> places(n);
    sort_at<Shape, K, V>(at, begins.size(), longest, in, out, places.data(), options);
    sort_at<Shape, K, detail::no_value>(at, begins.size(), longest, in, alone, nullptr, options);
    const auto got = out.read(), keys = alone.read();
    const auto from = places.read();
    bool right = true;
    std::size_t segment = 0;
    for (std::size_t i = 0; i < n; ++i) {
      while (segment + 1 < begins.size() && begins[segment + 1] <= i) ++segment;
      const u64 counted_from = at.counts_from_segment && i >= begins[0] ? begins[segment] : 0;
      right &= got[i] == words[order[i]] && keys[i] == got[i] && from[i] == static_cast<V>(order[i] - counted_from);
    }
    CHECK(right);
  });
}

template <class Shape, class K, class V>
void check_rows(std::size_t n, std::size_t row, const sort_options& options = {}) {
  CAPTURE(n);
  CAPTURE(row);
  detail::any_offsets at;
  at.row_items = row;
  std::vector<u64> begins;
  for (std::size_t i = 0; i < n; i += row) begins.push_back(i);
  for (const bool from_segment : {false, true}) {
    at.counts_from_segment = from_segment;
    check_at<Shape, K, V>(at, begins, row, test::random_items<ordered_bits_t<K>>(n, 41), options);
  }
}

TEST_CASE("rows that fit a block: so many a tile as fit, without scratch") {
  for (const std::size_t row : {1, 3, 31, 250, 341, 512, 513, 700, 1023, 1024}) {
    check_rows<small_shape, u32, u64>(3 * 1024 / row * row, row);
    check_rows<small_shape_of_few, u64, u32>(3 * 700 / row * row + row, row);
  }
  check_rows<small_shape, float, u32>(5 * 333, 333, {direction::descending, {5, 22}});
}

TEST_CASE("rows that no block has room for: merged once and twice, and sorted by digits") {
  check_rows<small_shape, u32, u32>(2 * 1025, 1025);
  check_rows<small_shape, u32, u64>(4 * 1300, 1300, {direction::descending});
  check_rows<small_shape_of_few, u32, u32>(3 * 1400, 1400);
  check_rows<small_shape_of_few, float, u64>(3 * 1401, 1401);
  check_rows<small_shape_of_few, u64, u32>(2 * 2101, 2101);
}

TEST_CASE("offsets of either size, known when the kernel runs") {
  const std::size_t n = 4300;
  const std::vector<u64> begins{3, 3, 900, 1403, 1404, 1404, 3000};
  const test::guarded<u32> narrow(std::vector<u32>(begins.begin(), begins.end()));
  const test::guarded<u64> wide(begins);
  for (const bool are_wide : {false, true})
    for (const bool from_segment : {false, true}) {
      detail::any_offsets at;
      at.offsets = are_wide ? static_cast<const void*>(wide.data()) : narrow.data();
      at.are_wide = are_wide;
      at.counts_from_segment = from_segment;
      const auto words = test::random_items<u32>(n, 42);
      check_at<small_shape, u32, u32>(at, begins, detail::any_length, words);
      check_at<small_shape_of_few, u32, u64>(at, begins, detail::any_length, words);
    }
}

// Numbers that a program has: most begin with the same few bits.
template <class K>
std::vector<ordered_bits_t<K>> uneven(std::size_t n, int kind) {
  using U = ordered_bits_t<K>;
  std::mt19937_64 random(n + static_cast<unsigned>(kind));
  std::normal_distribution<double> normal;
  std::vector<U> words(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = normal(random);
    double value = x;  // around 0
    if (kind == 1)
      value = std::abs(x) < 2 ? 1 + std::abs(x) * 1e-4 : 1e6 * x;  // most side by side, and others far away
    if (kind == 2) value = std::exp(4 * x);                        // over many magnitudes
    if (kind == 3) value = (i % 3 == 0 ? 1e6 : 1.0) + static_cast<double>(i % 40);                   // few, far apart
    if (kind == 5) value = 1e6 - 1e5 * std::log(1 - static_cast<double>(random() % 999'983) / 1e6);  // exponential
    if (kind == 4) value = i % 7 == 0 ? 5e5 : x;  // many equal ones among others
    if constexpr (std::is_signed_v<K> && std::is_integral_v<K>) value = std::clamp(value * 1e3, -2e9, 2e9);
    else if constexpr (std::is_integral_v<K>) value = std::min(std::abs(value) * 1e3, 4e9);
    const K key = static_cast<K>(value);
    words[i] = __builtin_bit_cast(U, key);
  }
  return words;
}

// Of one window of rows: the bin of each key.
template <class U, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    bins_kernel(const U* keys, unsigned valid, unsigned row, int differing_bits, std::uint32_t* bins) {
  using words = detail::block_word<U, Shape>;
  auto& shared = simt::shared_storage<detail::segment_sort_storage<U, Shape>>();
  const unsigned thread = simt::thread_rank();
  detail::clear(shared);
  simt::sync_block();
  if (thread == 0)
    for (unsigned begin = 0; begin < valid; begin += row)
      shared.heads.row[begin / simt::warp_size] |= 1u << begin % simt::warp_size;
  simt::sync_block();
  typename words::word item[Shape::items_per_thread];
  for (int i = 0; i < Shape::items_per_thread; ++i) {
    const unsigned at = detail::window_position<Shape>(thread, i);
    item[i] = words::make(at / row * row, at < valid ? keys[at] : static_cast<U>(~U{0}), at);
  }
  detail::packed_words<Shape::items_per_thread, 16> bin;
  detail::spread_bins<U, Shape>(shared.order.by_bins.before, shared.order.scan, shared.heads, item, valid,
                                differing_bits, bin);
  for (int i = 0; i < Shape::items_per_thread; ++i)
    if (const unsigned at = detail::window_position<Shape>(thread, i); at < valid) bins[at] = bin.get(i);
}

TEST_CASE_TEMPLATE("bins follow the keys: they ascend with them, and few keys share one", K, u32, u64, float, double) {
  using U = ordered_bits_t<K>;
  using shape = detail::block_sort_shape<12, 9, 12>;
  constexpr unsigned row = 1000, n = 3 * row;
  for (const int kind : {0, 2, 5}) {
    if (std::is_integral_v<K> && kind != 5) continue;
    CAPTURE(kind);
    auto keys = uneven<K>(n, kind);
    for (U& key : keys) key = detail::codec_of<K>(sort_options{}).encode(key);
    const U least = *std::min_element(keys.begin(), keys.end());
    for (U& key : keys) key -= least;
    const int differing_bits = std::bit_width(*std::max_element(keys.begin(), keys.end()));
    test::for_some_schedules(turn++, [&] {
      const test::guarded<U> in(keys);
      const test::guarded<u32> out(n);
      simt::launch(bins_kernel<U, shape>,
                   simt::launch_config{dim3(1), dim3(shape::threads), sizeof(detail::segment_sort_storage<U, shape>),
                                       test::test_stream()},
                   in.data(), n, row, differing_bits, out.data());
      const auto bins = out.read();
      std::vector<std::size_t> order(n);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(a / row, keys[a]) < std::pair(b / row, keys[b]);
      });
      std::vector<unsigned> counts(shape::bins);
      for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(bins[order[i]] < shape::bins);
        if (i > 0) REQUIRE(bins[order[i - 1]] <= bins[order[i]]);
        ++counts[bins[order[i]]];
      }
      CHECK(*std::max_element(counts.begin(), counts.end()) < shape::max_in_bin);
    });
  }
}

TEST_CASE_TEMPLATE("keys that are not spread evenly", K, u32, u64, float, double, std::int32_t, std::int64_t) {
  for (int kind = 0; kind < 6; ++kind) {
    CAPTURE(kind);
    for (const std::size_t row : {1000, 60, 7}) {
      detail::any_offsets at;
      at.row_items = row;
      const std::size_t n = 2000 / row * row;
      std::vector<u64> begins;
      for (std::size_t i = 0; i < n; i += row) begins.push_back(i);
      check_at<small_shape, K, u32>(at, begins, row, uneven<K>(n, kind));
      check_at<small_shape_of_few, K, u32>(at, begins, row, uneven<K>(n, kind), {direction::descending});
    }
  }
}

// Rows that are divided into segments which a block has room for.
template <class Shape, class K, class V>
void sort_divided(u64 row, const test::guarded<ordered_bits_t<K>>& keys, const V* values,
                  test::guarded<ordered_bits_t<K>>& keys_out, V* values_out, const sort_options& options) {
  using U = ordered_bits_t<K>;
  const u64 n = keys.size();
  detail::scratch_carver measure;
  detail::divided_rows<U, V>(measure, n, row, {row, Shape::longest});
  detail::segment_sort_scratch<U, V, Shape>(measure, n);
  const test::exact_scratch scratch(measure.bytes());
  detail::scratch_carver carver(scratch.where().scratch().data());
  const auto plan = detail::plan_digits(options.bits, 8 * sizeof(U), "test");
  detail::segment_sort_arguments<U, detail::any_offsets, V> a{};
  a.keys = keys.data();
  a.n = {n, nullptr};
  a.offsets.row_items = row;
  a.offsets.counts_from_segment = values == nullptr;
  a.segments = {n / row, nullptr};
  a.layout = {detail::codec_of<K>(options), plan.low, plan.high};
  a.keys_out = keys_out.data();
  a.values = values;
  a.values_out = values_out;
  detail::launch_divided_rows<Shape>(test::test_stream(), carver, a, "test");
  scratch.check_guards();
}

template <class Shape, class K, class V>
void check_divided(std::size_t rows, std::size_t row, const std::vector<ordered_bits_t<K>>& words,
                   const sort_options& options = {}) {
  using U = ordered_bits_t<K>;
  const std::size_t n = rows * row;
  CAPTURE(row);
  REQUIRE(words.size() == n);
  std::vector<u64> begins;
  for (std::size_t i = 0; i < n; i += row) begins.push_back(i);
  const auto order = test::serial_segmented_argsort(test::keys_as<K>(words), n, begins, options);
  test::for_some_schedules(turn++, [&] {
    const test::guarded<U> in(words);
    test::guarded<U> out(n), alone(n), with_values(n);
    test::guarded<V> places(n), values_out(n);
    std::vector<V> numbers(n);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<V>(3 * i + 1);
    const test::guarded<V> values(numbers);
    sort_divided<Shape, K, V>(row, in, nullptr, out, places.data(), options);
    sort_divided<Shape, K, V>(row, in, values.data(), with_values, values_out.data(), options);
    sort_divided<Shape, K, detail::no_value>(row, in, nullptr, alone, nullptr, options);
    const auto got = out.read(), keys = alone.read(), beside = with_values.read();
    const auto from = places.read(), moved = values_out.read();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i)
      right &= got[i] == words[order[i]] && keys[i] == got[i] && beside[i] == got[i] &&
               from[i] == static_cast<V>(order[i] - i / row * row) && moved[i] == numbers[order[i]];
    CHECK(right);
  });
}

TEST_CASE_TEMPLATE("rows that no block has room for, divided", K, std::uint8_t, u32, u64, float, double, std::int64_t) {
  using U = ordered_bits_t<K>;
  for (const std::size_t row : {1025, 3071, 3072, 3073, 6500}) {
    check_divided<small_shape, K, u32>(3, row, test::random_items<U>(3 * row, 43));
    if (sizeof(K) > 1) check_divided<small_shape, K, u64>(2, row, uneven<K>(2 * row, row % 6), {direction::descending});
  }
}

TEST_CASE("divided rows of few keys, in order, with a period, by some bits") {
  const std::size_t row = 4100, rows = 2, n = rows * row;
  std::vector<u32> same(n, 7u), few(n), ascending(n), descending(n), periodic(n);
  for (std::size_t i = 0; i < n; ++i) {
    few[i] = static_cast<u32>(i * i % 3);
    ascending[i] = static_cast<u32>(i % row);
    descending[i] = static_cast<u32>(n - i);
    periodic[i] = static_cast<u32>(i % 8 == 0 ? i : 5);
  }
  for (const auto& keys : {same, few, ascending, descending, periodic}) {
    check_divided<small_shape, u32, u32>(rows, row, keys);
    check_divided<small_shape_of_few, u32, u64>(rows, row, keys, {direction::descending, {1, 9}});
  }
  check_divided<small_shape, u32, u32>(rows, row, few, {direction::ascending, {3, 3}});
}

// Any splitters would give the right result. The lengths of the parts show whether they are good
// ones.
TEST_CASE_TEMPLATE("parts of divided rows: a block has room for each", K, u32, double) {
  using U = ordered_bits_t<K>;
  constexpr std::size_t rows = 3;
  constexpr unsigned longest = 1024;
  for (const std::size_t row : {1025, 3073, 20000})
    for (const bool ascending : {false, true}) {
      CAPTURE(row);
      CAPTURE(ascending);
      auto words = uneven<K>(rows * row, std::is_integral_v<K> ? 5 : 0);
      if (std::is_integral_v<K>) words = test::random_items<U>(rows * row, 44);
      if (ascending) std::sort(words.begin(), words.end());
      const detail::row_division division(row, longest);
      test::for_some_schedules(turn++, [&] {
        const test::guarded<U> in(words);
        test::guarded<U> out(words.size());
        test::guarded<u64> offsets(rows * division.buckets);
        detail::row_partition_arguments<U, detail::no_value> a{
            in.data(), row,        division, {detail::codec_of<K>(sort_options{}), 0, 8 * sizeof(U)},
            nullptr,   out.data(), nullptr,  offsets.data()};
        simt::launch(
            detail::row_partition_kernel<U, detail::no_value>,
            simt::launch_config{dim3(rows), dim3(detail::row_partition_threads),
                                sizeof(detail::row_partition_storage<U, detail::no_value>), test::test_stream()},
            a);
        auto begins = offsets.read();
        for (std::size_t r = 0; r < rows; ++r) CHECK(begins[r * division.buckets] == r * row);
        begins.push_back(rows * row);
        u64 largest = 0, parts = 0;
        for (std::size_t b = 0; b + 1 < begins.size(); ++b) {
          REQUIRE(begins[b] <= begins[b + 1]);
          largest = std::max(largest, begins[b + 1] - begins[b]);
          parts += begins[b] < begins[b + 1];
        }
        CHECK(largest <= longest);
        CHECK(parts <= rows * (2 * row / longest + 2));
      });
    }
}

TEST_CASE("how rows are divided: into no more buckets than threads, and parts that a block has room for") {
  for (const unsigned longest : {1024u, 3072u, 4608u})
    for (u64 row = longest + 1; row <= detail::longest_divided_row; row += 1 + row / 7) {
      CAPTURE(longest);
      CAPTURE(row);
      const detail::row_division by(row, longest);
      CHECK(std::has_single_bit(by.buckets));
      CHECK(by.buckets <= detail::most_row_buckets);
      CHECK(std::has_single_bit(by.sample));
      CHECK(by.sample >= 8 * by.buckets);
      CHECK(by.sample <= detail::most_row_sample);
      CHECK(by.sample <= row);
      CHECK(by.part_items > 0);
      const u64 bucket = row / by.buckets + 1;
      if (5 * bucket < longest) CHECK(by.part_items + 2 * bucket <= longest);
    }
}

}  // namespace algorithms_segmented_sort_rows
