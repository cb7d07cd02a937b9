// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: histograms of CUB, each beside the call of ballot that docs/coming-from-cub.md names, with equal
// results.
#include <ballot/histogram.cuh>

#include "support/cub_call.hpp"

#include <cub/device/device_histogram.cuh>

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

}  // namespace coming_from_cub_counting
