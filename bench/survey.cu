// SPDX-License-Identifier: Apache-2.0
// The survey's patterns and scans (docs/survey.md), to be compared with each other and with the
// library's scan.
//
//   survey_block_patterns   every block scans 2048 items of its own, from global memory through
//                           shared memory and back: what is left above the time of the copy is the
//                           pattern's
//   survey_device_scans     exclusive sums of the whole array, as in scan.cu
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "pieces.cuh"

#include <ballot/scan.cuh>
#include <ballot/survey/chained_scan.cuh>
#include <ballot/survey/patterns/all.cuh>
#include <ballot/survey/reduce_then_scan.cuh>
#include <ballot/survey/scan_tiles.cuh>

#include <cub/device/device_scan.cuh>

namespace ballot::bench {
namespace {

using item = std::int32_t;
constexpr survey::tile_size tile{.items = 2048, .threads = 256};

operation sums(const char* name) {
  return {
      .name = name, .bytes_per_item = 2 * sizeof(item), .input = small_numbers<item>(), .output_bytes = sizeof(item)};
}

operation block_patterns() {
  operation task = sums("survey_block_patterns");
  contender reference = by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, numbers_of_pieces<tile.items>(), a.in<item>(),
                                              a.out<item>(), a.length(), ::cuda::std::equal_to<>{}, a.stream);
  });
  reference.only_reference = true;
  task.contenders.push_back(reference);
  survey::all_patterns::for_each([&](auto pattern) {
    using pattern_type = decltype(pattern);
    task.contenders.push_back(
        named(pattern_type::name, by_ballot([](std::uint64_t) { return std::size_t{0}; },
                                            [](const exec& gpu, const arrays& a) {
                                              survey::scan_tiles<pattern_type, survey::scan_kind::inclusive>(
                                                  gpu, in<item>(a), out<item>(a), tile);
                                            })));
  });
  return task;
}

template <class Algorithm>
contender by_survey(const char* name) {
  return named(
      name, by_ballot([](std::uint64_t n) { return Algorithm::template scratch_bytes<item>(n); },
                      [](const exec& gpu, const arrays& a) { Algorithm::exclusive(gpu, in<item>(a), out<item>(a)); }));
}

operation device_scans() {
  operation task = sums("survey_device_scans");
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, a.in<item>(), a.out<item>(), a.length(), a.stream);
  }));
  task.contenders.push_back(
      by_ballot([](std::uint64_t n) { return scan_scratch_bytes<item>(n); },
                [](const exec& gpu, const arrays& a) { exclusive_scan(gpu, in<item>(a), out<item>(a)); }));
  task.contenders.push_back(by_survey<survey::reduce_then_scan<>>("reduce_then_scan"));
  using shape = survey::tile_shape<256, 4096>;
  using pattern = survey::radix_raking_reduce_scan;
  task.contenders.push_back(
      by_survey<survey::chained_scan<shape, pattern, survey::look_back_by_lane>>("chained_scan_by_lane"));
  task.contenders.push_back(
      by_survey<survey::chained_scan<shape, pattern, survey::look_back_by_warp>>("chained_scan_by_warp"));
  return task;
}

}  // namespace

void add_survey(std::vector<operation>& all) {
  all.push_back(block_patterns());
  all.push_back(device_scans());
}

}  // namespace ballot::bench
