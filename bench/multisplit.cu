// SPDX-License-Identifier: Apache-2.0
// Multisplit of u32 into 2, 8, 32 and 256 buckets by the items' top bits. CUB: a radix sort by
// these bits, which gives the same order but no offsets. Bytes: each item read and written.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/multisplit.cuh>

#include <cub/device/device_radix_sort.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

struct top_bits {
  int bits;
  __device__ unsigned operator()(T item) const { return item >> (32 - bits); }
};

operation into(int bits) {
  const unsigned buckets = 1u << bits;
  operation task{.name = "multisplit_" + std::to_string(buckets),
                 .bytes_per_item = 2 * sizeof(T),
                 .input = items(),
                 .output_bytes = sizeof(T)};
  task.contenders.push_back(by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceRadixSort::SortKeys(temporary, bytes, a.in<T>(), a.out<T>(), a.length(), 32 - bits, 32, a.stream);
  }));
  task.contenders.push_back(by_ballot([=](std::uint64_t n) { return multisplit_scratch_bytes<T>(n, buckets); },
                                      [=](const auto& gpu, const arrays& a) {
                                        // the second output is no result here; there is room for
                                        // the offsets
                                        const std::span offsets(a.second_out<std::uint64_t>(),
                                                                std::size_t{buckets} + 1);
                                        multisplit(gpu, in<T>(a), top_bits{bits}, buckets, out<T>(a), offsets);
                                      }));
  return task;
}

}  // namespace

void add_multisplits(std::vector<operation>& all) {
  for (const int bits : {1, 3, 5, 8}) all.push_back(into(bits));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
