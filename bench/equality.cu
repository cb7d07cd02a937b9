// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "cuda.hpp"
#include "equality.hpp"

#include <thrust/mismatch.h>
#include <thrust/system/cuda/execution_policy.h>

namespace ballot::bench {

std::optional<std::uint64_t> first_difference(const void* a, const void* b, std::uint64_t bytes, cudaStream_t stream) {
  const std::uint64_t words = bytes / 4, behind = 4 * words;
  const auto* x = static_cast<const std::uint32_t*>(a);
  const auto* y = static_cast<const std::uint32_t*>(b);
  const auto found = thrust::mismatch(thrust::cuda::par.on(stream), x, x + words, y).first - x;
  if (static_cast<std::uint64_t>(found) != words) return 4 * static_cast<std::uint64_t>(found);
  // fewer than 4 bytes more
  std::uint32_t of_a = 0, of_b = 0;
  check(cudaMemcpyAsync(&of_a, x + words, bytes - behind, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check(cudaMemcpyAsync(&of_b, y + words, bytes - behind, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  if (of_a != of_b) return behind;
  return std::nullopt;
}

}  // namespace ballot::bench
