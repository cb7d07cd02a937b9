// SPDX-License-Identifier: Apache-2.0
// Exclusive sums of items of 16 bytes (two doubles), the widest that the library takes.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/scan.cuh>

#include <cub/device/device_scan.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_wide_scans(std::vector<operation>& all) {
  using T = two_doubles;
  operation scan{
      .name = "scan_two_doubles", .bytes_per_item = 2 * sizeof(T), .input = small_pairs(), .output_bytes = sizeof(T)};
  scan.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::ExclusiveScan(temporary, bytes, a.in<T>(), a.out<T>(), plus{}, T{0, 0}, a.length(),
                                          a.stream);
  }));
  scan.contenders.push_back(
      by_ballot([](std::uint64_t n) { return scan_scratch_bytes<T>(n); },
                [](const auto& gpu, const arrays& a) { exclusive_scan(gpu, in<T>(a), out<T>(a)); }));
  all.push_back(std::move(scan));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
