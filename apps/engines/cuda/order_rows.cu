// SPDX-License-Identifier: Apache-2.0
// Orders of rows by columns of keys, for engine.cu.
#include "engines/cuda/device_algorithms.hpp"

#include <ballot/argsort_by_columns.cuh>
#include <ballot/sort.cuh>

#include <algorithm>

namespace ballot::app {

template <class U>
std::size_t device_order<U>::scratch_bytes(std::uint64_t count) {
  return std::max(ballot::argsort_scratch_bytes<U, std::uint64_t>(count),
                  ballot::argsort_further_scratch_bytes<U, std::uint64_t>(count));
}

template <class U>
void device_order<U>::first(const exec& gpu, std::span<const U> keys, std::span<std::uint64_t> rows) {
  ballot::argsort(gpu, keys, rows);
}

template <class U>
void device_order<U>::further(const exec& gpu, std::span<const U> keys, std::span<std::uint64_t> rows) {
  ballot::argsort_further(gpu, keys, rows);
}

template struct device_order<std::uint32_t>;
template struct device_order<std::uint64_t>;

}  // namespace ballot::app
