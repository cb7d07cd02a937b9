// SPDX-License-Identifier: Apache-2.0
// The first item of each run of equal ones, ours and CUB's, for one type of items. Bytes: the items
// read, and one written a run.
#pragma once

#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "operations.hpp"

#include <ballot/unique.cuh>

#include <cub/device/device_select.cuh>

#include <string>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

template <class T>
operation first_of_runs(const std::string& name, source items, double runs_an_item) {
  operation task{.name = name,
                 .bytes_per_item = sizeof(T) * (1 + runs_an_item),
                 .input = std::move(items),
                 .output_bytes = sizeof(T),
                 .counts = true,
                 .shape = result_shape::kept};
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::Unique(temporary, bytes, a.in<T>(), a.out<T>(), a.count, a.length(), a.stream);
  }));
  task.contenders.push_back(
      by_ballot([](std::uint64_t n) { return unique_scratch_bytes<T>(n); },
                [](const auto& gpu, const arrays& a) { unique(gpu, in<T>(a), out<T>(a), a.count); }));
  return task;
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
