// SPDX-License-Identifier: Apache-2.0
// Items for the benchmark of several GPUs, and what looks at its results on the device.
#pragma once

#include "noting_communicator.hpp"

#include <algorithm>
#include <cstdint>

namespace ballot_bench_distributed {

struct memory {
  void* at = nullptr;
  explicit memory(std::size_t bytes) { must(cudaMalloc(&at, std::max<std::size_t>(bytes, 256)), "cudaMalloc"); }
  ~memory() { (void)cudaFree(at); }
  memory(const memory&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(at);
  }
};

__host__ __device__ inline std::uint64_t mixed(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

// How keys are distributed. zipf: 2^20 different ones, with values that are spread over all bits.
// The k-th most frequent one is 1/k as frequent as the first.
enum class key_law { uniform, zipf, equal };
inline const char* name_of(key_law law) {
  return law == key_law::uniform ? "uniform" : law == key_law::zipf ? "zipf" : "equal";
}

template <class T>
__device__ T item_of(key_law law, std::uint64_t i) {
  if (law == key_law::uniform) return static_cast<T>(mixed(i));
  if (law == key_law::equal) return T{7};
  // The sum of 1/k up to x is nearly ln(x): u in [0, 1) gives the key number 2^(20 u).
  const double u = double(mixed(i) >> 11) * 0x1p-53;
  return static_cast<T>(mixed(static_cast<std::uint64_t>(exp2(20 * u))));
}

// The items from number `first` on of the sequence that all ranks have together.
template <class T>
__global__ void fill_kernel(T* items, std::uint64_t n, std::uint64_t first, key_law law = key_law::uniform) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    items[i] = item_of<T>(law, first + i);
}
// found[0]: neighbours out of order; found[1]: the sum of what hash makes of each pair of items.
template <class K, class V>
__global__ void look_kernel(const K* keys, const V* values, std::uint64_t n, bool order, unsigned long long* found) {
  unsigned long long wrong = 0, sum = 0;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    if (order && i + 1 < n && keys[i + 1] < keys[i]) ++wrong;
    unsigned long long z =
        keys[i] * 0x9e3779b97f4a7c15ull + (values == nullptr ? 0 : values[i]) * 0xbf58476d1ce4e5b9ull;
    sum += z ^ z >> 29;
  }
  if (wrong != 0) atomicAdd(&found[0], wrong);
  atomicAdd(&found[1], sum);
}

}  // namespace ballot_bench_distributed
