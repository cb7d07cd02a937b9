// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <ballot/device/memory.cuh>
#include <ballot/scan.cuh>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace LIBRARY {

void refuse() {
  std::uint32_t* const nowhere = nullptr;
  ballot::inclusive_scan(ballot::exec(nullptr, {}), std::span<const std::uint32_t>(nowhere, 100),
                         std::span<std::uint32_t>(nowhere, 100));
}

bool sums_on_gpu() {
  std::vector<std::uint32_t> items(100'000, 3), sums(items.size());
  const std::size_t bytes = items.size() * sizeof(std::uint32_t);
  ballot::device_array<std::uint32_t> in(items.size(), nullptr), out(items.size(), nullptr);
  cudaMemcpy(std::span(in).data(), items.data(), bytes, cudaMemcpyHostToDevice);
  ballot::device_buffer scratch(ballot::scan_scratch_bytes<std::uint32_t>(items.size()), nullptr);
  ballot::inclusive_scan(ballot::exec(nullptr, scratch), in, out);
  if (cudaMemcpy(sums.data(), std::span(out).data(), bytes, cudaMemcpyDeviceToHost) != cudaSuccess) return false;
  std::partial_sum(items.begin(), items.end(), items.begin());
  return sums == items;
}

}  // namespace LIBRARY
