// Sorting u32 keys with u32 values, into other arrays. Thrust sorts in place: each call starts from fresh copies, not
// timed.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/sort.cuh>

#include <thrust/sort.h>
#include <cub/device/device_radix_sort.cuh>

namespace ballot::bench {

void add_pair_sorts(std::vector<operation>& all, const key_spreads& spreads) {
  using K = std::uint32_t;
  using V = std::uint32_t;
  for (const key_spread& spread : spreads) {
    operation sort_{.name = "sort_pairs_u32:" + spread.name,
                    .bytes_per_item = 2 * (sizeof(K) + sizeof(V)),
                    .input = keys<K>(spread),
                    .second_input = positions(),
                    .output_bytes = sizeof(K),
                    .second_output_bytes = sizeof(V)};
    sort_.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
      return cub::DeviceRadixSort::SortPairs(temporary, bytes, a.in<K>(), a.out<K>(), a.second_in<V>(),
                                             a.second_out<V>(), a.length(), 0, 8 * sizeof(K), a.stream);
    }));
    sort_.contenders.push_back(by_ballot([](std::uint64_t n) { return sort_pairs_scratch_bytes<K, V>(n); },
                                         [](const exec& gpu, const arrays& a) {
                                           sort_pairs(gpu, in<K>(a), second_in<V>(a), out<K>(a), second_out<V>(a));
                                         }));
    contender thrust_ = by_thrust([](const auto& policy, const arrays& a) {
      thrust::stable_sort_by_key(policy, a.out<K>(), a.out<K>() + a.n, a.second_out<V>());
      return count_on_host{};
    });
    thrust_.prepare = [](const arrays& a) {
      check(cudaMemcpyAsync(a.output, a.input, a.n * sizeof(K), cudaMemcpyDeviceToDevice, a.stream), "cudaMemcpyAsync");
      check(cudaMemcpyAsync(a.second_output, a.second_input, a.n * sizeof(V), cudaMemcpyDeviceToDevice, a.stream),
            "cudaMemcpyAsync");
    };
    sort_.contenders.push_back(std::move(thrust_));
    all.push_back(std::move(sort_));
  }
}

}  // namespace ballot::bench
