// SPDX-License-Identifier: Apache-2.0
// For the tests of the Thrust adapter: a call with ballot's policy beside the same call with
// Thrust's.
#pragma once

#include <ballot/adapters/thrust.cuh>

#include "support/cub_call.hpp"

#include <thrust/device_vector.h>

#include <cstdint>
#include <tuple>

namespace ballot::test {

inline constexpr std::size_t sizes_beside_thrust[] = {0, 1, 1000, 5003, 100'003};

template <class T>
thrust::device_vector<T> random_vector(std::size_t n, std::uint64_t below, unsigned seed = 1) {
  return thrust::device_vector<T>(random_below<T>(n, below, seed));
}

// body(policy, vectors...) with ballot's policy and with Thrust's: its result and the vectors must
// be the same.
template <class Body, class... T>
void same_as_thrust(const Body& body, const thrust::device_vector<T>&... in) {
  std::tuple ours(in...), theirs(in...);
  const cudaStream_t stream = test_stream();
  const std::uint64_t a = std::apply([&](auto&... v) { return body(ballot::on(stream), v...); }, ours);
  const std::uint64_t b = std::apply([&](auto&... v) { return body(thrust::cuda::par.on(stream), v...); }, theirs);
  simt::synchronize(stream);
  CHECK(a == b);
  CHECK(ours == theirs);
}

}  // namespace ballot::test
