// SPDX-License-Identifier: Apache-2.0
// Sums of the values of each run of equal keys, ours and CUB's, for one type of keys and of values.
// Bytes: keys and values read, and the outputs of each run.
#pragma once

#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/reduce_by_key.cuh>

#include <cub/device/device_reduce.cuh>

#include <cuda/std/functional>

#include <string>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

template <class K, class V>
operation sums_by_key(const std::string& name, source keys, double runs_an_item) {
  operation task{.name = name,
                 .bytes_per_item = (sizeof(K) + sizeof(V)) * (1 + runs_an_item),
                 .input = std::move(keys),
                 .second_input = small_numbers<V>(),
                 .output_bytes = sizeof(K),
                 .second_output_bytes = sizeof(V),
                 .counts = true,
                 .shape = result_shape::kept};
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceReduce::ReduceByKey(temporary, bytes, a.in<K>(), a.out<K>(), a.second_in<V>(), a.second_out<V>(),
                                          a.count, ::cuda::std::plus<>{}, a.length(), a.stream);
  }));
  task.contenders.push_back(by_ballot([](std::uint64_t n) { return reduce_by_key_scratch_bytes<K, V>(n); },
                                      [](const auto& gpu, const arrays& a) {
                                        reduce_by_key(gpu, in<K>(a), second_in<V>(a), out<K>(a), second_out<V>(a),
                                                      a.count);
                                      }));
  return task;
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
