// SPDX-License-Identifier: Apache-2.0
// Exclusive sums of structs: of 12 bytes (three floats), and of 16 (two doubles), the widest that
// the library takes.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "operations.hpp"
#include "structs.hpp"

#include <ballot/scan.cuh>

#include <cub/device/device_scan.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

template <class T>
operation sums_of(const char* name, source input) {
  operation scan{.name = name, .bytes_per_item = 2 * sizeof(T), .input = std::move(input), .output_bytes = sizeof(T)};
  scan.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::ExclusiveScan(temporary, bytes, a.in<T>(), a.out<T>(), plus{}, T{}, a.length(), a.stream);
  }));
  scan.contenders.push_back(
      by_ballot([](std::uint64_t n) { return scan_scratch_bytes<T>(n); },
                [](const auto& gpu, const arrays& a) { exclusive_scan(gpu, in<T>(a), out<T>(a)); }));
  return scan;
}

}  // namespace

void add_wide_scans(std::vector<operation>& all) {
  all.push_back(sums_of<three_floats>("scan_three_floats", small_triples()));
  all.push_back(sums_of<two_doubles>("scan_two_doubles", small_pairs()));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
