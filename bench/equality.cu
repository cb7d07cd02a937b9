#include <ballot/core/namespace.hpp>

#include "equality.hpp"

#include <thrust/mismatch.h>
#include <thrust/system/cuda/execution_policy.h>

#include <stdexcept>

namespace ballot::bench {

std::optional<std::uint64_t> first_difference(const void* a, const void* b, std::uint64_t bytes, cudaStream_t stream) {
  if (bytes % 4 != 0) throw std::logic_error("first_difference: results come in words of 4 bytes");
  const auto* x = static_cast<const std::uint32_t*>(a);
  const auto found =
      thrust::mismatch(thrust::cuda::par.on(stream), x, x + bytes / 4, static_cast<const std::uint32_t*>(b)).first - x;
  const auto at = 4 * static_cast<std::uint64_t>(found);
  if (at == bytes) return std::nullopt;
  return at;
}

}  // namespace ballot::bench
