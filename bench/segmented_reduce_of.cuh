// SPDX-License-Identifier: Apache-2.0
// Sums of segments by offsets, and of rows of one length, ours and CUB's, for one type of items.
// Bytes: items and offsets read, a result a segment.
#pragma once

#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "segments.hpp"

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

// count(n): how many segments n items have. begins: their offsets, and the end.
template <class T, class Count>
operation sums_by_offsets(const std::string& name, double segments_an_item, const source& begins, const Count& count) {
  operation task = sums_of_segments<T>(name, (sizeof(T) + sizeof(std::uint32_t)) * segments_an_item);
  task.second_input = begins;
  task.results = count;
  task.contenders.push_back(by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    const auto* offsets = a.second_in<std::uint32_t>();
    return cub::DeviceSegmentedReduce::Sum(temporary, bytes, a.in<T>(), a.out<T>(),
                                           static_cast<std::int64_t>(count(a.n)), offsets, offsets + 1, a.stream);
  }));
  task.contenders.push_back(by_ballot(
      [](std::uint64_t n) { return segmented_reduce_scratch_bytes<T>(n); },
      [=](const auto& gpu, const arrays& a) {
        const std::uint64_t segments = count(a.n);
        segmented_reduce(gpu, in<T>(a), segment_offsets{std::span(a.second_in<std::uint32_t>(), segments + 1)},
                         out<T>(a).first(segments));
      }));
  return task;
}
// Segments of one length.
template <class T>
operation sums_by_even_offsets(const std::string& family, std::uint64_t length) {
  operation task = sums_by_offsets<T>(family + ":" + std::to_string(length), 1 / static_cast<double>(length),
                                      row_begins(length), [=](std::uint64_t n) { return n / length; });
  task.items = [=](std::uint64_t n) { return n / length * length; };
  return task;
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
