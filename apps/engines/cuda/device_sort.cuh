// SPDX-License-Identifier: Apache-2.0
// Definitions for device_algorithms.hpp: a translation unit includes this and instantiates the
// types of one width.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/cuda/device_algorithms.hpp"

#include <ballot/sort.cuh>

namespace ballot::app {

template <class K>
std::size_t device_sort<K>::scratch_bytes(const sort_request& request, std::uint64_t count) {
  return request.argsort ? ballot::argsort_scratch_bytes<K, std::uint64_t>(count)
                         : ballot::sort_in_place_scratch_bytes<K>(count);
}

template <class K>
void device_sort<K>::keys(const exec& gpu, const sort_request& request, std::span<K> keys) {
  ballot::sort_in_place(gpu, keys, {.direction = request.order, .bits = request.bits});
}

template <class K>
void device_sort<K>::indices(const exec& gpu, const sort_request& request, std::span<const K> keys,
                             std::span<std::uint64_t> indices) {
  ballot::argsort(gpu, keys, indices, {.direction = request.order, .bits = request.bits});
}

}  // namespace ballot::app
