// SPDX-License-Identifier: Apache-2.0
// References for random calls on the GPU: Thrust. Arrays on the device.
#pragma once

#include <ballot/core/namespace.hpp>

#include "support/device_data.hpp"

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <cstdint>

namespace ballot::test::peer {

inline auto on_stream() { return thrust::cuda::par.on(test_stream()); }

// make(0), make(1), ...
template <class T, class Make>
void make_items(T* out, std::uint64_t n, Make make) {
  const thrust::counting_iterator<std::uint64_t> at(0);
  thrust::transform(on_stream(), at, at + n, out, make);
}
// Whether holds(i) for all i < n.
template <class Holds>
bool all(std::uint64_t n, Holds holds) {
  const thrust::counting_iterator<std::uint64_t> at(0);
  return thrust::all_of(on_stream(), at, at + n, holds);
}
template <class T>
void copy(const T* in, std::uint64_t n, T* out) {
  thrust::copy(on_stream(), in, in + n, out);
}

template <class T, class Before>
void stable_sort(T* items, std::uint64_t n, Before before) {
  thrust::stable_sort(on_stream(), items, items + n, before);
}
template <class K, class V, class Before>
void stable_sort_by_key(K* keys, std::uint64_t n, V* values, Before before) {
  thrust::stable_sort_by_key(on_stream(), keys, keys + n, values, before);
}

template <class R>
struct converted {
  template <class T>
  __host__ __device__ R operator()(T item) const {
    return static_cast<R>(item);
  }
};
template <class T, class R>
void inclusive_scan(const T* in, std::uint64_t n, R* out) {
  const thrust::transform_iterator items(in, converted<R>{});  // Thrust adds in the type of the items
  thrust::inclusive_scan(on_stream(), items, items + static_cast<std::ptrdiff_t>(n), out, thrust::plus<R>());
}
template <class T>
void exclusive_scan(const T* in, std::uint64_t n, T* out, T initial) {
  thrust::exclusive_scan(on_stream(), in, in + n, out, initial);
}
template <class K, class T>
void inclusive_scan_by_key(const K* keys, const T* in, std::uint64_t n, T* out) {
  thrust::inclusive_scan_by_key(on_stream(), keys, keys + n, in, out);
}

struct is_set {
  __host__ __device__ bool operator()(std::uint8_t flag) const { return flag != 0; }
};
// How many items are kept.
template <class T>
std::uint64_t stable_partition(const T* in, std::uint64_t n, const std::uint8_t* flags, T* kept, T* rest) {
  const auto ends = thrust::stable_partition_copy(on_stream(), in, in + n, flags, kept, rest, is_set{});
  return static_cast<std::uint64_t>(ends.first - kept);
}
// How many runs of equal keys there are.
template <class K, class V>
std::uint64_t unique_by_key(const K* keys, const V* values, std::uint64_t n, K* keys_out, V* values_out) {
  const auto ends = thrust::unique_by_key_copy(on_stream(), keys, keys + n, values, keys_out, values_out);
  return static_cast<std::uint64_t>(ends.first - keys_out);
}

}  // namespace ballot::test::peer
