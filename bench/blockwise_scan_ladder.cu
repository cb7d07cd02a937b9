// SPDX-License-Identifier: Apache-2.0
// The ladder of the block-wise scan (docs/survey.md): its steps are contenders, the last one, which
// is the library's, as "ballot". CUB has no such scan, but one by key, which here is the number of
// the block, computed and not read.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "pieces.cuh"

#include <ballot/survey/blockwise_scan/steps.cuh>

#include <cub/device/device_scan.cuh>

namespace ballot::bench {
namespace {

constexpr int block_items = 1024;

}  // namespace

void add_blockwise_scan_ladder(std::vector<operation>& all) {
  using T = std::int32_t;
  operation ladder{.name = "survey_blockwise_scan",
                   .bytes_per_item = 2 * sizeof(T),
                   .input = small_numbers<T>(),
                   .output_bytes = sizeof(T),
                   .also_at = {std::uint64_t{1} << 30}};
  ladder.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, numbers_of_pieces<block_items>(), a.in<T>(), a.out<T>(),
                                              a.length(), ::cuda::std::equal_to<>{}, a.stream);
  }));
  for (const survey::blockwise_scan_step<T>& step : survey::blockwise_scan_steps<T, block_items>()) {
    contender one =
        by_ballot(step.scratch_bytes, [=](const exec& gpu, const arrays& a) { step.run(gpu, in<T>(a), out<T>(a)); });
    if (step.name != std::string("library")) one.name = step.name;
    ladder.contenders.push_back(std::move(one));
  }
  all.push_back(std::move(ladder));
}

}  // namespace ballot::bench
