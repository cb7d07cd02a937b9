// SPDX-License-Identifier: Apache-2.0
// The 64 largest keys of rows of u32; n is all of them. `batched_top_k_64`: 64 rows, sorted. CUB:
// DeviceSegmentedSort and DeviceSegmentedRadixSort of the rows, whose first 64 are the answer.
// `batched_top_k_rows:W`: rows of W keys. CUB: also DeviceBatchedTopK, of the newest CUB alone,
// which leaves them in an order of its own; it knows the length and k when it is compiled. Ours in
// order of position, and sorted as `ballot_sorted`. Bytes: each key read.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/batched_top_k.cuh>

#if __has_include(<cub/device/device_batched_topk.cuh>)
#  include <cub/device/device_batched_topk.cuh>
#  include <cuda/argument>
#  include <cuda/execution>
#  include <cuda/std/execution>
#  include <cuda/stream_ref>
#endif
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <functional>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;
constexpr std::uint64_t rows = 64, k = 64;

struct begin_of {
  int width;
  __host__ __device__ int operator()(int row) const { return row * width; }
};
auto begins(int width) { return thrust::make_transform_iterator(thrust::counting_iterator<int>(0), begin_of{width}); }
cudaError_t copy_best(const arrays& a, std::uint64_t width) {
  return cudaMemcpy2DAsync(a.out<T>(), k * sizeof(T), a.second_out<T>(), width * sizeof(T), k * sizeof(T), a.n / width,
                           cudaMemcpyDeviceToDevice, a.stream);
}
contender by_segmented_sort(const std::function<std::uint64_t(std::uint64_t n)>& width_of) {
  contender sort_ = by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    const auto width = static_cast<int>(width_of(a.n));
    const cudaError_t error =
        cub::DeviceSegmentedSort::SortKeysDescending(temporary, bytes, a.in<T>(), a.second_out<T>(), a.length(),
                                                     a.length() / width, begins(width), begins(width) + 1, a.stream);
    return temporary == nullptr || error != cudaSuccess ? error : copy_best(a, width_of(a.n));
  });
  sort_.waits = true;
  return sort_;
}

// A block a row, a thread an item.
__global__ void sort_best_kernel(T* best) {
  __shared__ T item[k];
  T* const row = best + blockIdx.x * k;
  const T own = item[threadIdx.x] = row[threadIdx.x];
  __syncthreads();
  unsigned rank = 0;
  for (unsigned other = 0; other < k; ++other)
    rank += item[other] > own || (item[other] == own && other < threadIdx.x) ? 1 : 0;
  row[rank] = own;
}
void sort_best(const arrays& a, std::uint64_t width) {
  sort_best_kernel<<<static_cast<unsigned>(a.n / width), k, 0, a.stream>>>(a.out<T>());
  check(cudaGetLastError(), "sort_best");
}

#if __has_include(<cub/device/device_batched_topk.cuh>)
template <int Width>
struct row_of {
  const T* keys;
  __host__ __device__ const T* operator()(int row) const { return keys + std::int64_t{row} * Width; }
};
struct best_of {
  T* best;
  __host__ __device__ T* operator()(int row) const { return best + std::int64_t{row} * static_cast<int>(k); }
};
template <int Width>
cudaError_t run_batched(void* temporary, std::size_t& bytes, const arrays& a) {
  namespace execution = ::cuda::execution;
  const auto wanted = execution::require(execution::determinism::not_guaranteed, execution::tie_break::unspecified,
                                         execution::output_ordering::unsorted);
  const ::cuda::std::execution::env env{::cuda::stream_ref{a.stream}, wanted};
  const thrust::counting_iterator<int> numbers(0);
  return cub::DeviceBatchedTopK::MaxKeys(
      temporary, bytes, thrust::make_transform_iterator(numbers, row_of<Width>{a.in<T>()}),
      thrust::make_transform_iterator(numbers, best_of{a.out<T>()}), ::cuda::args::constant<Width>{},
      ::cuda::args::constant<static_cast<int>(k)>{}, ::cuda::args::immediate{a.length() / Width}, env);
}
#endif

template <int Width>
operation of_rows() {
  operation task{.name = "batched_top_k_rows:" + std::to_string(Width),
                 .bytes_per_item = sizeof(T),
                 .input = keys<T>({}),
                 .output_bytes = sizeof(T),
                 .second_output_bytes = sizeof(T),
                 .compare_second = false,
                 .results = [](std::uint64_t n) { return n / Width * k; },
                 .shape = result_shape::kept,
                 .items = [](std::uint64_t n) { return n / Width * Width; }};
  task.contenders.push_back(named("cub_sort", by_segmented_sort([](std::uint64_t) { return std::uint64_t{Width}; })));
  const auto sorted = [](const arrays& a, std::uint64_t) { sort_best(a, Width); };
#if __has_include(<cub/device/device_batched_topk.cuh>)
  contender top = by_cub(
      [](void* temporary, std::size_t& bytes, const arrays& a) { return run_batched<Width>(temporary, bytes, a); });
  top.reorder = sorted;
  task.contenders.push_back(std::move(top));
#endif
  const auto none = [](std::uint64_t) { return std::size_t{0}; };
  const auto select = [](const auto& gpu, const arrays& a, top_k_order order) {
    const std::uint64_t count = a.n / Width;
    batched_top_k(gpu, in<T>(a), row_layout{count, Width}, k, std::span(a.out<T>(), count * k), nullptr,
                  {.order = order});
  };
  contender ours = by_ballot(none, [=](const auto& gpu, const arrays& a) { select(gpu, a, top_k_order::by_position); });
  ours.reorder = sorted;
  task.contenders.push_back(std::move(ours));
#if BALLOT_BENCH_IS_TOOLKIT
  task.contenders.push_back(named("ballot_sorted", by_ballot(none, [=](const auto& gpu, const arrays& a) {
                                    select(gpu, a, top_k_order::sorted);
                                  })));
#endif
  return task;
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
                 .items = [](std::uint64_t n) { return n / rows < k ? 0 : n / rows * rows; },
                 .also_at = {rows << 17}};
  task.contenders.push_back(by_segmented_sort([](std::uint64_t n) { return n / rows; }));
  task.contenders.push_back(named("cub_radix", by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
                                    const cudaError_t error = cub::DeviceSegmentedRadixSort::SortKeysDescending(
                                        temporary, bytes, a.in<T>(), a.second_out<T>(), a.length(),
                                        static_cast<int>(rows), begins(a.length() / static_cast<int>(rows)),
                                        begins(a.length() / static_cast<int>(rows)) + 1, 0, 32, a.stream);
                                    return temporary == nullptr || error != cudaSuccess ? error
                                                                                        : copy_best(a, a.n / rows);
                                  })));
  task.contenders.push_back(
      by_ballot([](std::uint64_t) { return std::size_t{0}; },
                [](const auto& gpu, const arrays& a) {
                  batched_top_k(gpu, in<T>(a), row_layout{rows, a.n / rows}, k, std::span(a.out<T>(), rows * k));
                }));
  all.push_back(std::move(task));
  all.push_back(of_rows<256>());
  all.push_back(of_rows<1024>());
  all.push_back(of_rows<4096>());
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
