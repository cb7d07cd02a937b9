// SPDX-License-Identifier: Apache-2.0
// Runs of equal u32: the first item and the length of each run. The items are segment numbers
// (segments.hpp), in runs of 1 to 3 items and of 1000 on average. Bytes: the items read, and the
// outputs of each run.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "operations.hpp"
#include "segments.hpp"
#include "unique_of.cuh"

#include <ballot/unique.cuh>

#include <cub/device/device_run_length_encode.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;
using length = std::uint32_t;

operation lengths_of_runs(segment_spread spread) {
  operation task{.name = "run_length_encode:" + name_of(spread),
                 .bytes_per_item = sizeof(T) + (sizeof(T) + sizeof(length)) * segments_an_item(spread),
                 .input = segment_numbers<T>(spread),
                 .output_bytes = sizeof(T),
                 .second_output_bytes = sizeof(length),
                 .counts = true,
                 .shape = result_shape::kept};
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceRunLengthEncode::Encode(temporary, bytes, a.in<T>(), a.out<T>(), a.second_out<length>(), a.count,
                                              a.length(), a.stream);
  }));
  task.contenders.push_back(by_ballot([](std::uint64_t n) { return run_length_encode_scratch_bytes<T, length>(n); },
                                      [](const auto& gpu, const arrays& a) {
                                        run_length_encode(gpu, in<T>(a), out<T>(a), second_out<length>(a), a.count);
                                      }));
  return task;
}

}  // namespace

void add_runs(std::vector<operation>& all) {
  for (const segment_spread spread : {segment_spread::tiny, segment_spread::mean_1000}) {
    all.push_back(first_of_runs<T>("unique:" + name_of(spread), segment_numbers<T>(spread), segments_an_item(spread)));
    all.push_back(lengths_of_runs(spread));
  }
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
