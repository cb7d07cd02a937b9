// SPDX-License-Identifier: Apache-2.0
// Sums of rows of one length, ours and CUB's, for one type of items. Bytes: items read, a result a
// row.
#pragma once

#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/segmented_reduce.cuh>

#include <cub/device/device_segmented_reduce.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <string>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

template <class T>
operation sums_of_segments(const std::string& name, double bytes_an_item) {
  return {.name = name,
          .bytes_per_item = sizeof(T) + bytes_an_item,
          .input = small_numbers<T>(),
          .output_bytes = sizeof(T),
          .shape = result_shape::kept};
}

#if CUB_VERSION < 300500
// CUB has no segments of one size: it takes offsets, which are computed.
struct begin_of_row {
  int length;
  __host__ __device__ int operator()(int row) const { return row * length; }
};
inline auto begins_of_rows(std::uint64_t length) {
  return thrust::make_transform_iterator(thrust::counting_iterator<int>(0), begin_of_row{static_cast<int>(length)});
}
#endif

template <class T>
operation sums_of_rows(const std::string& family, std::uint64_t length) {
  operation task = sums_of_segments<T>(family + ":" + std::to_string(length), sizeof(T) / static_cast<double>(length));
  task.items = [=](std::uint64_t n) { return n / length * length; };
  const auto count = [=](std::uint64_t n) { return n / length; };
  task.results = count;
  task.contenders.push_back(by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    const auto rows = static_cast<std::int64_t>(count(a.n));
#if CUB_VERSION >= 300500
    return cub::DeviceSegmentedReduce::Sum(temporary, bytes, a.in<T>(), a.out<T>(), rows, static_cast<int>(length),
                                           a.stream);
#else
    const auto begins = begins_of_rows(length);
    return cub::DeviceSegmentedReduce::Sum(temporary, bytes, a.in<T>(), a.out<T>(), rows, begins, begins + 1, a.stream);
#endif
  }));
  task.contenders.push_back(by_ballot([](std::uint64_t n) { return segmented_reduce_scratch_bytes<T>(n); },
                                      [=](const auto& gpu, const arrays& a) {
                                        segmented_reduce(gpu, in<T>(a), row_length(length),
                                                         out<T>(a).first(count(a.n)));
                                      }));
  return task;
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
