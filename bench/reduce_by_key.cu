// SPDX-License-Identifier: Apache-2.0
// Sums of the values of each run of equal keys. Keys: segment numbers (segments.hpp), in runs of 1
// to 3 items and of 1000 on average, and one run; or all different. Bytes: keys and values read,
// and the outputs of each run.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "segments.hpp"

#include <ballot/reduce_by_key.cuh>

#include <cub/device/device_reduce.cuh>

#include <cuda/std/functional>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using key = std::uint32_t;

template <class V>
operation by_key(const std::string& name, source keys, double runs_an_item) {
  operation task{.name = name,
                 .bytes_per_item = (sizeof(key) + sizeof(V)) * (1 + runs_an_item),
                 .input = std::move(keys),
                 .second_input = small_numbers<V>(),
                 .output_bytes = sizeof(key),
                 .second_output_bytes = sizeof(V),
                 .counts = true,
                 .shape = result_shape::kept};
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceReduce::ReduceByKey(temporary, bytes, a.in<key>(), a.out<key>(), a.second_in<V>(),
                                          a.second_out<V>(), a.count, ::cuda::std::plus<>{}, a.length(), a.stream);
  }));
  task.contenders.push_back(by_ballot([](std::uint64_t n) { return reduce_by_key_scratch_bytes<key, V>(n); },
                                      [](const auto& gpu, const arrays& a) {
                                        reduce_by_key(gpu, in<key>(a), second_in<V>(a), out<key>(a), second_out<V>(a),
                                                      a.count);
                                      }));
  return task;
}

}  // namespace

void add_reduce_by_key(std::vector<operation>& all) {
  using enum segment_spread;
  for (const segment_spread spread : {one, tiny, mean_1000}) {
    all.push_back(by_key<std::int32_t>("reduce_by_key:" + name_of(spread), segment_numbers<key>(spread),
                                       segments_an_item(spread)));
    all.push_back(
        by_key<float>("reduce_by_key_f32:" + name_of(spread), segment_numbers<key>(spread), segments_an_item(spread)));
  }
  all.push_back(by_key<std::int32_t>("reduce_by_key:distinct", positions(), 1));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
