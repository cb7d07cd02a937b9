// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: histogram and top_k of lengths that the emulator cannot reach, against Thrust's
// sort on the device.
#include <ballot/histogram.cuh>
#include <ballot/top_k.cuh>

#include "support/largest.hpp"
#include "support/random_array.cuh"

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/logical.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

using namespace ballot;

namespace algorithms_oracle_counting {

using test::equal_items;
using test::on_stream;
using test::random_array;
using test::room_for;

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 beyond = (u64{1} << 32) + 77;

std::vector<u64> lengths() {
  std::vector<u64> all{(1u << 20) - 1, (1u << 22) + 12345, (1u << 26) + 7};
  std::erase_if(all, [](u64 n) { return n >> (test::at_most_largest_power(32) + 1) != 0; });
  return all;
}

struct few_bits {
  __host__ __device__ u32 operator()(u32 x) const { return x & x >> 9 & 0xff00ffu; }
};
struct remainder_of {
  u32 modulus;
  __host__ __device__ u32 operator()(u32 x) const { return x % modulus; }
};

// The counts of sorted numbers: where each ends, less where it begins.
void check_histogram(const device_array<u32>& in, u32 bins) {
  const stream_t stream = test::test_stream();
  const u64 n = in.size();
  device_array<u32> counts(bins, stream), numbers(n, stream), low(bins, stream), high(bins, stream);
  const remainder_of bin_of{bins + bins / 10};
  histogram(allocating(stream), in, bin_of, counts);
  thrust::transform(on_stream(), in.begin(), in.end(), numbers.begin(), bin_of);
  thrust::sort(on_stream(), numbers.begin(), numbers.end());
  const thrust::counting_iterator<u32> bin(0);
  thrust::lower_bound(on_stream(), numbers.begin(), numbers.end(), bin, bin + bins, low.begin());
  thrust::upper_bound(on_stream(), numbers.begin(), numbers.end(), bin, bin + bins, high.begin());
  thrust::transform(on_stream(), high.begin(), high.end(), low.begin(), low.begin(), thrust::minus<u32>{});
  CHECK(equal_items(counts.data(), low.data(), bins));
}

TEST_CASE("histogram as Thrust sorts and searches") {
  for (const u64 n : lengths())
    for (const u32 bins : {1u, 10u, 256u, 5'000u, 30'000u, 1u << 16, 100'000u, 1u << 20}) {
      CAPTURE(n);
      CAPTURE(bins);
      auto in = random_array<u32>(n, n);
      check_histogram(in, bins);
      thrust::transform(on_stream(), in.begin(), in.end(), in.begin(), few_bits{});
      check_histogram(in, bins);
    }
}

void check_top_k(const device_array<u32>& keys, u64 k) {
  CAPTURE(keys.size());
  CAPTURE(k);
  const stream_t stream = test::test_stream();
  const u64 n = keys.size(), selected = std::min(n, k);
  device_array<u32> sorted(n, stream), order(n, stream), out(selected, stream), values(n, stream),
      values_out(selected, stream);
  device_value<u64> count(stream);
  thrust::copy(on_stream(), keys.begin(), keys.end(), sorted.begin());
  thrust::sequence(on_stream(), order.begin(), order.end());
  thrust::stable_sort_by_key(on_stream(), sorted.begin(), sorted.end(), order.begin(), thrust::greater<u32>{});
  const exec gpu = allocating(stream);
  top_k(gpu, keys, k, out, count);
  CHECK(count.read(stream) == selected);
  CHECK(equal_items(out.data(), sorted.data(), selected));
  top_k_indices(gpu, keys, k, values_out, count);
  CHECK(equal_items(values_out.data(), order.data(), selected));
  thrust::sequence(on_stream(), values.begin(), values.end());
  thrust::sort(on_stream(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(selected));
  top_k_pairs(gpu, keys, values, k, out, values_out, count, {.order = top_k_order::by_position});
  CHECK(equal_items(values_out.data(), order.data(), selected));
}

TEST_CASE("top_k as Thrust sorts") {
  for (const u64 n : lengths())
    for (const u64 k : {u64{1}, u64{100}, u64{10'000}, n / 100, n / 8, n / 8 + 1, n - 1}) {
      auto keys = random_array<u32>(n, n + k);
      check_top_k(keys, k);
      thrust::transform(on_stream(), keys.begin(), keys.end(), keys.begin(), few_bits{});
      check_top_k(keys, k);
      thrust::sort(on_stream(), keys.begin(), keys.end());
      check_top_k(keys, k);
      thrust::fill(on_stream(), keys.begin(), keys.end(), 7u);
      check_top_k(keys, k);
    }
}

struct is_at_its_place {
  const u64* found;

  __host__ __device__ bool operator()(u64 i) const { return found[i] == 255 + 256 * i; }
};
struct low_byte {
  __host__ __device__ std::uint8_t operator()(u64 i) const { return static_cast<std::uint8_t>(i); }
};
struct is_number {
  const u64* found;
  u64 n;
  __host__ __device__ bool operator()(u64 b) const { return found[b] == n / 256 + (b < n % 256 ? 1 : 0); }
};

TEST_CASE("histogram and top_k of more than 2^32 items") {
  if (!room_for(beyond + (u64{1} << 30))) return;
  const stream_t stream = test::test_stream();
  device_array<std::uint8_t> in(beyond, stream);
  const thrust::counting_iterator<u64> at(0);
  thrust::transform(on_stream(), at, at + beyond, in.begin(), low_byte{});
  const exec gpu = allocating(stream);
  device_array<u64> counts(256, stream);
  histogram(gpu, in, key_digit{0, 8}, counts);
  CHECK(thrust::all_of(on_stream(), at, at + 256, is_number{counts.data(), beyond}));
  const u64 of_255 = beyond / 256;
  for (const u64 k : {u64{1'000}, of_255}) {
    device_array<u64> indices(k, stream);
    device_value<u64> count(stream);
    top_k_indices(gpu, in, k, indices, count);
    CHECK(count.read(stream) == k);
    CHECK(thrust::all_of(on_stream(), at, at + k, is_at_its_place{indices.data()}));
  }
  device_array<u64> last(3, stream);
  top_k_indices(gpu, counted{in, &counts.data()[0]}, 3, last);  // n / 256 + 1 of them
  CHECK(last.read() == std::vector<u64>{255, 511, 767});
}

}  // namespace algorithms_oracle_counting
