// SPDX-License-Identifier: Apache-2.0
// The order of u32 keys. CUB has no such function. Its users sort pairs whose values are positions,
// written before (not timed). So the sorted keys are written, too. Thrust would be the same once
// more. Bytes: keys read, positions written.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/sort.cuh>

#include <cub/device/device_radix_sort.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_argsorts(std::vector<operation>& all, const key_spreads& spreads) {
  using K = std::uint32_t;
  using I = std::uint32_t;
  for (const key_spread& spread : spreads) {
    if (!has_keys<K>(spread)) continue;
    operation argsort_{.name = "argsort_u32:" + spread.name,
                       .bytes_per_item = sizeof(K) + sizeof(I),
                       .input = keys<K>(spread),
                       .second_input = positions(),
                       .output_bytes = sizeof(I),
                       .second_output_bytes = sizeof(K),
                       .compare_second = false};
    argsort_.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
      return cub::DeviceRadixSort::SortPairs(temporary, bytes, a.in<K>(), a.second_out<K>(), a.second_in<I>(),
                                             a.out<I>(), a.length(), 0, 8 * sizeof(K), a.stream);
    }));
    argsort_.contenders.push_back(
        by_ballot([](std::uint64_t n) { return argsort_scratch_bytes<K, I>(n); },
                  [](const auto& gpu, const arrays& a) { argsort(gpu, in<K>(a), out<I>(a)); }));
    all.push_back(std::move(argsort_));
  }
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
