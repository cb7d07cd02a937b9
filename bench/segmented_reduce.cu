// SPDX-License-Identifier: Apache-2.0
// Sums of segments by offsets, in the spreads of segments.hpp, and of rows of one length. Bytes:
// items and offsets read, a result a segment.
#include <ballot/core/namespace.hpp>

#include "segmented_reduce_of.cuh"
#include "segments.hpp"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::int32_t;

operation by_offsets(segment_spread spread) {
  return sums_by_offsets<T>("segmented_reduce:" + name_of(spread), segments_an_item(spread), segment_begins(spread),
                            [=](std::uint64_t n) { return segments_of(spread, n); });
}

}  // namespace

void add_segmented_reduce(std::vector<operation>& all) {
  using enum segment_spread;
  for (const segment_spread spread : {one, tiny, mean_1000, mixed}) all.push_back(by_offsets(spread));
  for (const std::uint64_t length : {8, 100, 1024, 65536})
    all.push_back(sums_of_rows<T>("segmented_reduce_rows", length));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
