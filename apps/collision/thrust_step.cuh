// SPDX-License-Identifier: Apache-2.0
// The step of `ballot collide` as one would write it with Thrust: its sort_by_key, scans and
// copy_if, which needs a list of all candidates. The other kernels that are particular to collisions
// are the same. A peer to compare with, for `collide --compare` and the benchmark. Thrust has to know
// the number of candidates before it can go on, and its calls allocate. They allocate from a pool
// here, as its users do it.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/kernels.cuh"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace ballot::app::collision {

// Thrust's temporary memory, kept from call to call.
class thrust_pool {
 public:
  using value_type = char;
  ~thrust_pool() {
    for (const auto& [bytes, block] : free_) cudaFree(block);
  }
  char* allocate(std::ptrdiff_t bytes) {
    const auto found = free_.lower_bound(static_cast<std::size_t>(bytes));
    void* block = nullptr;
    std::size_t size = static_cast<std::size_t>(bytes);
    if (found != free_.end()) {
      size = found->first;
      block = found->second;
      free_.erase(found);
    } else {
      simt::check(cudaMalloc(&block, size), "cudaMalloc");
    }
    used_[block] = size;
    return static_cast<char*>(block);
  }
  void deallocate(char* block, std::size_t) {
    const auto found = used_.find(block);
    free_.emplace(found->second, block);
    used_.erase(found);
  }

 private:
  std::multimap<std::size_t, void*> free_;
  std::map<void*, std::size_t> used_;
};

struct candidate_touches {
  const sphere* sorted;
  __device__ bool operator()(const object_pair& pair) const { return touch(sorted[pair.a], sorted[pair.b]); }
};

class thrust_pipeline {
 public:
  thrust_pipeline(const std::vector<sphere>& objects, const cell_grid& grid, const pair_counts& room,
                  cudaStream_t stream)
      : n_(static_cast<std::uint32_t>(objects.size())),
        grid_(grid),
        room_(room),
        stream_(stream),
        spheres_(objects.begin(), objects.end()),
        sorted_(objects.size()),
        keys_(objects.size()),
        ids_(objects.size()),
        counts_(warps_of(objects.size())),
        starts_(grid.cells() + std::size_t{1}),
        offsets_(warps_of(objects.size()) + 1),
        candidates_(room.candidates),
        pairs_(room.pairs) {}

  pair_counts detect() {
    const auto on_stream = thrust::cuda::par_nosync(pool_).on(stream_);
    const simt::launch_config config{dim3((n_ + threads_a_block - 1) / threads_a_block), dim3(threads_a_block), 0,
                                     stream_};
    simt::launch(number_cells_kernel<>, config, spheres_.data().get(), n_, grid_, keys_.data().get(),
                 ids_.data().get());
    thrust::sort_by_key(on_stream, keys_.begin(), keys_.end(), ids_.begin());
    simt::fill_bytes(stream_, starts_.data().get(), 0xff, starts_.size() * sizeof(std::uint32_t));
    simt::launch(begin_cells_kernel<>, config, spheres_.data().get(), keys_.data().get(), ids_.data().get(), n_,
                 grid_.cells(), sorted_.data().get(), starts_.data().get());
    const auto from_end = thrust::make_reverse_iterator(starts_.end());
    thrust::inclusive_scan(on_stream, from_end, from_end + static_cast<std::ptrdiff_t>(starts_.size()), from_end,
                           thrust::minimum<std::uint32_t>());
    simt::launch(count_candidates_kernel<>, config, keys_.data().get(), starts_.data().get(), n_, grid_,
                 counts_.data().get());
    simt::fill_bytes(stream_, offsets_.data().get(), 0, sizeof(std::uint64_t));
    thrust::inclusive_scan(on_stream, counts_.begin(), counts_.end(), offsets_.begin() + 1);
    simt::launch_config with_owners = config;
    with_owners.shared_bytes = sizeof(visit_candidates_storage);
    simt::launch(visit_candidates_kernel<false>, with_owners, sorted_.data().get(), keys_.data().get(),
                 starts_.data().get(), offsets_.data().get(), n_, grid_, candidates_.data().get(), room_.candidates,
                 static_cast<std::uint32_t*>(nullptr));
    std::uint64_t candidates = 0;
    simt::copy_bytes(stream_, &candidates, offsets_.data().get() + warps_of(n_), sizeof candidates);
    simt::synchronize(stream_);
    const auto end =
        thrust::copy_if(on_stream, candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(candidates),
                        pairs_.begin(), candidate_touches{sorted_.data().get()});
    return {candidates, static_cast<std::uint64_t>(end - pairs_.begin())};
  }

 private:
  std::uint32_t n_;
  cell_grid grid_;
  pair_counts room_;
  cudaStream_t stream_;
  thrust_pool pool_;
  thrust::device_vector<sphere> spheres_, sorted_;
  thrust::device_vector<std::uint32_t> keys_, ids_, starts_;
  thrust::device_vector<std::uint64_t> counts_, offsets_;
  thrust::device_vector<object_pair> candidates_, pairs_;
};

inline constexpr int step_warm_ups = 3, step_repetitions = 21;

// The median of steps that are each measured between two events.
template <class Step>
double median_microseconds(cudaStream_t stream, const Step& step) {
  cudaEvent_t begin, end;
  simt::check(cudaEventCreate(&begin), "cudaEventCreate");
  simt::check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times;
  for (int i = 0; i < step_warm_ups + step_repetitions; ++i) {
    simt::check(cudaEventRecord(begin, stream), "cudaEventRecord");
    step();
    simt::check(cudaEventRecord(end, stream), "cudaEventRecord");
    simt::check(cudaEventSynchronize(end), "cudaEventSynchronize");
    float milliseconds = 0;
    simt::check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    if (i >= step_warm_ups) times.push_back(milliseconds);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::nth_element(times.begin(), times.begin() + step_repetitions / 2, times.end());
  return 1000.0 * static_cast<double>(times[step_repetitions / 2]);
}

}  // namespace ballot::app::collision
