// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: the Thrust adapter's selections by a stencil, and of iterators that are no
// arrays, beside Thrust's own.
#include <ballot/adapters/thrust.cuh>

#include "support/beside_thrust.hpp"

#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sort.h>

namespace adapters_thrust_stencils {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using ballot::test::random_vector;
using ballot::test::same_as_thrust;
using ballot::test::sizes_beside_thrust;
namespace ours = ballot::adapters::detail;

template <class T>
using vector = thrust::device_vector<T>;

struct is_small {
  __host__ __device__ bool operator()(u32 x) const { return x < 300; }
};
struct is_odd {
  __host__ __device__ bool operator()(u32 x) const { return x % 2 != 0; }
};
struct is_set {
  __host__ __device__ bool operator()(u8 flag) const { return flag != 0; }
};
struct large {
  u32 numbers[33];
};

// These are ballot's, and not by chance Thrust's.
using items = vector<u32>::iterator;
using flags = vector<u8>::iterator;
using counting = thrust::counting_iterator<u32>;
static_assert(ours::copies_by_stencil<items, flags, items, is_set>);
static_assert(ours::copies_by_stencil<const u32*, const u8*, u32*, is_set>);
static_assert(ours::copies_by_stencil<counting, items, items, is_small>);
static_assert(ours::copies_by_stencil<items, counting, items, is_odd>);
static_assert(ours::moves_by_stencil<items, flags, is_set>);
static_assert(ours::selects_items<counting, is_odd> && ours::copies_array<counting, items>);
static_assert(ours::copies_array<thrust::permutation_iterator<items, items>, items>);
// Items or a stencil that are too large, a function pointer, an output of another type.
static_assert(!ours::copies_by_stencil<vector<large>::iterator, flags, vector<large>::iterator, is_set>);
static_assert(!ours::moves_by_stencil<vector<large>::iterator, flags, is_set>);
static_assert(!ours::copies_by_stencil<items, vector<large>::iterator, items, is_set>);
static_assert(!ours::copies_by_stencil<items, flags, items, bool (*)(u8)>);
static_assert(!ours::copies_by_stencil<items, flags, vector<u64>::iterator, is_set>);

TEST_CASE("adapters: thrust's selections by a stencil") {
  for (const std::size_t n : sizes_beside_thrust) {
    CAPTURE(n);
    const vector<u32> in = random_vector<u32>(n, 1000), out(n), numbers = random_vector<u32>(n, 1000, 3);
    const vector<u8> set = random_vector<u8>(n, 2, 2);
    same_as_thrust(
        [](auto p, auto& a, auto& f, auto& b) {
          return static_cast<u64>(thrust::copy_if(p, a.begin(), a.end(), f.begin(), b.begin(), is_set{}) - b.begin());
        },
        in, set, out);
    same_as_thrust(
        [](auto p, auto& a, auto& f, auto& b) {
          return static_cast<u64>(thrust::remove_copy_if(p, a.begin(), a.end(), f.begin(), b.begin(), is_small{}) -
                                  b.begin());
        },
        in, numbers, out);
    same_as_thrust(
        [](auto p, auto& a, auto& b) {
          return static_cast<u64>(thrust::remove_copy_if(p, a.begin(), a.end(), b.begin(), is_small{}) - b.begin());
        },
        in, out);
    // Behind the end the items are unspecified, in both.
    same_as_thrust(
        [](auto p, auto& a, auto& f) {
          a.erase(thrust::remove_if(p, a.begin(), a.end(), f.begin(), is_set{}), a.end());
          return a.size();
        },
        in, set);
    same_as_thrust(
        [](auto p, auto& a, auto& f) {
          return static_cast<u64>(thrust::stable_partition(p, a.begin(), a.end(), f.begin(), is_small{}) - a.begin());
        },
        in, numbers);
    same_as_thrust(
        [](auto p, auto& a, auto& f, auto& b, auto& c) {
          const auto ends =
              thrust::stable_partition_copy(p, a.begin(), a.end(), f.begin(), b.begin(), c.begin(), is_set{});
          return static_cast<u64>((ends.first - b.begin()) * 10 + (ends.second - c.begin()));
        },
        in, set, out, out);
    // In no order of their own.
    same_as_thrust(
        [](auto p, auto& a, auto& f) {
          const auto middle = thrust::partition(p, a.begin(), a.end(), f.begin(), is_set{});
          thrust::sort(p, a.begin(), middle);
          thrust::sort(p, middle, a.end());
          return static_cast<u64>(middle - a.begin());
        },
        in, set);
    same_as_thrust(
        [](auto p, auto& a, auto& f, auto& b, auto& c) {
          const auto ends = thrust::partition_copy(p, a.begin(), a.end(), f.begin(), b.begin(), c.begin(), is_set{});
          thrust::sort(p, b.begin(), ends.first);
          thrust::sort(p, c.begin(), ends.second);
          return static_cast<u64>((ends.first - b.begin()) * 10 + (ends.second - c.begin()));
        },
        in, set, out, out);
  }
}

TEST_CASE("adapters: thrust's positions of what a stencil selects, and a stencil that is computed") {
  for (const std::size_t n : sizes_beside_thrust) {
    CAPTURE(n);
    const vector<u32> numbers = random_vector<u32>(n, 1000), out(n), at = random_vector<u32>(n, n == 0 ? 1 : n, 2);
    same_as_thrust(
        [](auto p, auto& f, auto& b) {
          const counting all(0);
          return static_cast<u64>(
              thrust::copy_if(p, all, all + static_cast<std::ptrdiff_t>(f.size()), f.begin(), b.begin(), is_small{}) -
              b.begin());
        },
        numbers, out);
    same_as_thrust(
        [](auto p, auto& a, auto& b) {
          return static_cast<u64>(thrust::copy_if(p, a.begin(), a.end(), counting(1), b.begin(), is_odd{}) - b.begin());
        },
        numbers, out);
    same_as_thrust(
        [](auto p, auto& a) {
          a.erase(thrust::remove_if(p, a.begin(), a.end(), counting(1), is_odd{}), a.end());
          return a.size();
        },
        numbers);
    same_as_thrust(
        [](auto p, auto& a, auto& i, auto& b) {
          const auto permuted = thrust::make_permutation_iterator(a.begin(), i.begin());
          return static_cast<u64>(
              thrust::copy_if(p, permuted, permuted + static_cast<std::ptrdiff_t>(a.size()), b.begin(), is_small{}) -
              b.begin());
        },
        numbers, at, out);
    same_as_thrust(
        [](auto p, auto& a, auto& b) {
          const auto ends = thrust::stable_partition_copy(p, counting(0), counting(static_cast<u32>(a.size())),
                                                          a.begin(), b.begin(), is_odd{});
          return static_cast<u64>((ends.first - a.begin()) * 10 + (ends.second - b.begin()));
        },
        out, out);
    same_as_thrust(
        [](auto p, auto& a, auto& b, auto& c) {
          const auto ends = thrust::unique_by_key_copy(p, a.begin(), a.end(), counting(0), b.begin(), c.begin());
          return static_cast<u64>((ends.first - b.begin()) * 10 + (ends.second - c.begin()));
        },
        random_vector<u32>(n, 3), out, out);
    same_as_thrust(
        [](auto p, auto& a) {
          return static_cast<u64>(thrust::count_if(p, counting(0), counting(static_cast<u32>(a.size())), is_small{}));
        },
        out);
  }
}

TEST_CASE("adapters: thrust's selections by a stencil in scratch of the caller's") {
  const cudaStream_t stream = ballot::test::test_stream();
  const std::size_t n = 10'000, bits = (n + 31) / 32 * 4;
  const vector<u32> in = random_vector<u32>(n, 1000);
  const vector<u8> set = random_vector<u8>(n, 2, 2);
  vector<u32> a = in, b = in, c(n), d(n);
  const ballot::device_buffer scratch(ballot::split_in_place_scratch_bytes<u32>(n) + bits + 512, stream);
  const auto policy = ballot::on(ballot::exec(stream, scratch));
  const auto of_ours = thrust::stable_partition(policy, a.begin(), a.end(), set.begin(), is_set{});
  const auto of_theirs =
      thrust::stable_partition(thrust::cuda::par.on(stream), b.begin(), b.end(), set.begin(), is_set{});
  CHECK(of_ours - a.begin() == of_theirs - b.begin());
  CHECK(a == b);
  const ballot::device_buffer for_copy(ballot::compact_scratch_bytes<u8, u32>(n) + 512, stream);
  const auto end = thrust::copy_if(ballot::on(ballot::exec(stream, for_copy)), in.begin(), in.end(), set.begin(),
                                   c.begin(), is_set{});
  const auto their_end =
      thrust::copy_if(thrust::cuda::par.on(stream), in.begin(), in.end(), set.begin(), d.begin(), is_set{});
  CHECK(end - c.begin() == their_end - d.begin());
  CHECK(c == d);
  // Thrust's own would allocate.
  const ballot::device_buffer little(600, stream);
  const auto poor = ballot::on(ballot::exec(stream, little));
  const auto is_refused = [](const auto& call) { CHECK_THROWS_AS(call(), ballot::invalid_argument); };
  is_refused([&] { thrust::remove_if(poor, a.begin(), a.end(), set.begin(), is_set{}); });
  is_refused([&] { thrust::stable_partition(poor, a.begin(), a.end(), set.begin(), is_set{}); });
  is_refused([&] { thrust::partition(poor, a.begin(), a.end(), set.begin(), is_set{}); });
  const ballot::device_buffer none(100, stream);
  const auto poorest = ballot::on(ballot::exec(stream, none));
  is_refused([&] { thrust::copy_if(poorest, in.begin(), in.end(), set.begin(), c.begin(), is_set{}); });
  is_refused([&] { thrust::remove_copy_if(poorest, in.begin(), in.end(), set.begin(), c.begin(), is_set{}); });
  is_refused(
      [&] { thrust::partition_copy(poorest, in.begin(), in.end(), set.begin(), c.begin(), d.begin(), is_set{}); });
  is_refused([&] {
    thrust::stable_partition_copy(poorest, in.begin(), in.end(), set.begin(), c.begin(), d.begin(), is_set{});
  });
}

}  // namespace adapters_thrust_stencils
