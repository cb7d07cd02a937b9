// SPDX-License-Identifier: Apache-2.0
// The host's time of a call through <ballot/adapters/cub.cuh>, beside a call of ballot's own.
// Temporary storage and scratch exist before. On 1,000 items, one call behind the other. And the
// time to ask for storage.
//
//     ballot_bench_adapters
#include <ballot/adapters/cub.cuh>
#include <ballot/compact.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/sort.cuh>
#include <ballot/unique.cuh>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>

#include "host_time.hpp"

using ballot::bench::check;
using ballot::bench::median_us;

namespace {

using u32 = std::uint32_t;

struct is_small {
  __host__ __device__ bool operator()(u32 x) const { return x < 7; }
};

}  // namespace

int main() {
  namespace cub = ballot::adapters::cub;  // here: ::cub exists already
  constexpr int n = 1000;
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
    std::puts("not run: no usable GPU");
    return 77;
  }
  u32 *in = nullptr, *out = nullptr, *values = nullptr, *values_out = nullptr, *count = nullptr;
  std::byte* scratch = nullptr;
  constexpr std::size_t scratch_bytes = std::size_t{1} << 22;
  for (u32** const memory : {&in, &out, &values, &values_out, &count})
    check(cudaMalloc(memory, n * sizeof(u32)), "cudaMalloc");
  check(cudaMalloc(&scratch, scratch_bytes), "cudaMalloc");
  check(cudaMemset(in, 1, n * sizeof(u32)), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // such a stream does not wait for the default one
  const ballot::exec gpu(stream, std::span(scratch, scratch_bytes));
  const std::span<const u32> items(in, n), payload(values, n);
  const std::span<u32> to(out, n), payload_to(values_out, n);

  int failed = 0;
  // through(memory, bytes): the adapter's call.
  const auto beside = [&](const char* name, const auto& through, const auto& direct) {
    std::size_t bytes = 0, given = scratch_bytes;
    if (through(nullptr, bytes) != cudaSuccess || through(scratch, given) != cudaSuccess) ++failed;
    direct();
    const double sizes = median_us(stream, [&] { failed += through(nullptr, bytes) != cudaSuccess; });
    double best_through = 1e9, best_direct = 1e9;
    for (int turn = 0; turn < 3; ++turn) {
      best_direct = std::min(best_direct, median_us(stream, direct));
      best_through =
          std::min(best_through, median_us(stream, [&] { failed += through(scratch, given) != cudaSuccess; }));
    }
    std::printf("%-14s direct %6.2f us, adapter %6.2f us: %5.2f us more; its size %5.2f us\n", name, best_direct,
                best_through, best_through - best_direct, sizes);
  };
  beside(
      "SortKeys",
      [&](void* t, std::size_t& b) { return cub::DeviceRadixSort::SortKeys(t, b, in, out, n, 0, 32, stream); },
      [&] { ballot::sort(gpu, items, to); });
  beside(
      "SortPairs",
      [&](void* t, std::size_t& b) {
        return cub::DeviceRadixSort::SortPairs(t, b, in, out, values, values_out, n, 0, 32, stream);
      },
      [&] { ballot::sort_pairs(gpu, items, payload, to, payload_to); });
  beside(
      "InclusiveSum", [&](void* t, std::size_t& b) { return cub::DeviceScan::InclusiveSum(t, b, in, out, n, stream); },
      [&] { ballot::inclusive_scan(gpu, items, to); });
  beside(
      "Sum", [&](void* t, std::size_t& b) { return cub::DeviceReduce::Sum(t, b, in, count, n, stream); },
      [&] { ballot::reduce(gpu, items, 0u, count); });
  beside(
      "Select::If",
      [&](void* t, std::size_t& b) { return cub::DeviceSelect::If(t, b, in, out, count, n, is_small{}, stream); },
      [&] { ballot::compact(gpu, items, is_small{}, to, count); });
  beside(
      "Unique", [&](void* t, std::size_t& b) { return cub::DeviceSelect::Unique(t, b, in, out, count, n, stream); },
      [&] { ballot::unique(gpu, items, to, count); });
  if (failed != 0) std::printf("%d calls failed\n", failed);
  return failed != 0;
}
