// SPDX-License-Identifier: Apache-2.0
// Sorting keys alone, into another array. Thrust sorts in place: each call starts from a fresh
// copy, which is not timed. Bytes: each key read and written, once; a radix sort makes several
// passes, so its share of the copy says how far that is from one pass.
#pragma once

#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/sort.cuh>

#include <thrust/sort.h>
#include <cub/device/device_radix_sort.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

template <class K>
void add_key_sorts(std::vector<operation>& all, const key_spreads& spreads, const std::string& type) {
  for (const key_spread& spread : spreads) {
    if (!has_keys<K>(spread)) continue;
    operation sort_{.name = "sort_" + type + ":" + spread.name,
                    .bytes_per_item = 2 * sizeof(K),
                    .input = keys<K>(spread),
                    .output_bytes = sizeof(K)};
    sort_.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
      return cub::DeviceRadixSort::SortKeys(temporary, bytes, a.in<K>(), a.out<K>(), a.length(), 0, 8 * sizeof(K),
                                            a.stream);
    }));
    sort_.contenders.push_back(by_ballot([](std::uint64_t n) { return sort_scratch_bytes<K>(n); },
                                         [](const auto& gpu, const arrays& a) { sort(gpu, in<K>(a), out<K>(a)); }));
    contender thrust_ = by_thrust([](const auto& policy, const arrays& a) {
      thrust::sort(policy, a.out<K>(), a.out<K>() + a.n);
      return count_on_host{};
    });
    thrust_.prepare = [](const arrays& a) {
      check(cudaMemcpyAsync(a.output, a.input, a.n * sizeof(K), cudaMemcpyDeviceToDevice, a.stream), "cudaMemcpyAsync");
    };
    sort_.contenders.push_back(std::move(thrust_));
    all.push_back(std::move(sort_));
  }
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
