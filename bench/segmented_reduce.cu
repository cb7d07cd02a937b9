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
  operation task = sums_of_segments<T>("segmented_reduce:" + name_of(spread), 2 * sizeof(T) * segments_an_item(spread));
  task.second_input = segment_begins(spread);
  const auto count = [=](std::uint64_t n) { return segments_of(spread, n); };
  task.results = count;
  task.contenders.push_back(by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    const auto* begins = a.second_in<std::uint32_t>();
    return cub::DeviceSegmentedReduce::Sum(temporary, bytes, a.in<T>(), a.out<T>(),
                                           static_cast<std::int64_t>(count(a.n)), begins, begins + 1, a.stream);
  }));
  task.contenders.push_back(by_ballot(
      [](std::uint64_t n) { return segmented_reduce_scratch_bytes<T>(n); },
      [=](const auto& gpu, const arrays& a) {
        const std::uint64_t segments = count(a.n);
        segmented_reduce(gpu, in<T>(a), segment_offsets{std::span(a.second_in<std::uint32_t>(), segments + 1)},
                         out<T>(a).first(segments));
      }));
  return task;
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
