// SPDX-License-Identifier: Apache-2.0
// The exclusive sum of an array, ours and CUB's, for one type of items and of sums.
#pragma once

#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/scan.cuh>

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include <string>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

template <class In, class Sum = In>
operation exclusive_scan_of(const std::string& types) {
  operation scan{.name = "scan_" + types,
                 .bytes_per_item = sizeof(In) + sizeof(Sum),
                 .input = small_numbers<In>(),
                 .output_bytes = sizeof(Sum)};
  scan.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    if constexpr (std::is_same_v<In, Sum>)
      return cub::DeviceScan::ExclusiveSum(temporary, bytes, a.in<In>(), a.out<Sum>(), a.length(), a.stream);
    else
      return cub::DeviceScan::ExclusiveScan(temporary, bytes, a.in<In>(), a.out<Sum>(), ::cuda::std::plus<>{}, Sum{0},
                                            a.length(), a.stream);
  }));
  scan.contenders.push_back(
      by_ballot([](std::uint64_t n) { return scan_scratch_bytes<Sum>(n); },
                [](const auto& gpu, const arrays& a) { exclusive_scan(gpu, in<In>(a), out<Sum>(a)); }));
  return scan;
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
