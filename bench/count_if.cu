// SPDX-License-Identifier: Apache-2.0
// How many u32 a predicate selects: half of them. CUB: TransformReduce, of a 1 or 0 for each item.
// Bytes: every item read.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "read.hpp"

#include <ballot/count_if.cuh>

#include <cub/device/device_reduce.cuh>

#include <cuda/std/functional>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

struct one_if_kept {
  __host__ __device__ std::uint32_t operator()(T item) const { return is_kept{}(item) ? 1 : 0; }
};

}  // namespace

void add_count_if(std::vector<operation>& all) {
  operation task{.name = "count_if_u32",
                 .bytes_per_item = sizeof(T),
                 .input = items(),
                 .output_bytes = sizeof(std::uint32_t),
                 .shape = result_shape::one};
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceReduce::TransformReduce(temporary, bytes, a.in<T>(), a.out<std::uint32_t>(), a.length(),
                                              ::cuda::std::plus<>{}, one_if_kept{}, std::uint32_t{0}, a.stream);
  }));
  task.contenders.push_back(
      by_ballot([](std::uint64_t) { return std::size_t{0}; },
                [](const auto& gpu, const arrays& a) { count_if(gpu, in<T>(a), is_kept{}, a.out<std::uint32_t>()); }));
  task.contenders.push_back(read_for(sizeof(T)));
  all.push_back(std::move(task));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
