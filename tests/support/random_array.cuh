// On the GPU alone: arrays of any length that are made where they are needed, and compared there.
#pragma once

#include <ballot/core/namespace.hpp>

#include "support/device_data.hpp"
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

}  // namespace ballot::test
