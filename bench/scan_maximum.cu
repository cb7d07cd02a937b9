// SPDX-License-Identifier: Apache-2.0
// The largest item so far: an inclusive scan of floats by maximum. CUB takes the same operator.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/scan.cuh>

#include <cub/device/device_scan.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_maximum_scan(std::vector<operation>& all) {
  using T = float;
  operation scan{.name = "scan_maximum_f32",
                 .bytes_per_item = 2 * sizeof(T),
                 .input = keys<T>(parse_key_spread("normal")),
                 .output_bytes = sizeof(T)};
  scan.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::InclusiveScan(temporary, bytes, a.in<T>(), a.out<T>(), maximum{}, a.length(), a.stream);
  }));
  scan.contenders.push_back(
      by_ballot([](std::uint64_t n) { return scan_scratch_bytes<T>(n); },
                [](const auto& gpu, const arrays& a) { inclusive_scan(gpu, in<T>(a), maximum{}, out<T>(a)); }));
  all.push_back(std::move(scan));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
