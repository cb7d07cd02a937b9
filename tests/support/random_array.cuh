// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: arrays of any length that are made where they are needed, and compared there.
#pragma once

#include <ballot/core/namespace.hpp>

#include "support/device_data.hpp"
#include "support/largest.hpp"
#include "support/mixed.hpp"

#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <cstdint>

namespace ballot::test {

template <class T>
struct mixed_as {
  mixed from;
  __host__ __device__ T operator()(std::uint64_t i) const { return static_cast<T>(from(i)); }
};

inline auto on_stream() { return thrust::cuda::par.on(test_stream()); }

template <class T>
device_array<T> random_array(std::uint64_t n, std::uint64_t seed) {
  device_array<T> items(n, test_stream());
  thrust::transform(on_stream(), thrust::counting_iterator<std::uint64_t>(0),
                    thrust::counting_iterator<std::uint64_t>(n), items.begin(), mixed_as<T>{{seed}});
  return items;
}

template <class T>
bool equal_items(const T* a, const T* b, std::uint64_t n) {
  return thrust::equal(on_stream(), a, a + n, b);
}

// Whether the device has that much memory free, for arrays of more than 2^32 items; says so where
// it has not.
inline bool room_for(std::uint64_t bytes) {
  if (at_most_largest_power(32) < 32) return false;
  simt::synchronize(test_stream());  // what has been given back in stream order is free
  std::size_t free = 0, total = 0;
  simt::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  if (free > bytes + (std::uint64_t{1} << 30)) return true;
  MESSAGE("left out: needs " << (bytes >> 30) << " GiB of device memory, " << (free >> 30) << " GiB are free");
  return false;
}

}  // namespace ballot::test
