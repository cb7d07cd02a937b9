// SPDX-License-Identifier: Apache-2.0
// Split of u32, half of them selected, into one output (selected items, then the rejected ones) and
// into two.
//
// Into one: CUB's partition writes the rejected items in reverse, an easier task. Thrust's
// stable_partition works in place, and each call starts from a fresh copy that is not timed. Into
// two: CUB has its partition into three, with an empty third; Thrust its stable_partition_copy.
// Thrust returns the end of the selected items, so each of its calls waits. Bytes: each item read
// and written.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/split.cuh>

#include <thrust/partition.h>
#include <thrust/reverse.h>
#include <cub/device/device_partition.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

struct is_not_kept {
  __host__ __device__ bool operator()(T item) const { return !is_kept{}(item); }
};

std::size_t scratch_for(std::uint64_t n) { return split_scratch_bytes<T>(n); }

operation into_one() {
  operation split_{.name = "split_one",
                   .bytes_per_item = 2 * sizeof(T),
                   .input = items(),
                   .output_bytes = sizeof(T),
                   .counts = true};
  contender thrust_ = by_thrust([](const auto& policy, const arrays& a) {
    T* const begin = a.out<T>();
    return static_cast<std::uint64_t>(thrust::stable_partition(policy, begin, begin + a.n, is_kept{}) - begin);
  });
  thrust_.waits = true;
  thrust_.prepare = [](const arrays& a) {
    check(cudaMemcpyAsync(a.output, a.input, a.n * sizeof(T), cudaMemcpyDeviceToDevice, a.stream), "cudaMemcpyAsync");
  };
  split_.contenders.push_back(std::move(thrust_));
  split_.contenders.push_back(by_ballot(
      scratch_for, [](const auto& gpu, const arrays& a) { split(gpu, in<T>(a), is_kept{}, out<T>(a), a.count); }));
  contender cub_ = by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DevicePartition::If(temporary, bytes, a.in<T>(), a.out<T>(), a.count, a.length(), is_kept{}, a.stream);
  });
  cub_.reorder = [](const arrays& a, std::uint64_t count) {
    thrust::reverse(thrust::cuda::par.on(a.stream), a.out<T>() + count, a.out<T>() + a.n);
  };
  split_.contenders.push_back(std::move(cub_));
  return split_;
}

operation into_two() {
  operation split_{.name = "split_two",
                   .bytes_per_item = 2 * sizeof(T),
                   .input = items(),
                   .output_bytes = sizeof(T),
                   .second_output_bytes = sizeof(T),
                   .counts = true,
                   .shape = result_shape::kept_and_others};
  contender thrust_ = by_thrust([](const auto& policy, const arrays& a) {
    const auto ends =
        thrust::stable_partition_copy(policy, a.in<T>(), a.in<T>() + a.n, a.out<T>(), a.second_out<T>(), is_kept{});
    return static_cast<std::uint64_t>(ends.first - a.out<T>());
  });
  thrust_.waits = true;
  split_.contenders.push_back(std::move(thrust_));
  split_.contenders.push_back(by_ballot(scratch_for, [](const auto& gpu, const arrays& a) {
    split(gpu, in<T>(a), is_kept{}, out<T>(a), second_out<T>(a), a.count);
  }));
  split_.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    // a.count has room for the second count
    return cub::DevicePartition::If(temporary, bytes, a.in<T>(), a.out<T>(), a.second_out<T>(),
                                    static_cast<T*>(nullptr), a.count, a.length(), is_kept{}, is_not_kept{}, a.stream);
  }));
  return split_;
}

}  // namespace

void add_splits(std::vector<operation>& all) {
  all.push_back(into_one());
  all.push_back(into_two());
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
