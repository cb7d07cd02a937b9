// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: the algorithms of the Thrust adapter beside Thrust's own, with equal results.
// Others: thrust_scans.cu, thrust_stencils.cu.
#include <ballot/adapters/thrust.cuh>

#include "support/beside_thrust.hpp"

#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>

namespace adapters_thrust {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using ballot::test::same_as_thrust;

struct is_small {
  __host__ __device__ bool operator()(u32 x) const { return x < 300; }
};
struct same_tens {
  __host__ __device__ bool operator()(u32 a, u32 b) const { return a / 10 == b / 10; }
};
struct tens {
  __host__ __device__ u32 operator()(u32 x) const { return x / 10; }
};
struct product_mod {
  __host__ __device__ u32 operator()(u32 a, u32 b) const { return a * b; }
};

using ballot::test::sizes_beside_thrust;

template <class T>
using vector = thrust::device_vector<T>;
template <class T>
vector<T> random(std::size_t n, u64 below, unsigned seed = 1) {
  return ballot::test::random_vector<T>(n, below, seed);
}

TEST_CASE("adapters: thrust's sorts") {
  for (const std::size_t n : sizes_beside_thrust) {
    CAPTURE(n);
    same_as_thrust([](auto p, auto& v) { return thrust::sort(p, v.begin(), v.end()), 0; }, random<int>(n, 1u << 31));
    same_as_thrust([](auto p, auto& v) { return thrust::sort(p, v.begin(), v.end(), thrust::greater<u64>()), 0; },
                   random<u64>(n, 1 << 20));
    same_as_thrust([](auto p, auto& v) { return thrust::stable_sort(p, v.begin(), v.end()), 0; },
                   random<float>(n, 1000));
    same_as_thrust([](auto p, auto& v) { return thrust::sort(p, v.begin(), v.end(), same_tens{}), 0; },
                   vector<u32>(n, 7));
    same_as_thrust(
        [](auto p, auto& k, auto& v) { return thrust::stable_sort_by_key(p, k.begin(), k.end(), v.begin()), 0; },
        random<u32>(n, 100), random<double>(n, 1000, 2));
    same_as_thrust(
        [](auto p, auto& k, auto& v) {
          return thrust::stable_sort_by_key(p, k.begin(), k.end(), v.begin(), thrust::greater<>()), 0;
        },
        random<short>(n, 100), random<u64>(n, 1000, 2));
  }
}

TEST_CASE("adapters: thrust's scans and reductions") {
  for (const std::size_t n : sizes_beside_thrust) {
    CAPTURE(n);
    same_as_thrust(
        [](auto p, auto& a, auto& b) {
          return static_cast<u64>(thrust::inclusive_scan(p, a.begin(), a.end(), b.begin()) - b.begin());
        },
        random<u32>(n, 1000), vector<u32>(n));
    same_as_thrust(
        [](auto p, auto& a, auto& b) {
          return static_cast<u64>(thrust::exclusive_scan(p, a.begin(), a.end(), b.begin()) - b.begin());
        },
        random<std::uint8_t>(n, 255), vector<u32>(n));
    same_as_thrust(
        [](auto p, auto& a) {
          return static_cast<u64>(thrust::exclusive_scan(p, a.begin(), a.end(), a.begin(), 3u, product_mod{}) -
                                  a.begin());
        },
        random<u32>(n, 1000));
    same_as_thrust(
        [](auto p, auto& a) {
          return static_cast<u64>(thrust::inclusive_scan(p, a.begin(), a.end(), a.begin(), thrust::maximum<u32>{}) -
                                  a.begin());
        },
        random<u32>(n, 1000));
    same_as_thrust([](auto p, auto& a) { return thrust::reduce(p, a.begin(), a.end()); }, random<u32>(n, 1000));
    // Halves: kept by the operator of any types, and lost by the one of int that is Thrust's
    // default.
    same_as_thrust(
        [](auto p, auto& a) {
          return static_cast<u64>(thrust::reduce(p, a.begin(), a.end(), 0, ::cuda::std::plus<>{}) * 10 +
                                  thrust::reduce(p, a.begin(), a.end(), 0));
        },
        vector<double>(n, 0.5));
    same_as_thrust([](auto p, auto& a) { return thrust::reduce(p, a.begin(), a.end(), u64{5}); },
                   random<u32>(n, 1u << 31));
    same_as_thrust([](auto p, auto& a) { return thrust::reduce(p, a.begin(), a.end(), 0u, thrust::maximum<u32>{}); },
                   random<u32>(n, 1000));
    same_as_thrust(
        [](auto p, auto& a) {
          return static_cast<u64>(thrust::reduce(p, thrust::make_counting_iterator(0u),
                                                 thrust::make_counting_iterator(static_cast<u32>(a.size()))));
        },
        vector<u32>(n));
  }
}

// Sums that Thrust takes in double are not ballot's; those that it takes in int are.
using halves = vector<double>::iterator;
static_assert(!ballot::adapters::detail::reduces_items<halves, int, ::cuda::std::plus<>>);
static_assert(ballot::adapters::detail::reduces_items<halves, int, ::cuda::std::plus<int>>);
static_assert(ballot::adapters::detail::reduces_items<halves, double, ::cuda::std::plus<>>);

// There is no money(0).
struct money {
  u32 cents;
  money() = default;
  __host__ __device__ money(u32 c, u32 hundreds) : cents(c + 100 * hundreds) {}
  __host__ __device__ friend money operator+(money a, money b) { return {a.cents + b.cents, 0}; }
  __host__ __device__ friend bool operator==(money a, money b) { return a.cents == b.cents; }
};

TEST_CASE("adapters: thrust's scans of classes, and of 128 bits") {
  const std::size_t n = 5003;
  same_as_thrust(
      [](auto p, auto& a) {
        return static_cast<u64>(thrust::exclusive_scan(p, a.begin(), a.end(), a.begin()) - a.begin());
      },
      vector<money>(n, money(7, 1)));
  same_as_thrust(
      [](auto p, auto& a) {
        return static_cast<u64>(thrust::inclusive_scan(p, a.begin(), a.end(), a.begin()) - a.begin());
      },
      vector<ballot::detail::signed_of_128_bits>(n, 1));
}

TEST_CASE("adapters: thrust's selections") {
  for (const std::size_t n : sizes_beside_thrust) {
    CAPTURE(n);
    const vector<u32> items = random<u32>(n, 1000), out(n);
    same_as_thrust(
        [](auto p, auto& a, auto& b) {
          return static_cast<u64>(thrust::copy_if(p, a.begin(), a.end(), b.begin(), is_small{}) - b.begin());
        },
        items, out);
    // Behind the end the items are unspecified, in both.
    same_as_thrust(
        [](auto p, auto& a) {
          return a.erase(thrust::remove_if(p, a.begin(), a.end(), is_small{}), a.end()), a.size();
        },
        items);
    same_as_thrust(
        [](auto p, auto& a) { return a.erase(thrust::unique(p, a.begin(), a.end(), same_tens{}), a.end()), a.size(); },
        items);
    same_as_thrust([](auto p, auto& a) { return a.erase(thrust::unique(p, a.begin(), a.end()), a.end()), a.size(); },
                   random<u32>(n, 3));
    same_as_thrust(
        [](auto p, auto& a, auto& b) {
          return static_cast<u64>(thrust::unique_copy(p, a.begin(), a.end(), b.begin()) - b.begin());
        },
        random<u32>(n, 3), out);
    same_as_thrust(
        [](auto p, auto& k, auto& v, auto& a, auto& b) {
          const auto end = thrust::unique_by_key_copy(p, k.begin(), k.end(), v.begin(), a.begin(), b.begin());
          return static_cast<u64>((end.first - a.begin()) * 10 + (end.second - b.begin()));
        },
        random<u32>(n, 3), items, out, out);
    // Of other iterators, by the equality that Thrust takes if it is given none.
    same_as_thrust(
        [](auto p, auto& a) {
          const auto all = thrust::make_counting_iterator(0u);
          return static_cast<u64>(thrust::unique_copy(p, all, all + a.size(), a.begin()) - a.begin());
        },
        out);
    same_as_thrust(
        [](auto p, auto& a) {
          const auto first = thrust::make_reverse_iterator(a.end()), last = thrust::make_reverse_iterator(a.begin());
          const auto end = thrust::unique(p, first, last);
          thrust::fill(p, end, last, 0u);  // what is behind the results is unspecified
          return static_cast<u64>(end - first);
        },
        random<u32>(n, 3));
    same_as_thrust(
        [](auto p, auto& a) {
          return static_cast<u64>(thrust::stable_partition(p, a.begin(), a.end(), is_small{}) - a.begin());
        },
        items);
    same_as_thrust(
        [](auto p, auto& a, auto& b, auto& c) {
          const auto end = thrust::stable_partition_copy(p, a.begin(), a.end(), b.begin(), c.begin(), is_small{});
          return static_cast<u64>((end.first - b.begin()) * 10 + (end.second - c.begin()));
        },
        items, out, out);
    same_as_thrust(
        [](auto p, auto& a) { return static_cast<u64>(thrust::count_if(p, a.begin(), a.end(), is_small{})); }, items);
    same_as_thrust(
        [](auto p, auto& a) {
          const auto all = thrust::make_counting_iterator(0u);
          return static_cast<u64>(thrust::copy_if(p, all, all + a.size(), a.begin(), is_small{}) - a.begin());
        },
        out);
  }
}

// These are ballot's, and not by chance Thrust's.
using items = vector<u32>::iterator;
static_assert(
    ballot::adapters::detail::reduces_runs<items, items, items, items, ballot::equal_to, ::cuda::std::plus<>>);
static_assert(ballot::adapters::detail::merges_array<items, items, items>);
static_assert(ballot::adapters::detail::is_before<items, ::cuda::std::less<>>);

TEST_CASE("adapters: thrust's reductions by key, unique_by_key and merges") {
  for (const std::size_t n : sizes_beside_thrust) {
    CAPTURE(n);
    const vector<u32> keys = random<u32>(n, 3), values = random<u32>(n, 1000, 2), out(n);
    same_as_thrust(
        [](auto p, auto& k, auto& v, auto& a, auto& b) {
          const auto ends = thrust::reduce_by_key(p, k.begin(), k.end(), v.begin(), a.begin(), b.begin());
          return static_cast<u64>((ends.first - a.begin()) * 2 + (ends.second - b.begin()));
        },
        keys, values, out, out);
    same_as_thrust(
        [](auto p, auto& k, auto& v, auto& a, auto& b) {
          const auto ends = thrust::reduce_by_key(p, k.begin(), k.end(), v.begin(), a.begin(), b.begin(), same_tens{},
                                                  thrust::maximum<u32>{});
          // Thrust documents the first key of a run, as ours is, and leaves the last one.
          thrust::transform(p, a.begin(), ends.first, a.begin(), tens{});
          return static_cast<u64>((ends.first - a.begin()) * 2 + (ends.second - b.begin()));
        },
        values, keys, out, out);
    same_as_thrust(
        [](auto p, auto& k, auto& v) {
          const auto ends = thrust::unique_by_key(p, k.begin(), k.end(), v.begin());
          thrust::fill(p, ends.first, k.end(), 0u);  // what is behind the results is unspecified
          thrust::fill(p, ends.second, v.end(), 0u);
          return static_cast<u64>(ends.first - k.begin());
        },
        keys, values);
    vector<u32> first = random<u32>(n, 500, 3), second = random<u32>(n / 2, 500, 4);
    thrust::sort(first.begin(), first.end());
    thrust::sort(second.begin(), second.end());
    const vector<u32> both(n + n / 2);
    same_as_thrust(
        [](auto p, auto& a, auto& b, auto& o) {
          return static_cast<u64>(thrust::merge(p, a.begin(), a.end(), b.begin(), b.end(), o.begin()) - o.begin());
        },
        first, second, both);
    same_as_thrust(
        [](auto p, auto& a, auto& b, auto& va, auto& o, auto& vo) {
          const auto ends = thrust::merge_by_key(p, a.begin(), a.end(), b.begin(), b.end(), va.begin(), va.begin(),
                                                 o.begin(), vo.begin());
          return static_cast<u64>(ends.second - vo.begin());
        },
        first, second, values, both, both);
  }
}

struct is_small_and_counts {
  unsigned calls = 0;
  __host__ __device__ bool operator()(u32 x) { return ++calls, x < 300; }
};
struct large {
  u32 numbers[40];
};
static_assert(!ballot::adapters::detail::moves_values<vector<large>::iterator>);

TEST_CASE("adapters: predicates that are not const, values that are too large for ballot, another stream") {
  const cudaStream_t stream = ballot::test::test_stream();
  const std::size_t n = 1000;
  const auto policy = ballot::on(stream);
  vector<u32> a = random<u32>(n, 1000), b = a;
  a.erase(thrust::remove_if(policy, a.begin(), a.end(), is_small_and_counts{}), a.end());
  b.erase(thrust::remove_if(policy, b.begin(), b.end(), is_small{}), b.end());
  CHECK(a == b);
  vector<u32> keys = random<u32>(n, 3), expected = keys;
  vector<large> values(n);
  const auto ends = thrust::unique_by_key(policy, keys.begin(), keys.end(), values.begin());
  const auto end = thrust::unique(policy, expected.begin(), expected.end());
  CHECK(ends.first - keys.begin() == end - expected.begin());
  CHECK(ends.second - values.begin() == end - expected.begin());
  CHECK(policy.on(cudaStreamPerThread).where().stream() == cudaStreamPerThread);
  CHECK(policy.on(cudaStreamPerThread).where().allocates());
}

TEST_CASE("adapters: partition without an order of its own") {
  const vector<u32> items = random<u32>(10'000, 1000);
  vector<u32> a = items, b(items.size()), c(items.size());
  const auto policy = ballot::on(ballot::test::test_stream());
  const auto end = thrust::partition(policy, a.begin(), a.end(), is_small{});
  CHECK(thrust::count_if(a.begin(), end, is_small{}) == end - a.begin());
  CHECK(thrust::count_if(end, a.end(), is_small{}) == 0);
  const auto ends = thrust::partition_copy(policy, items.begin(), items.end(), b.begin(), c.begin(), is_small{});
  CHECK((ends.first - b.begin()) + (ends.second - c.begin()) == static_cast<std::ptrdiff_t>(items.size()));
}

TEST_CASE("adapters: call sites of the documents") {
  const cudaStream_t stream = ballot::test::test_stream();
  const ballot::exec gpu = ballot::allocating(stream);
  vector<u32> cells = random<u32>(5000, 64), ids = random<u32>(5000, 1000, 2), out(5000);
  const vector<u32> in = ids;
  thrust::sort_by_key(ballot::on(stream), cells.begin(), cells.end(), ids.begin());
  const auto end = thrust::copy_if(ballot::on(gpu), in.begin(), in.end(), out.begin(), is_small{});
  CHECK(thrust::is_sorted(cells.begin(), cells.end()));
  CHECK(end - out.begin() == thrust::count_if(ids.begin(), ids.end(), is_small{}));
}

TEST_CASE("adapters: algorithms of Thrust alone run on the policy's stream; scratch of the caller's") {
  const cudaStream_t stream = ballot::test::test_stream();
  const std::size_t n = 10'000;
  vector<u32> a(n), b(n);
  const ballot::device_buffer scratch(ballot::sort_in_place_scratch_bytes<u32>(n) + 512, stream);
  const auto policy = ballot::on(ballot::exec(stream, scratch));
  thrust::sequence(policy, a.begin(), a.end());
  thrust::transform(policy, a.begin(), a.end(), b.begin(), thrust::negate<u32>());
  thrust::sort(policy, b.begin(), b.end());
  CHECK(thrust::is_sorted(policy, b.begin(), b.end()));  // in the stream's order: the sort waits for nothing
  CHECK(thrust::count_if(policy, a.begin(), a.end(), is_small{}) == 300);
  const ballot::device_buffer little(100, stream);
  CHECK_THROWS_AS(thrust::sort(ballot::on(ballot::exec(stream, little)), b.begin(), b.end()), ballot::invalid_argument);
  CHECK_THROWS_AS(
      static_cast<void>(thrust::count_if(ballot::on(ballot::exec(stream, little)), a.begin(), a.end(), is_small{})),
      ballot::invalid_argument);
}

}  // namespace adapters_thrust
