// SPDX-License-Identifier: Apache-2.0
// Two sorted halves of n keys of a type merged. Bytes: each key read and written.
#pragma once

#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/merge.cuh>

#include <cub/device/device_merge.cuh>

#include <thrust/merge.h>
#include <thrust/sort.h>

#include <string>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

// Keys of a type, each half of them sorted.
template <class T>
source sorted_halves(source made) {
  made.name += ", sorted halves";
  made.fill = [fill = made.fill](void* to, std::uint64_t n, cudaStream_t stream) {
    fill(to, n, stream);
    T* const all = static_cast<T*>(to);
    thrust::sort(thrust::cuda::par.on(stream), all, all + n / 2);
    thrust::sort(thrust::cuda::par.on(stream), all + n / 2, all + n);
  };
  return made;
}

template <class T>
operation merge_of(const std::string& type, source keys) {
  operation task{.name = "merge_" + type,
                 .bytes_per_item = 2 * sizeof(T),
                 .input = sorted_halves<T>(std::move(keys)),
                 .output_bytes = sizeof(T)};
  task.contenders.push_back(by_thrust([](const auto& policy, const arrays& a) -> count_on_host {
    const T* const middle = a.in<T>() + a.n / 2;
    thrust::merge(policy, a.in<T>(), middle, middle, a.in<T>() + a.n, a.out<T>());
    return {};
  }));
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    const int half = static_cast<int>(a.n / 2);
    return cub::DeviceMerge::MergeKeys(temporary, bytes, a.in<T>(), half, a.in<T>() + half, a.length() - half,
                                       a.out<T>(), ::cuda::std::less<>{}, a.stream);
  }));
  task.contenders.push_back(by_ballot([](std::uint64_t n) { return merge_scratch_bytes<T>(n); },
                                      [](const auto& gpu, const arrays& a) {
                                        const auto all = in<T>(a);
                                        merge(gpu, all.first(a.n / 2), all.subspan(a.n / 2), out<T>(a));
                                      }));
  return task;
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
