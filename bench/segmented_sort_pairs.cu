// SPDX-License-Identifier: Apache-2.0
// Stable sorting of f32 keys with u32 values in rows of one length. CUB: DeviceSegmentedSort, which
// puts rows into three classes by their length, and waits to learn how many there are of each. Both
// are told the offsets. Bytes: keys and values read and written, offsets read.
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

using K = float;
using V = std::uint32_t;
using offset = std::uint32_t;

operation in_rows(std::uint64_t length) {
  operation task{.name = "segmented_sort_pairs_f32_u32:rows_of_" + std::to_string(length),
                 .bytes_per_item = 2 * (sizeof(K) + sizeof(V)) + sizeof(offset) / static_cast<double>(length),
                 .input = keys<K>(parse_key_spread("uniform")),
                 .second_input = bench::positions(),
                 .third_input = row_begins(length),
                 .output_bytes = sizeof(K),
                 .second_output_bytes = sizeof(V),
                 .items = [=](std::uint64_t n) { return n / length * length; }};
  contender cub_ = by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    const offset* begins = a.third_in<offset>();
    return cub::DeviceSegmentedSort::StableSortPairs(temporary, bytes, a.in<K>(), a.out<K>(), a.second_in<V>(),
                                                     a.second_out<V>(), a.length(), static_cast<int>(a.n / length),
                                                     begins, begins + 1, a.stream);
  });
  cub_.waits = true;
  task.contenders.push_back(std::move(cub_));
  task.contenders.push_back(by_ballot([](std::uint64_t n) { return segmented_sort_pairs_scratch_bytes<K, V>(n); },
                                      [=](const auto& gpu, const arrays& a) {
                                        const std::span begins(a.third_in<offset>(), a.n / length);
                                        segmented_sort_pairs(gpu, in<K>(a), second_in<V>(a), begins, out<K>(a),
                                                             second_out<V>(a));
                                      }));
  return task;
}

}  // namespace

void add_segmented_pair_sorts(std::vector<operation>& all) {
  for (const std::uint64_t length : {10, 100, 30'000}) all.push_back(in_rows(length));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
