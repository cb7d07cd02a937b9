// SPDX-License-Identifier: Apache-2.0
// The recipes of docs/coming-from-cub.md that are a view given to a call, against serial
// references. The lines between the comments are those of the page (tests/house/snippets_test.py
// compares them).
#include <ballot/count_if.cuh>
#include <ballot/gather.cuh>
#include <ballot/reduce.cuh>
#include <ballot/search.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/views.cuh>

#include "support/device_data.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using ballot::test::guarded;
using ballot::test::test_stream;

namespace coming_from_cub_view_recipes {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 5003;

std::vector<u32> some(std::size_t items, u32 below, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<u32> all(items);
  for (u32& item : all) item = random() % below;
  return all;
}
u64 only(const ballot::device_value<u64>& value) { return value.read(test_stream()); }

// The predicate of these tests.
struct is_hit {
  __host__ __device__ bool operator()(u32 x) const { return x < 300; }
};

struct hit_or {
  u64 none;
  __host__ __device__ u64 operator()(u32 x, u64 i) const { return is_hit{}(x) ? i : none; }
};

TEST_CASE("FindIf: find_if, find_if_not, find") {
  const ballot::device_value<u64> first(test_stream());
  const ballot::exec gpu = ballot::allocating(test_stream());
  for (std::size_t hit : {std::size_t{0}, std::size_t{1}, n / 2, n - 1, n}) {  // n: there is none
    std::vector<u32> all(n, 300);
    for (std::size_t i = hit; i < n; i += 1000) all[i] = 299;
    const guarded<u32> in(all);
    // As on the page:
    ballot::reduce(gpu, ballot::transformed{in, ballot::positions<u64>(n), hit_or{n}}, n, ballot::minimum{}, first);
    // So far.
    CHECK(only(first) == hit);
    CHECK(hit == static_cast<u64>(std::find_if(all.begin(), all.end(), is_hit{}) - all.begin()));
  }
}

struct differs_or {
  u64 none;
  __host__ __device__ u64 operator()(u32 a, u32 b, u64 i) const { return a != b ? i : none; }
};

TEST_CASE("mismatch, equal") {
  const std::vector<u32> all = some(n, 1000);
  const ballot::device_value<u64> first(test_stream());
  const ballot::exec gpu = ballot::allocating(test_stream());
  const guarded<u32> a(all);
  for (std::size_t at : {std::size_t{0}, n / 2, n - 1, n}) {  // n: they are equal
    std::vector<u32> other = all;
    for (std::size_t i = at; i < n; i += 7) ++other[i];
    const guarded<u32> b(other);
    // As on the page:
    ballot::reduce(gpu, ballot::transformed{a, b, ballot::positions<u64>(n), differs_or{n}}, n, ballot::minimum{},
                   first);
    // So far.
    CHECK(only(first) == at);
    CHECK((only(first) == n) == std::equal(all.begin(), all.end(), other.begin()));
  }
}

TEST_CASE("reverse_copy") {
  const std::vector<u32> all = some(n, 1000);
  const guarded<u32> in(all);
  guarded<u32> out(n);
  const ballot::exec gpu = ballot::allocating(test_stream());
  // As on the page:
  ballot::gather(gpu, ballot::reversed{in}, ballot::positions(n), out);
  // So far.
  CHECK(out.read() == std::vector<u32>(all.rbegin(), all.rend()));
}

struct capped {
  u32 most;
  __host__ __device__ u32 operator()(u32 x) const { return x > most ? most : x; }
};
struct third {
  __host__ __device__ u32 operator()(u32 i) const { return i / 3; }
};

TEST_CASE("transform, replace_copy_if; tabulate, sequence, fill") {
  const std::vector<u32> all = some(n, 1000);
  const guarded<u32> in(all);
  guarded<u32> out(n), filled(n), thirds(n);
  const ballot::exec gpu = ballot::allocating(test_stream());
  // As on the page:
  ballot::gather(gpu, ballot::transformed{in, capped{500}}, ballot::positions(n), out);
  ballot::gather(gpu, ballot::transformed{ballot::positions(n), third{}}, ballot::positions(n), thirds);
  ballot::gather(gpu, ballot::constant{7u, n}, ballot::positions(n), filled);
  // So far.
  std::vector<u32> want(n), want_thirds(n);
  std::replace_copy_if(
      all.begin(), all.end(), want.begin(), [](u32 x) { return x > 500; }, 500u);
  for (std::size_t i = 0; i < n; ++i) want_thirds[i] = static_cast<u32>(i / 3);
  CHECK(out.read() == want);
  CHECK(thirds.read() == want_thirds);
  CHECK(filled.read() == std::vector<u32>(n, 7));
}

struct square {
  __host__ __device__ u32 operator()(u32 x) const { return x * x; }
};
// An index of no item.
struct if_hit {
  __host__ __device__ u64 operator()(u32 stencil, u64 i) const { return is_hit{}(stencil) ? i : ~u64{0}; }
};

TEST_CASE("transform_if, gather_if") {
  const std::vector<u32> all = some(n, 1000), all_of_stencil = some(n, 1000, 2), all_of_map = some(n, n, 3),
                         before = some(n, 1000, 4);
  const guarded<u32> in(all), stencil(all_of_stencil), map(all_of_map);
  guarded<u32> out(before), picked(before);
  const ballot::exec gpu = ballot::allocating(test_stream());
  // As on the page:
  const ballot::transformed hits{stencil, ballot::positions<u64>(n), if_hit{}};
  ballot::gather(gpu, ballot::transformed{in, square{}}, hits, out);
  const ballot::transformed mapped_hits{stencil, map, if_hit{}};
  ballot::gather(gpu, in, mapped_hits, picked);
  // So far.
  std::vector<u32> want = before, want_picked = before;
  for (std::size_t i = 0; i < n; ++i)
    if (is_hit{}(all_of_stencil[i])) want[i] = all[i] * all[i], want_picked[i] = all[all_of_map[i]];
  CHECK(out.read() == want);
  CHECK(picked.read() == want_picked);
}

struct step {
  __host__ __device__ int operator()(int item, int before) const { return item - before; }
};

TEST_CASE("adjacent_difference") {
  std::vector<int> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<int>(i * i % 1013) - 500;
  const guarded<int> in_memory(all);
  guarded<int> out_memory(n - 1);
  const std::span<const int> in = std::span(in_memory);
  const std::span<int> out = std::span(out_memory);
  const ballot::device_value<int> largest(test_stream());
  const ballot::exec gpu = ballot::allocating(test_stream());
  // As on the page:
  const ballot::transformed steps{in.subspan(1), in.first(n - 1), step{}};  // n - 1 of them
  ballot::maximum_of(gpu, steps, largest);
  ballot::gather(gpu, steps, ballot::positions(n - 1), out);
  // So far.
  std::vector<int> want(n);
  std::adjacent_difference(all.begin(), all.end(), want.begin());
  want.erase(want.begin());
  CHECK(out_memory.read() == want);
  CHECK(largest.read(test_stream()) == *std::max_element(want.begin(), want.end()));
}

struct hashed {
  u64 seed;
  __host__ __device__ u64 operator()(u32 i) const {
    u64 x = (seed + i) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
  }
};

TEST_CASE("shuffle_copy") {
  const std::vector<u32> all = some(n, 1000);
  const guarded<u32> in(all);
  guarded<u32> order(n), out(n);
  const ballot::exec gpu = ballot::allocating(test_stream());
  // As on the page:
  ballot::argsort_by(gpu, ballot::positions(n), hashed{42}, order);  // a number for each position
  ballot::gather(gpu, in, order, out);
  // So far.
  std::vector<u32> want_order(n), want(n);
  std::iota(want_order.begin(), want_order.end(), 0u);
  std::stable_sort(want_order.begin(), want_order.end(), [](u32 a, u32 b) { return hashed{42}(a) < hashed{42}(b); });
  for (std::size_t i = 0; i < n; ++i) want[i] = all[want_order[i]];
  REQUIRE(!std::is_sorted(want_order.begin(), want_order.end()));
  CHECK(order.read() == want_order);
  CHECK(out.read() == want);
}

TEST_CASE("equal_range, binary_search") {
  std::vector<u32> all = some(n, 1000);
  std::sort(all.begin(), all.end());
  const std::vector<u32> all_keys = some(200, 1200, 2);
  const guarded<u32> sorted(all), keys(all_keys);
  guarded<u32> begins(200), ends(200);
  const ballot::exec gpu = ballot::allocating(test_stream());
  // As on the page:
  ballot::lower_bound(gpu, sorted, keys, begins);
  ballot::upper_bound(gpu, sorted, keys, ends);
  // So far.
  const std::vector<u32> have_begins = begins.read(), have_ends = ends.read();
  for (std::size_t k = 0; k < all_keys.size(); ++k) {
    const auto [begin, end] = std::equal_range(all.begin(), all.end(), all_keys[k]);
    CHECK(have_begins[k] == static_cast<u32>(begin - all.begin()));
    CHECK(have_ends[k] == static_cast<u32>(end - all.begin()));
    CHECK((have_begins[k] != have_ends[k]) == std::binary_search(all.begin(), all.end(), all_keys[k]));
  }
}

}  // namespace coming_from_cub_view_recipes
