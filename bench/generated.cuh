// SPDX-License-Identifier: Apache-2.0
// Data of which every item follows from its position.
#pragma once

#include <ballot/core/namespace.hpp>

#include "cuda.hpp"
#include "operation.hpp"
#include "word_at.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace ballot::bench {

template <class T, class Value>
__global__ void fill(T* to, std::uint64_t n, Value value) {
  const std::uint64_t stride = std::uint64_t{blockDim.x} * gridDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) to[i] = value(i);
}

// value: a function object, and no lambda: nvcc then needs no flag for it.
template <class T, class Value>
source generated(std::string name, Value value) {
  return {std::move(name), [](std::uint64_t n) { return static_cast<std::size_t>(n * sizeof(T)); },
          [value](void* to, std::uint64_t n, cudaStream_t stream) {
            fill<<<1024, 256, 0, stream>>>(static_cast<T*>(to), n, value);
            check(cudaGetLastError(), "fill");
          }};
}

}  // namespace ballot::bench
