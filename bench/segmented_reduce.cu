// SPDX-License-Identifier: Apache-2.0
// Sums of segments by offsets, in the spreads of segments.hpp, and of rows of one length. Bytes:
// items and offsets read, a result a segment.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "segments.hpp"

#include <ballot/segmented_reduce.cuh>

#include <cub/device/device_segmented_reduce.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::int32_t;

operation of_segments(const std::string& name, double bytes_an_item) {
  return {.name = name,
          .bytes_per_item = sizeof(T) + bytes_an_item,
          .input = small_numbers<T>(),
          .output_bytes = sizeof(T),
          .shape = result_shape::kept};
}

operation by_offsets(segment_spread spread) {
  operation task = of_segments("segmented_reduce:" + name_of(spread), 2 * sizeof(T) * segments_an_item(spread));
  task.second_input = segment_begins(spread);
  const auto count = [=](std::uint64_t n) { return segments_of(spread, n); };
  task.results = count;
  task.contenders.push_back(by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    const auto* begins = a.second_in<std::uint32_t>();
    return cub::DeviceSegmentedReduce::Sum(temporary, bytes, a.in<T>(), a.out<T>(),
                                           static_cast<std::int64_t>(count(a.n)), begins, begins + 1, a.stream);
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

#if CUB_VERSION < 300500
// CUB has no segments of one size: it takes offsets, which are computed.
struct begin_of_row {
  int length;
  __host__ __device__ int operator()(int row) const { return row * length; }
};
auto begins_of_rows(std::uint64_t length) {
  return thrust::make_transform_iterator(thrust::counting_iterator<int>(0), begin_of_row{static_cast<int>(length)});
}
#endif

operation by_rows(std::uint64_t length) {
  operation task =
      of_segments("segmented_reduce_rows:" + std::to_string(length), sizeof(T) / static_cast<double>(length));
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

}  // namespace

void add_segmented_reduce(std::vector<operation>& all) {
  using enum segment_spread;
  for (const segment_spread spread : {one, tiny, mean_1000, mixed}) all.push_back(by_offsets(spread));
  for (const std::uint64_t length : {8, 100, 1024, 65536}) all.push_back(by_rows(length));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
