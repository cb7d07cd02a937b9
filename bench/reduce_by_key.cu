// SPDX-License-Identifier: Apache-2.0
// reduce_by_key of u32. Thrust transforms and counts in two calls, and waits for the count. Bytes: each item read and written.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/reduce_by_key.cuh>

#include <thrust/count.h>
#include <thrust/transform.h>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

struct add {
  __host__ __device__ T operator()(T x) const { return x + 7; }
};
struct is_not_zero {
  __host__ __device__ bool operator()(T x) const { return x != 0; }
};

}  // namespace

void add_reduce_by_key(std::vector<operation>& all) {
  operation made{.name = "reduce_by_key",
                 .bytes_per_item = 2 * sizeof(T),
                 .input = items(),
                 .output_bytes = sizeof(T),
                 .counts = true};
  contender thrust_ = by_thrust([](const auto& policy, const arrays& a) {
    thrust::transform(policy, a.in<T>(), a.in<T>() + a.n, a.out<T>(), add{});
    return static_cast<std::uint64_t>(thrust::count_if(policy, a.out<T>(), a.out<T>() + a.n, is_not_zero{}));
  });
  thrust_.waits = true;
  made.contenders.push_back(std::move(thrust_));
  made.contenders.push_back(
      by_ballot([](std::uint64_t n) { return reduce_by_key_scratch_bytes<T>(n); },
                [](const auto& gpu, const arrays& a) { reduce_by_key(gpu, in<T>(a), T{7}, out<T>(a), a.count); }));
  all.push_back(std::move(made));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
