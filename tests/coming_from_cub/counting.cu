// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: histograms, merges, searches, gather and scatter of CUB and Thrust. Beside each
// is the call of ballot that docs/coming-from-cub.md names, with equal results.
#include <ballot/gather.cuh>
#include <ballot/histogram.cuh>
#include <ballot/merge.cuh>
#include <ballot/search.cuh>

#include "support/cub_call.hpp"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge.cuh>

#include <thrust/binary_search.h>
#include <thrust/gather.h>
#include <thrust/merge.h>
#include <thrust/scatter.h>
#include <thrust/sort.h>

using namespace ballot;
using test::by_cub;
using test::guarded;
using test::same;

namespace coming_from_cub_counting {

using u32 = std::uint32_t;

constexpr int n = 3'000'001;

template <class T>
void even(std::uint64_t below, T lower, T upper, int bins) {
  const guarded<T> in(test::random_below<T>(n, below));
  guarded<u32> theirs(static_cast<std::size_t>(bins)), ours(static_cast<std::size_t>(bins));
  const cudaStream_t stream = test::test_stream();
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(temporary, bytes, in.data(), theirs.data(), bins + 1, lower, upper, n,
                                               stream);
  });
  histogram(allocating(stream), in, even_bins<T>{lower, upper, static_cast<u32>(bins)}, ours);
  CHECK(same(ours, theirs));
}

TEST_CASE("DeviceHistogram: HistogramEven") {
  even<u32>(1000, 100, 900, 7);
  even<u32>(1u << 31, 0, 1u << 31, 256);
  even<u32>(1u << 31, 0, 1u << 31, 10'000);
  even<std::int32_t>(1u << 31, 17, 2'000'000'017, 1'000);
  even<u32>(1u << 31, 0, 1u << 31, 1 << 16);
  even<u32>(1u << 31, 0, 1u << 31, 1 << 20);
  even<float>(1000, 0.0f, 1000.0f, 250);
  even<double>(1000, 100.0, 900.0, 800);
  even<std::uint8_t>(256, 0, 255, 255);
}

struct between {
  const float* level;
  int levels;
  __host__ __device__ int operator()(float x) const {  // the last level that is not above x
    if (x >= level[levels - 1]) return -1;
    int bin = -1;
    for (int l = 0; l < levels && level[l] <= x; ++l) bin = l;
    return bin;
  }
};

TEST_CASE("DeviceHistogram: HistogramRange") {
  const guarded<float> in(test::random_below<float>(n, 1000));
  const guarded<float> levels(std::vector<float>{10, 11, 50, 300, 301, 999});
  guarded<u32> theirs(5), ours(5);
  const cudaStream_t stream = test::test_stream();
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramRange(temporary, bytes, in.data(), theirs.data(), 6, levels.data(), n,
                                                stream);
  });
  histogram(allocating(stream), in, between{levels.data(), 6}, ours);
  CHECK(same(ours, theirs));
}

struct sorted_pairs {
  std::vector<u32> first_items = test::random_below<u32>(n, 100'000),
                   second_items = test::random_below<u32>(n / 3, 90'000, 2);
  cudaStream_t stream = test::test_stream();
  exec gpu = allocating(stream);
  static guarded<u32> sorted(std::vector<u32> items) {
    std::sort(items.begin(), items.end());
    return guarded<u32>(items);
  }
  guarded<u32> first = sorted(first_items), second = sorted(second_items);
  guarded<u32> first_values{first_items}, second_values{second_items};
  guarded<u32> theirs{n + n / 3}, ours{n + n / 3}, their_values{n + n / 3}, our_values{n + n / 3};
};

TEST_CASE("DeviceMerge: MergeKeys, MergePairs; merge, merge_by_key") {
  sorted_pairs s;
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceMerge::MergeKeys(temporary, bytes, s.first.data(), n, s.second.data(), n / 3, s.theirs.data(),
                                       ::cuda::std::less<>{}, s.stream);
  });
  merge(s.gpu, s.first, s.second, s.ours);
  CHECK(same(s.ours, s.theirs));
  thrust::merge(test::on_stream(), s.first.begin(), s.first.end(), s.second.begin(), s.second.end(), s.theirs.begin());
  CHECK(same(s.ours, s.theirs));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceMerge::MergePairs(temporary, bytes, s.first.data(), s.first_values.data(), n, s.second.data(),
                                        s.second_values.data(), n / 3, s.theirs.data(), s.their_values.data(),
                                        ::cuda::std::less<>{}, s.stream);
  });
  merge_pairs(s.gpu, s.first, s.first_values, s.second, s.second_values, s.ours, s.our_values);
  CHECK(same(s.ours, s.theirs));
  CHECK(same(s.our_values, s.their_values));
  thrust::merge_by_key(test::on_stream(), s.first.begin(), s.first.end(), s.second.begin(), s.second.end(),
                       s.first_values.begin(), s.second_values.begin(), s.theirs.begin(), s.their_values.begin());
  CHECK(same(s.our_values, s.their_values));
}

TEST_CASE("lower_bound, upper_bound, is_sorted, is_sorted_until") {
  sorted_pairs s;
  guarded<u32> theirs(n), ours(n);
  thrust::lower_bound(test::on_stream(), s.second.begin(), s.second.end(), s.first_values.begin(), s.first_values.end(),
                      theirs.begin());
  lower_bound(s.gpu, s.second, s.first_values, ours);
  CHECK(same(ours, theirs));
  thrust::upper_bound(test::on_stream(), s.second.begin(), s.second.end(), s.first_values.begin(), s.first_values.end(),
                      theirs.begin());
  upper_bound(s.gpu, s.second, s.first_values, ours);
  CHECK(same(ours, theirs));

  device_value<u32> answer(s.stream);
  device_value<std::uint64_t> until(s.stream);
  for (const auto* in : {&s.first, &s.first_values}) {
    is_sorted(s.gpu, *in, answer);
    CHECK((answer.read(s.stream) == 1) == thrust::is_sorted(test::on_stream(), in->begin(), in->end()));
    is_sorted_until(s.gpu, *in, until);
    const auto end = thrust::is_sorted_until(test::on_stream(), in->begin(), in->end());
    CHECK(until.read(s.stream) == static_cast<std::uint64_t>(end - in->begin()));
  }
}

TEST_CASE("gather, scatter") {
  const auto items = test::random_below<u32>(n, 1u << 30);
  std::vector<u32> order(n);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<u32>(i);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  const guarded<u32> in(items), at(order);
  guarded<u32> theirs(n), ours(n);
  const exec gpu = allocating(test::test_stream());
  thrust::gather(test::on_stream(), at.begin(), at.end(), in.begin(), theirs.begin());
  gather(gpu, in, at, ours);
  CHECK(same(ours, theirs));
  thrust::scatter(test::on_stream(), in.begin(), in.end(), at.begin(), theirs.begin());
  scatter(gpu, in, at, ours);
  CHECK(same(ours, theirs));
}

}  // namespace coming_from_cub_counting
