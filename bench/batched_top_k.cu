// SPDX-License-Identifier: Apache-2.0
// The 64 largest of each of 64 rows of u32, sorted; n is all of them. CUB: DeviceSegmentedSort and
// DeviceSegmentedRadixSort of the rows, whose first 64 are the answer. Bytes: each key read.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/batched_top_k.cuh>

#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;
constexpr std::uint64_t rows = 64, k = 64;

struct begin_of {
  int width;
  __host__ __device__ int operator()(int row) const { return row * width; }
};
auto begins(const arrays& a) {
  return thrust::make_transform_iterator(thrust::counting_iterator<int>(0),
                                         begin_of{a.length() / static_cast<int>(rows)});
}
cudaError_t copy_best(const arrays& a) {
  return cudaMemcpy2DAsync(a.out<T>(), k * sizeof(T), a.second_out<T>(), a.n / rows * sizeof(T), k * sizeof(T), rows,
                           cudaMemcpyDeviceToDevice, a.stream);
}

}  // namespace

void add_batched_top_k(std::vector<operation>& all) {
  operation task{.name = "batched_top_k_64",
                 .bytes_per_item = sizeof(T),
                 .input = keys<T>({}),
                 .output_bytes = rows * k * sizeof(T),
                 .second_output_bytes = sizeof(T),
                 .compare_second = false,
                 .shape = result_shape::one,
                 .items = [](std::uint64_t n) { return n / rows < k ? 0 : n / rows * rows; }};
  contender sort_ = by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    const cudaError_t error =
        cub::DeviceSegmentedSort::SortKeysDescending(temporary, bytes, a.in<T>(), a.second_out<T>(), a.length(),
                                                     static_cast<int>(rows), begins(a), begins(a) + 1, a.stream);
    return temporary == nullptr || error != cudaSuccess ? error : copy_best(a);
  });
  sort_.waits = true;
  task.contenders.push_back(std::move(sort_));
  task.contenders.push_back(named("cub_radix", by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
                                    const cudaError_t error = cub::DeviceSegmentedRadixSort::SortKeysDescending(
                                        temporary, bytes, a.in<T>(), a.second_out<T>(), a.length(),
                                        static_cast<int>(rows), begins(a), begins(a) + 1, 0, 32, a.stream);
                                    return temporary == nullptr || error != cudaSuccess ? error : copy_best(a);
                                  })));
  task.contenders.push_back(
      by_ballot([](std::uint64_t) { return std::size_t{0}; },
                [](const auto& gpu, const arrays& a) {
                  batched_top_k(gpu, in<T>(a), row_layout{rows, a.n / rows}, k, std::span(a.out<T>(), rows * k));
                }));
  all.push_back(std::move(task));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
