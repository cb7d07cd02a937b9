// SPDX-License-Identifier: Apache-2.0
// Inclusive sums that start anew every so many items: 256, a power of two, and 1000, which is none.
// CUB: by key, the number of the block, which is computed and not read.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "pieces.cuh"

#include <ballot/blockwise_scan.cuh>

#include <cub/device/device_scan.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::int32_t;

template <unsigned BlockItems>
operation in_blocks() {
  operation task{.name = "blockwise_scan_" + std::to_string(BlockItems),
                 .bytes_per_item = 2 * sizeof(T),
                 .input = small_numbers<T>(),
                 .output_bytes = sizeof(T),
                 .also_at = {std::uint64_t{1} << 30}};
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, numbers_of_pieces<BlockItems>(), a.in<T>(), a.out<T>(),
                                              a.length(), ::cuda::std::equal_to<>{}, a.stream);
  }));
  task.contenders.push_back(by_ballot(
      [](std::uint64_t n) { return blockwise_scan_scratch_bytes<T>(n, BlockItems); },
      [](const auto& gpu, const arrays& a) { blockwise_inclusive_scan(gpu, in<T>(a), out<T>(a), BlockItems); }));
  return task;
}

}  // namespace

void add_blockwise_scans(std::vector<operation>& all) {
  all.push_back(in_blocks<256>());
  all.push_back(in_blocks<1000>());
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
