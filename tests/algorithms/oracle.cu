// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: lengths that the emulator cannot reach, against Thrust on the device.
#include <ballot/compact.cuh>
#include <ballot/reduce_by_key.cuh>
#include <ballot/scan.cuh>
#include <ballot/sort.cuh>
#include <ballot/split.cuh>

#include "support/largest.hpp"
#include "support/random_array.cuh"

#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

using namespace ballot;

namespace algorithms_oracle {

struct below {
  std::uint64_t limit;
  template <class T>
  __host__ __device__ bool operator()(const T& x) const {
    return x < limit;
  }
};

using test::equal_items;
using test::on_stream;
using test::random_array;

std::vector<std::uint64_t> lengths() {
  std::vector<std::uint64_t> all{(1u << 20) - 1, (1u << 22) + 12345, (1u << 26) + 7};
  std::erase_if(all, [](std::uint64_t n) { return n >> (test::at_most_largest_power(32) + 1) != 0; });
  return all;
}

TEST_CASE_TEMPLATE("device scan as Thrust does it", T, std::int32_t, std::uint64_t) {
  for (std::uint64_t n : lengths()) {
    CAPTURE(n);
    const auto in = random_array<T>(n, n);
    device_array<T> out(n, test::test_stream()), want(n, test::test_stream());
    exclusive_scan(allocating(test::test_stream()), in, T(3), out);
    thrust::exclusive_scan(on_stream(), in.begin(), in.end(), want.begin(), T(3));
    CHECK(equal_items(out.data(), want.data(), n));
    inclusive_scan(allocating(test::test_stream()), in, out);
    thrust::inclusive_scan(on_stream(), in.begin(), in.end(), want.begin());
    CHECK(equal_items(out.data(), want.data(), n));
  }
}

struct as_u64 {
  __host__ __device__ std::uint64_t operator()(std::uint32_t x) const { return x; }
};

TEST_CASE("reductions by key as Thrust does it") {
  for (std::uint64_t n : lengths()) {
    CAPTURE(n);
    const auto values = random_array<std::uint32_t>(n, n + 2);
    auto keys = random_array<std::uint8_t>(n, n + 3);
    for (const bool are_long : {false, true}) {  // of random keys, and of sorted ones
      CAPTURE(are_long);
      if (are_long) thrust::sort(on_stream(), keys.begin(), keys.end());
      device_array<std::uint8_t> keys_out(n, test::test_stream()), want_keys(n, test::test_stream());
      device_array<std::uint64_t> sums(n, test::test_stream()), want(n, test::test_stream());
      device_value<std::uint64_t> count(test::test_stream());
      reduce_by_key(allocating(test::test_stream()), keys, values, keys_out, sums, count);
      // Thrust adds in the type of the values that it reads.
      const auto wide = thrust::make_transform_iterator(values.begin(), as_u64{});
      const auto ends =
          thrust::reduce_by_key(on_stream(), keys.begin(), keys.end(), wide, want_keys.begin(), want.begin(),
                                thrust::equal_to<std::uint8_t>(), thrust::plus<std::uint64_t>());
      const auto runs = static_cast<std::uint64_t>(ends.first - want_keys.begin());
      REQUIRE(count.read(test::test_stream()) == runs);
      CHECK(equal_items(keys_out.data(), want_keys.data(), runs));
      CHECK(equal_items(sums.data(), want.data(), runs));
    }
  }
}

TEST_CASE_TEMPLATE("compact and split as Thrust does it", T, std::uint8_t, std::uint32_t, std::uint64_t) {
  for (std::uint64_t n : lengths()) {
    CAPTURE(n);
    const auto in = random_array<T>(n, n + 1);
    for (double part : {0.01, 0.5, 0.97}) {
      CAPTURE(part);
      const below keep{static_cast<std::uint64_t>(part * static_cast<double>(std::numeric_limits<T>::max()))};
      device_array<T> out(n, test::test_stream()), rest(n, test::test_stream()), want(n, test::test_stream()),
          want_rest(n, test::test_stream());
      device_value<std::uint64_t> count(test::test_stream());
      const exec where = allocating(test::test_stream());
      const auto ends =
          thrust::stable_partition_copy(on_stream(), in.begin(), in.end(), want.begin(), want_rest.begin(), keep);
      const auto kept = static_cast<std::uint64_t>(ends.first - want.begin());

      compact(where, in, keep, out, count);
      REQUIRE(count.read(test::test_stream()) == kept);
      CHECK(equal_items(out.data(), want.data(), kept));
      split(where, in, keep, out, rest, count);
      REQUIRE(count.read(test::test_stream()) == kept);
      CHECK(equal_items(out.data(), want.data(), kept));
      CHECK(equal_items(rest.data(), want_rest.data(), n - kept));
      split(where, in, keep, out, count);
      REQUIRE(count.read(test::test_stream()) == kept);
      CHECK(equal_items(out.data(), want.data(), kept));
      CHECK(equal_items(out.data() + kept, want_rest.data(), n - kept));
    }
  }
}

TEST_CASE_TEMPLATE("sort as Thrust does it", K, std::uint32_t, std::int64_t) {
  for (std::uint64_t n : lengths()) {
    CAPTURE(n);
    const auto in = random_array<K>(n, n + 2);
    device_array<K> out(n, test::test_stream()), want(n, test::test_stream());
    device_array<std::uint32_t> order(n, test::test_stream()), want_order(n, test::test_stream());
    const exec where = allocating(test::test_stream());
    thrust::copy(on_stream(), in.begin(), in.end(), want.begin());
    thrust::copy(on_stream(), thrust::counting_iterator<std::uint32_t>(0),
                 thrust::counting_iterator<std::uint32_t>(std::uint32_t(n)), want_order.begin());
    thrust::stable_sort_by_key(on_stream(), want.begin(), want.end(), want_order.begin());
    sort(where, in, out);
    CHECK(equal_items(out.data(), want.data(), n));
    argsort(where, in, order);
    CHECK(equal_items(order.data(), want_order.data(), n));
  }
}

}  // namespace algorithms_oracle
