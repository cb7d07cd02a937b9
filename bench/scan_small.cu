// SPDX-License-Identifier: Apache-2.0
// Exclusive sums of items of one and two bytes: in their own type, where they wrap, and of bytes in
// 32 bits.
#include <ballot/core/namespace.hpp>

#include "scan_of.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_small_scans(std::vector<operation>& all) {
  all.push_back(exclusive_scan_of<std::uint8_t>("u8"));
  all.push_back(exclusive_scan_of<std::uint16_t>("u16"));
  all.push_back(exclusive_scan_of<std::int16_t>("i16"));
  all.push_back(exclusive_scan_of<std::uint8_t, std::uint32_t>("u8_to_u32"));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
