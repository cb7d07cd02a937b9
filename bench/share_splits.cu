// SPDX-License-Identifier: Apache-2.0
// Split of u32 at several shares, into one output and into two (split.cu, of which the peers are
// the same).
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "operations.hpp"
#include "shares.hpp"

#include <ballot/split.cuh>

#include <thrust/partition.h>
#include <thrust/reverse.h>
#include <cub/device/device_partition.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

constexpr share shares[] = {{"0", 0, false},    {"0.1", 0.1, false}, {"0.5", 0.5, false},
                            {"0.5", 0.5, true}, {"0.9", 0.9, false}, {"1", 1, false}};

std::size_t scratch_for(std::uint64_t n) { return split_scratch_bytes<T>(n); }

operation into_one(const share& selected) {
  operation task{.name = "split_one:" + selected.name(),
                 .bytes_per_item = 2 * sizeof(T),
                 .input = items(selected),
                 .output_bytes = sizeof(T),
                 .counts = true};
  const is_below keep{selected.limit()};
  contender thrust_ = by_thrust([=](const auto& policy, const arrays& a) {
    T* const begin = a.out<T>();
    return static_cast<std::uint64_t>(thrust::stable_partition(policy, begin, begin + a.n, keep) - begin);
  });
  thrust_.waits = true;
  thrust_.prepare = [](const arrays& a) {
    check(cudaMemcpyAsync(a.output, a.input, a.n * sizeof(T), cudaMemcpyDeviceToDevice, a.stream), "cudaMemcpyAsync");
  };
  task.contenders.push_back(std::move(thrust_));
  task.contenders.push_back(by_ballot(
      scratch_for, [=](const auto& gpu, const arrays& a) { split(gpu, in<T>(a), keep, out<T>(a), a.count); }));
  contender cub_ = by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DevicePartition::If(temporary, bytes, a.in<T>(), a.out<T>(), a.count, a.length(), keep, a.stream);
  });
  cub_.reorder = [](const arrays& a, std::uint64_t count) {
    thrust::reverse(thrust::cuda::par.on(a.stream), a.out<T>() + count, a.out<T>() + a.n);
  };
  task.contenders.push_back(std::move(cub_));
  return task;
}

operation into_two(const share& selected) {
  operation task{.name = "split_two:" + selected.name(),
                 .bytes_per_item = 2 * sizeof(T),
                 .input = items(selected),
                 .output_bytes = sizeof(T),
                 .second_output_bytes = sizeof(T),
                 .counts = true,
                 .shape = result_shape::kept_and_others};
  const is_below keep{selected.limit()};
  const is_not_below others{selected.limit()};
  contender thrust_ = by_thrust([=](const auto& policy, const arrays& a) {
    const auto ends =
        thrust::stable_partition_copy(policy, a.in<T>(), a.in<T>() + a.n, a.out<T>(), a.second_out<T>(), keep);
    return static_cast<std::uint64_t>(ends.first - a.out<T>());
  });
  thrust_.waits = true;
  task.contenders.push_back(std::move(thrust_));
  task.contenders.push_back(by_ballot(scratch_for, [=](const auto& gpu, const arrays& a) {
    split(gpu, in<T>(a), keep, out<T>(a), second_out<T>(a), a.count);
  }));
  task.contenders.push_back(by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    // a.count has room for the second count
    return cub::DevicePartition::If(temporary, bytes, a.in<T>(), a.out<T>(), a.second_out<T>(),
                                    static_cast<T*>(nullptr), a.count, a.length(), keep, others, a.stream);
  }));
  return task;
}

}  // namespace

void add_share_splits(std::vector<operation>& all) {
  for (const share& selected : shares) all.push_back(into_one(selected));
  for (const share& selected : shares) all.push_back(into_two(selected));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
