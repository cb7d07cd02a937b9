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
  simt::launch(detail::sort_rows_in_blocks_kernel<U, V>,
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
  for (const std::size_t row : {1, 2, 3, 31, 33, 255, 256, 257, 300, 513, 1025, 5119, 5120}) {
    check_rows<K, u32>(256, 2, row, test::random_items<U>(2 * row, 41));
    if (row > 3000 || row < 32) check_rows<K, u64>(512, 1, row, test::random_items<U>(row, 42), {direction::descending});
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
      case 0: words[i] = static_cast<U>(bits % 3 * 0x01234567u); break;
      case 1: words[i] = 7; break;
      case 2: words[i] = static_cast<U>(i); break;
      case 3: words[i] = static_cast<U>(n - i); break;
      case 4: words[i] = static_cast<U>(bits % 64 == 0 ? bits >> 8 : 1'000'000 + bits % 4096); break;
      case 5: words[i] = static_cast<U>(std::exp(2 * normal(random)) * 1e4); break;
      case 6: words[i] = static_cast<U>(bits % (n / 2 + 1) * 77'777u); break;
      case 7: words[i] = static_cast<U>(bits << 8); break;
      default: words[i] = static_cast<U>(i == n / 2 ? ~U{0} : bits % (4 * n)); break;
    }
  }
  return words;
}

TEST_CASE_TEMPLATE("keys that are not spread evenly", U, u32, u64) {
  for (int kind = 0; kind < 9; ++kind)
    for (const std::size_t row : {700, 2500}) {
      CAPTURE(kind);
      check_rows<U, u32>(256, 1, row, keys_of_kind<U>(row, kind));
      check_rows<U, u64>(512, 1, row, keys_of_kind<U>(row, kind), {direction::descending, {4, 20}});
    }
}

}  // namespace algorithms_segmented_sort_blocks
