// SPDX-License-Identifier: Apache-2.0
// Scans, segmented scans and reductions of sums of 17 to 32 bytes: float4-like and double4-like
// items, operators that do not commute; arg_min and arg_max by a comparison.
#include <ballot/blockwise_scan.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/views.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <cstring>

using namespace ballot;

namespace device_large_sums {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Words of which the first pairs are maps x -> a x + b, which do not commute, and the others are
// added.
template <int Words>
struct words {
  u32 w[Words];
  friend bool operator==(const words&, const words&) = default;
};
struct combine {
  template <int Words>
  BALLOT_HOST_DEVICE words<Words> operator()(const words<Words>& f, const words<Words>& g) const {
    words<Words> both{};
    both.w[0] = f.w[0] * g.w[0];
    both.w[1] = g.w[0] * f.w[1] + g.w[1];
    for (int i = 2; i < Words; ++i) both.w[i] = f.w[i] + g.w[i];
    return both;
  }
};
struct add {
  template <int Words>
  BALLOT_HOST_DEVICE words<Words> operator()(const words<Words>& f, const words<Words>& g) const {
    words<Words> both{};
    for (int i = 0; i < Words; ++i) both.w[i] = f.w[i] + g.w[i];
    return both;
  }
};
template <int Words>
std::vector<words<Words>> items_of(std::size_t n) {
  const auto random = test::random_items<u32>(Words * n, 8);
  std::vector<words<Words>> all(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < Words; ++j) all[i].w[j] = random[Words * i + j];
  return all;
}

template <int Words, class Op>
void check(std::size_t n, Op op) {
  CAPTURE(n);
  CAPTURE(Words);
  using T = words<Words>;
  const std::vector<T> items = items_of<Words>(n);
  const T initial = items_of<Words>(1)[0];
  std::vector<T> inclusive(n), exclusive(n), of_blocks(n), of_segments(n);
  T sum = initial, plain{}, segment{};
  for (std::size_t i = 0; i < n; ++i) {
    exclusive[i] = sum;
    sum = op(sum, items[i]);
    inclusive[i] = plain = i == 0 ? items[i] : op(plain, items[i]);
    of_blocks[i] = i % 700 == 0 ? items[i] : op(of_blocks[i - 1], items[i]);
    of_segments[i] = segment = i % 1300 == 0 ? items[i] : op(segment, items[i]);
  }
  std::vector<std::uint8_t> heads(n);
  for (std::size_t i = 0; i < n; i += 1300) heads[i] = 1;
  test::for_each_schedule([&] {
    const test::guarded<T> in(items, 1);
    const test::guarded<std::uint8_t> flags(heads);
    test::guarded<T> out(n), total(1);
    const auto scratch = [](std::size_t bytes) { return test::exact_scratch(bytes); };
    {
      const auto exact = scratch(scan_scratch_bytes<T>(n));
      inclusive_scan(exact.where(), in, op, out);
      CHECK(out.read() == inclusive);
      out.fill_dirt();
      exclusive_scan(exact.where(), in, initial, op, out, {.total = total.data(), .reproducible = true});
      CHECK(out.read() == exclusive);
      CHECK(total.read()[0] == sum);
      exact.check_guards();
    }
    {
      const auto exact = scratch(segmented_scan_scratch_bytes<T>(n));
      segmented_inclusive_scan(exact.where(), in, byte_flags{flags}, op, out);
      CHECK(out.read() == of_segments);
      exact.check_guards();
    }
    {
      const auto exact = scratch(blockwise_scan_scratch_bytes<T>(n, 700));
      blockwise_inclusive_scan(exact.where(), in, op, out, 700);
      CHECK(out.read() == of_blocks);
      exact.check_guards();
    }
    {
      const auto exact = scratch(reduce_scratch_bytes<T>(n));
      reduce(exact.where(), in, initial, op, total.data());
      CHECK(total.read()[0] == sum);
      exact.check_guards();
    }
  });
}
TEST_CASE("sums of up to 32 bytes") {
  for (const std::size_t n : {1, 31, 1000, 20'003}) {
    check<8>(n, combine{});
    check<5>(n, combine{});
    check<6>(n, add{});
  }
  check<7>(3000, combine{});
  check<3>(3000, add{});
}

// Items of a view are computed, and as large as the largest sums.
struct widened {
  BALLOT_HOST_DEVICE words<8> operator()(u32 x) const { return {{x | 1, x, 3 * x, x ^ 5, x + 7, 1, x / 3, 2}}; }
};
TEST_CASE("scans of views into sums of 32 bytes") {
  using T = words<8>;
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{7'003}}) {
    CAPTURE(n);
    const auto items = test::random_items<u32>(n, 9);
    std::vector<T> inclusive(n), exclusive(n);
    T sum = items_of<8>(1)[0], plain{};
    const T initial = sum;
    for (std::size_t i = 0; i < n; ++i) {
      exclusive[i] = sum;
      sum = combine{}(sum, widened{}(items[i]));
      inclusive[i] = plain = i == 0 ? widened{}(items[i]) : combine{}(plain, widened{}(items[i]));
    }
    test::for_some_schedules([&] {
      const test::guarded<u32> in(items, 1);
      test::guarded<T> out(n), result(1);
      const exec gpu = allocating(test::test_stream());
      inclusive_scan(gpu, transformed{in, widened{}}, combine{}, out);
      CHECK(out.read() == inclusive);
      exclusive_scan(gpu, transformed{in, widened{}}, initial, combine{}, out);
      CHECK(out.read() == exclusive);
      blockwise_inclusive_scan(gpu, transformed{in, widened{}}, combine{}, out, n);
      CHECK(out.read() == inclusive);
      reduce(gpu, transformed{in, widened{}}, initial, combine{}, result.data());
      CHECK(result.read()[0] == sum);
    });
  }
}

// Aligned to more than any vector of the library.
struct alignas(32) aligned_words {
  words<8> all;
  friend bool operator==(const aligned_words&, const aligned_words&) = default;
};
struct combine_aligned {
  BALLOT_HOST_DEVICE aligned_words operator()(const aligned_words& f, const aligned_words& g) const {
    return {combine{}(f.all, g.all)};
  }
};
TEST_CASE("sums of 32 bytes at multiples of 32") {
  using T = aligned_words;
  const std::size_t n = 3'003;
  const auto from = items_of<8>(n);
  std::vector<T> items(n), inclusive(n), of_segments(n);
  std::vector<std::uint8_t> heads(n);
  for (std::size_t i = 0; i < n; ++i) {
    items[i].all = from[i];
    heads[i] = i % 700 == 0;
    inclusive[i] = i == 0 ? items[i] : combine_aligned{}(inclusive[i - 1], items[i]);
    of_segments[i] = heads[i] != 0 ? items[i] : combine_aligned{}(of_segments[i - 1], items[i]);
  }
  test::for_some_schedules([&] {
    const test::guarded<T> in(items);
    const test::guarded<std::uint8_t> flags(heads);
    test::guarded<T> out(n), result(1);
    const exec gpu = allocating(test::test_stream());
    inclusive_scan(gpu, in, combine_aligned{}, out);
    CHECK(out.read() == inclusive);
    segmented_inclusive_scan(gpu, in, byte_flags{flags}, combine_aligned{}, out);
    CHECK(out.read() == of_segments);
    blockwise_inclusive_scan(gpu, in, combine_aligned{}, out, 700);
    CHECK(out.read() == of_segments);
    reduce(gpu, in, items[0], combine_aligned{}, result.data());
    CHECK(result.read()[0] == combine_aligned{}(items[0], inclusive.back()));
  });
}

// An item of three doubles, compared by its distance.
struct point {
  double x, y, z;
};
struct is_nearer {
  BALLOT_HOST_DEVICE bool operator()(const point& a, const point& b) const {
    return a.x * a.x + a.y * a.y + a.z * a.z < b.x * b.x + b.y * b.y + b.z * b.z;
  }
};
struct by_last_digit {
  BALLOT_HOST_DEVICE bool operator()(u32 a, u32 b) { return a % 1000 < b % 1000; }  // not const
};
template <class T, class Less>
void check_arg(const std::vector<T>& items, Less less) {
  CAPTURE(items.size());
  const auto least = static_cast<u64>(std::min_element(items.begin(), items.end(), less) - items.begin()),
             most = static_cast<u64>(std::max_element(items.begin(), items.end(), less) - items.begin());
  test::for_each_schedule([&] {
    const test::guarded<T> in(items, 1);
    test::guarded<indexed<T>> result(1);
    const test::exact_scratch scratch(reduce_scratch_bytes<indexed<T>>(items.size()));
    arg_min(scratch.where(), in, less, result.data());
    CHECK(result.read()[0].index == (items.empty() ? no_index : least));
    arg_max(scratch.where(), in, less, result.data());
    CHECK(result.read()[0].index == (items.empty() ? no_index : most));
    if (!items.empty()) CHECK(std::memcmp(&result.read()[0].value, &items[most], sizeof(T)) == 0);
    scratch.check_guards();
  });
}
TEST_CASE("arg_min and arg_max by a comparison: the first of equal items") {
  for (const std::size_t n : {0, 1, 33, 5000, 70'001}) {
    const auto random = test::random_items<u32>(3 * n, 2);
    std::vector<point> points(n);
    for (std::size_t i = 0; i < n; ++i)
      points[i] = {static_cast<double>(random[3 * i] % 30) - 15, static_cast<double>(random[3 * i + 1] % 30) - 15,
                   static_cast<double>(random[3 * i + 2] % 30) - 15};
    check_arg(points, is_nearer{});
    check_arg(test::random_items<u32>(n, 7), by_last_digit{});
  }
}

}  // namespace device_large_sums
