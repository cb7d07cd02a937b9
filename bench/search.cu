// SPDX-License-Identifier: Apache-2.0
// n keys sought in n sorted u32 (lower_bound): keys in any order, and keys in order, which are cell
// starts. Bytes: items, keys and positions once.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/search.cuh>

#if __has_include(<cub/device/device_find.cuh>)
#  include <cub/device/device_find.cuh>
#  include <cuda/std/functional>
#endif

#include <thrust/binary_search.h>
#include <thrust/sort.h>

#include <string>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

source sorted_keys() {
  source made = keys<T>({});
  made.name += ", sorted";
  made.fill = [fill = made.fill](void* to, std::uint64_t n, cudaStream_t stream) {
    fill(to, n, stream);
    T* const all = static_cast<T*>(to);
    thrust::sort(thrust::cuda::par.on(stream), all, all + n);
  };
  return made;
}

operation lower_bounds(const std::string& name, const source& sought) {
  operation task{.name = "lower_bound_u32" + name,
                 .bytes_per_item = 3 * sizeof(T),
                 .input = sorted_keys(),
                 .second_input = sought,
                 .output_bytes = sizeof(T)};
  task.contenders.push_back(by_thrust([](const auto& policy, const arrays& a) -> count_on_host {
    thrust::lower_bound(policy, a.in<T>(), a.in<T>() + a.n, a.second_in<T>(), a.second_in<T>() + a.n, a.out<T>());
    return {};
  }));
#if __has_include(<cub/device/device_find.cuh>)
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceFind::LowerBound(temporary, bytes, a.in<T>(), a.length(), a.second_in<T>(), a.length(),
                                       a.out<T>(), ::cuda::std::less<>{}, a.stream);
  }));
#endif
  task.contenders.push_back(
      by_ballot([](std::uint64_t) { return std::size_t{0}; },
                [](const auto& gpu, const arrays& a) { lower_bound(gpu, in<T>(a), second_in<T>(a), out<T>(a)); }));
  return task;
}

}  // namespace

void add_search(std::vector<operation>& all) {
  all.push_back(lower_bounds("", keys<T>({})));
  all.push_back(lower_bounds(":in_order", sorted_keys()));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
