// SPDX-License-Identifier: Apache-2.0
// Sorting u32 keys within segments (segments.hpp; not of a single one, which CUB gives to a single
// block). CUB: DeviceSegmentedSort, which puts segments into three classes by their length, and
// waits to learn how many there are of each. Both are told the offsets. Bytes: keys read and
// written, offsets read.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "segments.hpp"

#include <ballot/segmented_sort.cuh>

#include <cub/device/device_segmented_sort.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using K = std::uint32_t;
using offset = std::uint32_t;

operation in_segments(segment_spread spread) {
  operation task{.name = "segmented_sort_u32:" + name_of(spread),
                 .bytes_per_item = 2 * sizeof(K) + sizeof(offset) * segments_an_item(spread),
                 .input = keys<K>({}),
                 .second_input = segment_begins(spread),
                 .output_bytes = sizeof(K)};
  contender cub_ = by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    const offset* begins = a.second_in<offset>();
    return cub::DeviceSegmentedSort::SortKeys(temporary, bytes, a.in<K>(), a.out<K>(), a.length(),
                                              static_cast<int>(segments_of(spread, a.n)), begins, begins + 1, a.stream);
  });
  cub_.waits = true;
  task.contenders.push_back(std::move(cub_));
  task.contenders.push_back(by_ballot([](std::uint64_t n) { return segmented_sort_scratch_bytes<K>(n); },
                                      [=](const auto& gpu, const arrays& a) {
                                        const std::span begins(a.second_in<offset>(), segments_of(spread, a.n));
                                        segmented_sort(gpu, in<K>(a), begins, out<K>(a));
                                      }));
  return task;
}

}  // namespace

void add_segmented_sorts(std::vector<operation>& all) {
  using enum segment_spread;
  for (const segment_spread spread : {tiny, mean_1000, mixed}) all.push_back(in_segments(spread));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
