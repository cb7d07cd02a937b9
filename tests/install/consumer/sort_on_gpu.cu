// SPDX-License-Identifier: Apache-2.0
// The ten lines of the README, with the answer checked. Leaves with 77 where there is no GPU.
#include <ballot/sort.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;

  constexpr std::size_t n = 100'000;
  std::vector<std::uint32_t> keys(n);
  std::uint32_t state = 1;
  for (auto& key : keys) key = state = state * 1664525u + 1013904223u;

  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  std::uint32_t* memory = nullptr;
  cudaMalloc(&memory, 2 * n * sizeof(std::uint32_t));
  const std::span<const std::uint32_t> in(memory, n);
  const std::span<std::uint32_t> out(memory + n, n);
  cudaMemcpy(memory, keys.data(), n * sizeof(std::uint32_t), cudaMemcpyHostToDevice);

  ballot::device_buffer scratch(ballot::sort_scratch_bytes<std::uint32_t>(n), stream);
  ballot::exec gpu{stream, scratch};
  ballot::sort(gpu, in, out);

  std::vector<std::uint32_t> sorted(n);
  cudaMemcpyAsync(sorted.data(), out.data(), n * sizeof(std::uint32_t), cudaMemcpyDeviceToHost, stream);
  const bool fine = cudaStreamSynchronize(stream) == cudaSuccess;
  std::sort(keys.begin(), keys.end());
  std::printf("sort_on_gpu: %s\n", fine && sorted == keys ? "sorted" : "wrong");
  cudaFree(memory);
  return fine && sorted == keys ? 0 : 1;
}
