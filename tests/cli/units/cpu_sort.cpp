// SPDX-License-Identifier: Apache-2.0
// The sorts of the CPU engine against std::stable_sort: every type and direction, sizes around the
// sort's limits, with 1 to 8 threads. Some patterns make some of its passes empty or one bucket
// full.
#include <doctest/doctest.h>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>

#include "engines/cpu/order_rows.hpp"
#include "engines/cpu/sort_items.hpp"
#include "engines/cpu/vector_sort.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace ballot::app::test_cpu_sort {
namespace {

using words = std::vector<std::uint64_t>;
using generator = std::uint64_t (*)(std::mt19937_64&, std::size_t, std::size_t);

struct pattern {
  const char* name;
  generator item;  // of a place and a size
};
const pattern patterns[] = {
    {"random", [](std::mt19937_64& random, std::size_t, std::size_t) { return random(); }},
    {"few", [](std::mt19937_64& random, std::size_t, std::size_t) { return random() % 3 * 0x0101010101010101; }},
    {"one", [](std::mt19937_64&, std::size_t, std::size_t) { return std::uint64_t{0x3ff0}; }},
    {"sorted", [](std::mt19937_64&, std::size_t i, std::size_t) { return std::uint64_t{i}; }},
    {"falling", [](std::mt19937_64&, std::size_t i, std::size_t n) { return std::uint64_t{n - i}; }},
    {"nearly sorted", [](std::mt19937_64& random, std::size_t i,
                         std::size_t) { return random() % 64 == 0 ? random() : std::uint64_t{i}; }},
    {"skewed", [](std::mt19937_64& random, std::size_t, std::size_t) { return random() >> random() % 64; }},
    {"one far out",
     [](std::mt19937_64& random, std::size_t i, std::size_t) { return i == 7 ? ~std::uint64_t{0} : random() % 1000; }},
    // NaNs of both signs, infinities, zeros and their neighbours, as f32 in the low half and as
    // f64.
    {"special",
     [](std::mt19937_64& random, std::size_t, std::size_t) {
       const std::uint64_t exponents[] = {0x7ff0000000000000, 0xfff0000000000000, 0x7f800000, 0xff800000, 0,
                                          0x8000000000000000, 0x80000000};
       return exponents[random() % 7] + random() % 3;
     }},
};

template <class K>
std::vector<ordered_bits_t<K>> made(const pattern& of, std::size_t size) {
  std::mt19937_64 random(size);
  std::vector<ordered_bits_t<K>> items(size);
  for (std::size_t i = 0; i < size; ++i) items[i] = static_cast<ordered_bits_t<K>>(of.item(random, i, size));
  return items;
}

// Both sorts of a column by the definition, for one request, with so many threads each (0: as many
// as there are).
template <class K>
void check(const pattern& of, std::size_t size, direction order, bit_range bits,
           const std::vector<std::size_t>& threads) {
  using U = ordered_bits_t<K>;
  const auto items = made<K>(of, size);
  const auto codec = key_codec_of<K>(order);
  const int width = bits.high - bits.low;
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const auto key = [&](std::uint64_t i) {
    return static_cast<std::uint64_t>(codec.encode(items[i])) >> bits.low & mask;
  };
  words keys(size), expected(size);
  for (std::size_t i = 0; i < size; ++i) keys[i] = key(i);
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  sort_request request{};
  for (dtype type : {dtype::u8, dtype::u16, dtype::u32, dtype::u64, dtype::i8, dtype::i16, dtype::i32, dtype::i64,
                     dtype::f32, dtype::f64})
    if (visit_dtype(type, []<class T>(std::type_identity<T>) { return std::is_same_v<T, K>; })) request.type = type;
  request.order = order;
  request.bits = bits;
  CAPTURE(of.name);
  CAPTURE(size);
  CAPTURE(sizeof(U));
  for (const std::size_t limit : threads) {
    CAPTURE(limit);
    std::optional<tbb::global_control> control;
    if (limit != 0) control.emplace(tbb::global_control::max_allowed_parallelism, limit);
    auto sorted = items;
    host_buffer scratch;
    request.argsort = false;
    cpu::sort_items(request, std::as_writable_bytes(std::span(sorted)), scratch);
    bool is_right = true;
    for (std::size_t i = 0; i < size; ++i) is_right &= sorted[i] == items[expected[i]];
    CHECK(is_right);
    request.argsort = true;
    const host_buffer positions = cpu::sorted_positions(request, std::as_bytes(std::span(items)));
    const auto found = positions.as<std::uint64_t>();
    CHECK(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
  }
}

template <class K>
void check_all(const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& threads = {0}) {
  constexpr int width = 8 * sizeof(K);
  for (const pattern& of : patterns)
    for (const std::size_t size : sizes)
      for (const direction order : {direction::ascending, direction::descending}) {
        check<K>(of, size, order, {0, width}, threads);
        check<K>(of, size, order, {width / 4, width / 2}, threads);
      }
}

const std::vector<std::size_t> small_sizes = {0,   1,   2,    3,    47,   48,   49,    63,    64,   65,
                                              511, 512, 1000, 8191, 8192, 8193, 16383, 16384, 16385};

TEST_CASE("Small columns of every type") {
  check_all<std::uint8_t>(small_sizes);
  check_all<std::uint16_t>(small_sizes);
  check_all<std::uint32_t>(small_sizes);
  check_all<std::uint64_t>(small_sizes);
  check_all<std::int8_t>(small_sizes);
  check_all<std::int16_t>(small_sizes);
  check_all<std::int32_t>(small_sizes);
  check_all<std::int64_t>(small_sizes);
  check_all<float>(small_sizes);
  check_all<double>(small_sizes);
}

TEST_CASE("Columns of many buckets, with 1 to 8 threads") {
  const std::vector<std::size_t> sizes = {65'535, 65'536, 65'537, 300'007}, threads = {1, 2, 3, 4, 8};
  check_all<std::uint32_t>(sizes, threads);
  check_all<std::int64_t>(sizes, threads);
  check_all<double>(sizes, threads);
}

TEST_CASE("Keys and places that do not fit into 64 bits together") {
  // All keys share their top bits: rows that these do not decide are a large run, and many small
  // ones.
  for (const int shared : {0, 8, 40}) {
    std::mt19937_64 random(static_cast<std::uint64_t>(shared));
    words keys(200'000);
    for (auto& key : keys) key = random() >> shared << random() % 2 * 20;
    keys[11] = 0;
    keys[12] = ~std::uint64_t{0};
    words expected(keys.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    const sort_request request{dtype::u64, direction::ascending, {0, 64}, true};
    const host_buffer positions = cpu::sorted_positions(request, std::as_bytes(std::span(keys)));
    const auto found = positions.as<std::uint64_t>();
    CHECK(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
  }
}

TEST_CASE("Rows by several columns") {
  for (const std::size_t rows : {0u, 1u, 100u, 5000u, 100'000u}) {
    for (const std::uint64_t distinct : {1u, 5u, 1000u}) {
      std::mt19937_64 random(rows + distinct);
      std::vector<key_column> columns(3);
      for (auto& column : columns) column.key_bytes = &column == &columns[1] ? 4 : 8;
      for (auto& column : columns) column.keys.resize(rows * column.key_bytes);
      for (std::size_t row = 0; row < rows; ++row) {
        columns[0].keys.as<std::uint64_t>()[row] = random() % distinct << 50;
        columns[1].keys.as<std::uint32_t>()[row] = static_cast<std::uint32_t>(random() % distinct);
        columns[2].keys.as<std::uint64_t>()[row] = random() % 7 == 0 ? random() : 1;
      }
      words expected(rows), found(rows);
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) {
        for (const auto& column : columns)
          if (column[a] != column[b]) return column[a] < column[b];
        return false;
      });
      cpu::order_rows(columns, found);
      CHECK(found == expected);
    }
  }
}

}  // namespace
}  // namespace ballot::app::test_cpu_sort
