// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: the Thrust adapter's scans by key, what a function makes of items on the way to
// a scan or a reduction, and scans and reductions of iterators, beside Thrust's own.
#include <ballot/adapters/thrust.cuh>

#include "support/beside_thrust.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#if __has_include(<cuda/iterator>)
#  include <cuda/iterator>
#else
#  include <thrust/iterator/constant_iterator.h>
#endif

namespace adapters_thrust_scans {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using ballot::test::random_vector;
using ballot::test::same_as_thrust;
using ballot::test::sizes_beside_thrust;
namespace ours = ballot::adapters::detail;

template <class T>
using vector = thrust::device_vector<T>;

struct same_tens {
  __host__ __device__ bool operator()(u32 a, u32 b) const { return a / 10 == b / 10; }
};
struct square {
  __host__ __device__ u64 operator()(u32 x) const { return u64{x} * x; }
};
struct increment {
  __host__ __device__ u32 operator()(u32 x) const { return x + 1; }
};
struct half {
  __host__ __device__ double operator()(u32 x) const { return x / 2.0; }
};
struct sum_of_pair {
  template <class Pair>
  __host__ __device__ u32 operator()(const Pair& pair) const {
    return thrust::get<0>(pair) + 3 * thrust::get<1>(pair);
  }
};

// These are ballot's, and not by chance Thrust's.
using items = vector<u32>::iterator;
using wide = vector<u64>::iterator;
using counting = thrust::counting_iterator<u32>;
#if __has_include(<cuda/iterator>)
using constant = ::cuda::constant_iterator<u32>;  // Thrust's is deprecated
#else
using constant = thrust::constant_iterator<u32>;
#endif
using plus = ::cuda::std::plus<>;
static_assert(ours::scans_by_key<items, items, items, ::cuda::std::equal_to<>, u32, plus>);
static_assert(ours::scans_by_key<counting, items, items, same_tens, u64, plus>);
static_assert(ours::scans_transformed<items, square, wide, u64, plus>);
static_assert(ours::scans_transformed<items, square, items, u64, plus>);  // the low bits
static_assert(ours::scans_transformed<counting, increment, items, u32, ::cuda::maximum<>>);
static_assert(ours::reduces_as<u64, ours::transformed_item_t<items, square>, plus>);
static_assert(ours::scans_items<counting, items, u32, plus> && ours::reduces_items<counting, u32, plus>);
// Values, or sums, of another type than the results.
static_assert(!ours::scans_by_key<items, items, wide, ::cuda::std::equal_to<>, u32, plus>);
static_assert(!ours::scans_by_key<items, items, items, bool (*)(u32, u32), u32, plus>);
static_assert(!ours::scans_transformed<items, half, items, double, plus>);
static_assert(!ours::scans_transformed<items, increment, wide, u32, plus>);
static_assert(!ours::reduces_as<int, ours::transformed_item_t<items, half>, plus>);

// A result of `algorithm(p, ..., out)`, and where it ends.
#define ENDS(CALL, OUT) static_cast<u64>(CALL - OUT.begin())

TEST_CASE("adapters: thrust's scans by key") {
  for (const std::size_t n : sizes_beside_thrust) {
    CAPTURE(n);
    const vector<u32> keys = random_vector<u32>(n, 3), tens = random_vector<u32>(n, 25, 4),
                      values = random_vector<u32>(n, 1000, 2), out(n);
    same_as_thrust(
        [](auto p, auto& k, auto& v, auto& o) {
          return ENDS(thrust::inclusive_scan_by_key(p, k.begin(), k.end(), v.begin(), o.begin()), o);
        },
        keys, values, out);
    same_as_thrust(
        [](auto p, auto& k, auto& v, auto& o) {
          return ENDS(thrust::inclusive_scan_by_key(p, k.begin(), k.end(), v.begin(), o.begin(), same_tens{},
                                                    thrust::maximum<u32>{}),
                      o);
        },
        tens, values, out);
    same_as_thrust(
        [](auto p, auto& k, auto& v, auto& o) {
          return ENDS(thrust::exclusive_scan_by_key(p, k.begin(), k.end(), v.begin(), o.begin()), o);
        },
        keys, values, out);
    same_as_thrust(
        [](auto p, auto& k, auto& v, auto& o) {
          return ENDS(
              thrust::exclusive_scan_by_key(p, k.begin(), k.end(), v.begin(), o.begin(), 7u, same_tens{}, plus{}), o);
        },
        tens, values, out);
    // Where the values are, and where the keys are.
    same_as_thrust(
        [](auto p, auto& k, auto& v) {
          return ENDS(thrust::inclusive_scan_by_key(p, k.begin(), k.end(), v.begin(), v.begin(), same_tens{}), v);
        },
        tens, values);
    same_as_thrust(
        [](auto p, auto& k, auto& v) {
          return ENDS(thrust::exclusive_scan_by_key(p, k.begin(), k.end(), v.begin(), k.begin(), 7u), k);
        },
        keys, values);
    // Bytes, whose sums wrap; ones that nobody stores.
    same_as_thrust(
        [](auto p, auto& k, auto& v) {
          return ENDS(thrust::inclusive_scan_by_key(p, k.begin(), k.end(), v.begin(), v.begin()), v);
        },
        random_vector<u32>(n, 2), random_vector<u8>(n, 256, 2));
    same_as_thrust(
        [](auto p, auto& k, auto& o) {
          const constant ones(1);
          return ENDS(thrust::exclusive_scan_by_key(p, k.begin(), k.end(), ones, o.begin()), o);
        },
        keys, out);
  }
}

TEST_CASE("adapters: thrust's transform_reduce, transform_inclusive_scan, transform_exclusive_scan") {
  for (const std::size_t n : sizes_beside_thrust) {
    CAPTURE(n);
    const vector<u32> in = random_vector<u32>(n, 1u << 20), out(n);
    const vector<u64> sums(n);
    same_as_thrust(
        [](auto p, auto& a) { return thrust::transform_reduce(p, a.begin(), a.end(), square{}, u64{3}, plus{}); }, in);
    same_as_thrust(
        [](auto p, auto& a) {
          return thrust::transform_reduce(p, counting(0), counting(static_cast<u32>(a.size())), square{}, u64{0},
                                          thrust::maximum<u64>{});
        },
        in);
    same_as_thrust(
        [](auto p, auto& a) {
          return static_cast<u64>(thrust::transform_reduce(p, a.begin(), a.end(), half{}, 0, plus{}));
        },
        random_vector<u32>(n, 9));  // Thrust takes these sums in double
    same_as_thrust(
        [](auto p, auto& a, auto& o) {
          return ENDS(thrust::transform_inclusive_scan(p, a.begin(), a.end(), o.begin(), square{}, plus{}), o);
        },
        in, sums);
    same_as_thrust(
        [](auto p, auto& a, auto& o) {
          return ENDS(thrust::transform_exclusive_scan(p, a.begin(), a.end(), o.begin(), square{}, u64{5}, plus{}), o);
        },
        in, out);
    same_as_thrust(
        [](auto p, auto& a, auto& o) {
          return ENDS(thrust::transform_inclusive_scan(p, a.begin(), a.end(), o.begin(), half{}, plus{}), o);
        },
        random_vector<u32>(n, 9), vector<double>(n));
  }
  // In place.
  for (const std::size_t n : {std::size_t{0}, std::size_t{1000}, std::size_t{100'003}, std::size_t{3'000'017}}) {
    CAPTURE(n);
    const vector<u32> in = random_vector<u32>(n, 1000);
    same_as_thrust(
        [](auto p, auto& a) {
          return ENDS(thrust::transform_inclusive_scan(p, a.begin(), a.end(), a.begin(), increment{}, plus{}), a);
        },
        in);
    same_as_thrust(
        [](auto p, auto& a) {
          return ENDS(thrust::transform_exclusive_scan(p, a.begin(), a.end(), a.begin(), increment{}, 5u, plus{}), a);
        },
        in);
    same_as_thrust(
        [](auto p, auto& a) {
          const auto first = thrust::make_transform_iterator(a.begin(), increment{});
          return ENDS(thrust::inclusive_scan(p, first, first + static_cast<std::ptrdiff_t>(a.size()), a.begin()), a);
        },
        in);
  }
}

TEST_CASE("adapters: thrust's scans and reductions of iterators") {
  for (const std::size_t n : sizes_beside_thrust) {
    CAPTURE(n);
    const vector<u32> in = random_vector<u32>(n, 1000), second = random_vector<u32>(n, 1000, 2), out(n);
    same_as_thrust(
        [](auto p, auto& a, auto& b, auto& o) {
          const auto pairs =
              thrust::make_transform_iterator(thrust::make_zip_iterator(a.begin(), b.begin()), sum_of_pair{});
          const auto end = pairs + static_cast<std::ptrdiff_t>(a.size());
          return ENDS(thrust::exclusive_scan(p, pairs, end, o.begin()), o) + thrust::reduce(p, pairs, end);
        },
        in, second, out);
    same_as_thrust(
        [](auto p, auto& k, auto& a, auto& b) {
          const constant ones(1);
          const auto ends = thrust::reduce_by_key(p, k.begin(), k.end(), ones, a.begin(), b.begin());
          return static_cast<u64>((ends.first - a.begin()) * 2 + (ends.second - b.begin()));
        },
        random_vector<u32>(n, 3), out, out);
  }
}

// Thrust's own would allocate.
TEST_CASE("adapters: thrust's scans by key and transform_* take the caller's scratch, and say if it is too little") {
  const cudaStream_t stream = ballot::test::test_stream();
  const std::size_t n = 100'003;
  const vector<u32> in = random_vector<u32>(n, 1000);
  vector<u32> out(n);
  const ballot::device_buffer little(64, stream);
  const auto policy = ballot::on(ballot::exec(stream, little));
  const auto is_refused = [](const auto& call) { CHECK_THROWS_AS(call(), ballot::invalid_argument); };
  is_refused([&] { thrust::inclusive_scan_by_key(policy, in.begin(), in.end(), in.begin(), out.begin()); });
  is_refused([&] { thrust::exclusive_scan_by_key(policy, in.begin(), in.end(), in.begin(), out.begin(), 1u); });
  is_refused([&] { thrust::transform_inclusive_scan(policy, in.begin(), in.end(), out.begin(), increment{}, plus{}); });
  is_refused(
      [&] { thrust::transform_exclusive_scan(policy, in.begin(), in.end(), out.begin(), increment{}, 1u, plus{}); });
  is_refused(
      [&] { static_cast<void>(thrust::transform_reduce(policy, in.begin(), in.end(), increment{}, 1u, plus{})); });
  is_refused([&] { static_cast<void>(thrust::reduce(policy, counting(0), counting(1000))); });
}

TEST_CASE("adapters: a transform scan whose result overlaps its items otherwise is refused") {
  vector<u32> a = random_vector<u32>(1000, 1000);
  const auto policy = ballot::on(ballot::test::test_stream());
  CHECK_THROWS_AS(thrust::transform_inclusive_scan(policy, a.begin(), a.end() - 1, a.begin() + 1, increment{}, plus{}),
                  ballot::invalid_argument);
}

#undef ENDS

}  // namespace adapters_thrust_scans
