// SPDX-License-Identifier: Apache-2.0
// Sorting keys with u32 values, into other arrays: whole keys, or the bits that callers give.
// Thrust sorts in place, and whole keys: each call starts from fresh copies, not timed.
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

// The keys' bits from `end_bit` on are clear.
template <class K>
operation pair_sort(const std::string& family, const key_spread& spread, int end_bit) {
  using V = std::uint32_t;
  operation sort_{.name = family + ":" + spread.name,
                  .bytes_per_item = 2 * (sizeof(K) + sizeof(V)),
                  .input = keys<K>(spread),
                  .second_input = positions(),
                  .output_bytes = sizeof(K),
                  .second_output_bytes = sizeof(V)};
  sort_.contenders.push_back(by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, a.in<K>(), a.out<K>(), a.second_in<V>(), a.second_out<V>(),
                                           a.length(), 0, end_bit, a.stream);
  }));
  sort_.contenders.push_back(
      by_ballot([](std::uint64_t n) { return sort_pairs_scratch_bytes<K, V>(n); },
                [=](const auto& gpu, const arrays& a) {
                  sort_pairs(gpu, in<K>(a), second_in<V>(a), out<K>(a), second_out<V>(a), {.bits = {0, end_bit}});
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
  return sort_;
}

template <class K>
void add_pair_sorts_of(std::vector<operation>& all, const key_spreads& spreads, const std::string& family) {
  for (const key_spread& spread : spreads)
    if (has_keys<K>(spread)) all.push_back(pair_sort<K>(family, spread, 8 * sizeof(K)));
}
// Of the spreads whose callers give a bit range.
template <class K>
void add_bit_range_sorts_of(std::vector<operation>& all, const key_spreads& spreads, const std::string& family) {
  for (const key_spread& spread : spreads)
    if (const unsigned bits = given_bits(spread, sizeof(K)))
      all.push_back(pair_sort<K>(family, spread, static_cast<int>(bits)));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
