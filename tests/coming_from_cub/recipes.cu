// SPDX-License-Identifier: Apache-2.0
// The recipes of docs/coming-from-cub.md for cases in which ballot has no call of its own, against
// serial references. The lines between the comments are those of the page
// (tests/house/snippets_test.py compares them).
#include <ballot/compact.cuh>
#include <ballot/count_if.cuh>
#include <ballot/flag_bits.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/unique.cuh>
#include <ballot/views.cuh>

#include "support/device_data.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using ballot::test::guarded;
using ballot::test::test_stream;

namespace coming_from_cub_recipes {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 5003;

std::vector<u32> some(u32 below, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<u32> items(n);
  for (u32& item : items) item = random() % below;
  return items;
}
std::vector<u32> some_runs(u32 below) {
  std::vector<u32> items = some(below);
  std::sort(items.begin(), items.end());
  return items;
}

template <class T>
std::vector<T> first_of(const guarded<T>& items, u64 count) {
  std::vector<T> all = items.read();
  REQUIRE(count <= all.size());
  all.resize(count);
  return all;
}
u64 only(const ballot::device_value<u64>& count) { return count.read(test_stream()); }

// The "predicate" of these tests: below 300.
struct is_small {
  __host__ __device__ bool operator()(u32 x) const { return x < 300; }
};

struct is_long {
  __host__ __device__ bool operator()(u32 length) const { return length > 1; }
};

TEST_CASE("NonTrivialRuns") {
  const std::vector<u32> all = some_runs(n);
  const guarded<u32> in(all);
  guarded<u32> begins(n + 1), lengths(n), begins_out(n), lengths_out(n);
  const ballot::device_value<u64> runs(test_stream()), count(test_stream());
  const ballot::exec gpu = ballot::allocating(test_stream());
  // As on the page:
  ballot::run_offsets(gpu, in, std::span<u32>{}, begins, runs);         // n + 1 begins
  ballot::run_length_encode(gpu, in, std::span<u32>{}, lengths, runs);  // n lengths
  ballot::compact(gpu, ballot::zip{ballot::counted{lengths, runs}, std::span(begins).first(n)},
                  ballot::on_first{is_long{}}, ballot::zip{lengths_out, begins_out}, count);
  // So far.
  std::vector<u32> want_begins, want_lengths;
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    while (end < n && all[end] == all[i]) ++end;
    if (end - i > 1) want_begins.push_back(static_cast<u32>(i)), want_lengths.push_back(static_cast<u32>(end - i));
  }
  REQUIRE(!want_begins.empty());
  REQUIRE(only(count) == want_begins.size());
  CHECK(first_of(begins_out, want_begins.size()) == want_begins);
  CHECK(first_of(lengths_out, want_begins.size()) == want_lengths);
}

struct never_back {
  __host__ __device__ bool operator()(u32 before, u32 item) const { return is_small{}(before) || !is_small{}(item); }
};

TEST_CASE("unique_count, is_partitioned") {
  const ballot::device_value<u64> count(test_stream());
  const ballot::exec gpu = ballot::allocating(test_stream());
  std::vector<u32> unsorted_late = some_runs(1000);
  std::swap(unsorted_late.front(), unsorted_late.back());
  std::vector<u32> partitioned = some(1000);
  std::partition(partitioned.begin(), partitioned.end(), is_small{});
  for (const std::vector<u32>& all : {some(1000), some_runs(1000), unsorted_late, partitioned, some(1)}) {
    const guarded<u32> in(all);
    // As on the page:
    ballot::unique(gpu, in, std::span<u32>{}, count);
    // So far.
    std::vector<u32> heads = all;
    heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
    CHECK(only(count) == heads.size());
    // As on the page:
    ballot::unique(gpu, in, never_back{}, std::span<u32>{}, count);
    // So far.
    CHECK((only(count) == 1) == std::is_partitioned(all.begin(), all.end(), is_small{}));
  }
}

TEST_CASE("unique_by_key in place") {
  const std::vector<u32> all_keys = some_runs(n / 4), all_values = some(1000, 2);
  guarded<u32> keys(all_keys), values_out(n);
  const guarded<u32> values(all_values);
  const ballot::device_value<u64> count(test_stream());
  const ballot::exec gpu = ballot::allocating(test_stream());
  // As on the page:
  ballot::unique_by_key(gpu, keys, values, std::span<u32>{}, values_out, count);
  ballot::unique_in_place(gpu, keys, count);
  // So far.
  std::vector<u32> want_keys, want;
  for (std::size_t i = 0; i < n; ++i)
    if (i == 0 || all_keys[i] != all_keys[i - 1]) want_keys.push_back(all_keys[i]), want.push_back(all_values[i]);
  REQUIRE(only(count) == want.size());
  CHECK(first_of(keys, want.size()) == want_keys);
  CHECK(first_of(values_out, want.size()) == want);
}

TEST_CASE("in place, by a predicate on a stencil") {
  const std::vector<u32> all = some(1000), all_of_stencil = some(1000, 2);
  guarded<u32> items(all), words((n + 31) / 32);
  const guarded<u32> stencil(all_of_stencil);
  const ballot::device_value<u64> count(test_stream());
  const ballot::exec gpu = ballot::allocating(test_stream());
  // As on the page:
  ballot::flag_bits(gpu, stencil, is_small{}, words);
  ballot::compact_in_place(gpu, items, ballot::bit_flags{.words = words, .invert = true}, count);
  // So far.
  std::vector<u32> want;
  for (std::size_t i = 0; i < n; ++i)
    if (!is_small{}(all_of_stencil[i])) want.push_back(all[i]);
  REQUIRE(only(count) == want.size());
  CHECK(first_of(items, want.size()) == want);
}

struct square {
  __host__ __device__ long long operator()(int x) const { return static_cast<long long>(x) * x; }
};

TEST_CASE("transform_inclusive_scan, transform_exclusive_scan, transform_reduce") {
  std::vector<int> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<int>(i * 37 % 100'000) - 50'000;
  const guarded<int> in(all);
  guarded<long long> sums(n), places(n);
  const ballot::device_value<long long> total(test_stream());
  const ballot::exec gpu = ballot::allocating(test_stream());
  // As on the page:
  const ballot::transformed squares{in, square{}};
  ballot::inclusive_scan(gpu, squares, sums);
  ballot::exclusive_scan(gpu, squares, places);
  ballot::sum(gpu, squares, total);
  // So far.
  std::vector<long long> want(n), before(n);
  std::transform(all.begin(), all.end(), want.begin(), [](int x) { return static_cast<long long>(x) * x; });
  std::exclusive_scan(want.begin(), want.end(), before.begin(), 0ll);
  std::partial_sum(want.begin(), want.end(), want.begin());
  CHECK(sums.read() == want);
  CHECK(places.read() == before);
  CHECK(total.read(test_stream()) == want.back());
}

TEST_CASE("all_of, any_of, none_of, partition_point") {
  const std::vector<u32> all = some(1000);
  const guarded<u32> in(all);
  const ballot::device_value<u64> count(test_stream());
  const ballot::exec gpu = ballot::allocating(test_stream());
  // As on the page:
  ballot::count_if(gpu, in, is_small{}, count);
  // So far.
  CHECK(only(count) == static_cast<u64>(std::count_if(all.begin(), all.end(), is_small{})));
}

}  // namespace coming_from_cub_recipes
