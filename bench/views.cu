// SPDX-License-Identifier: Apache-2.0
// Views as inputs, beside the same call of a range (`ballot_range`) and the peers' iterators. The
// function changes nothing, but only the caller knows that. So all answers are the same, and the
// difference to the range is the cost of a view.
//
// Bytes: those of the call on the range.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/compact.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/views.cuh>

#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#include <thrust/zip_function.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

struct flipped {
  T bits;
  __host__ __device__ T operator()(T x) const { return x ^ bits; }
};
struct product {
  __host__ __device__ std::int32_t operator()(std::int32_t x, std::int32_t y) const { return x * y; }
};

auto flipped_iterator(const arrays& a) { return thrust::make_transform_iterator(a.in<T>(), flipped{0}); }

template <class Select>
contender compact_view(Select select) {
  return by_ballot([](std::uint64_t n) { return compact_scratch_bytes<T>(n); },
                   [=](const auto& gpu, const arrays& a) {
                     compact(gpu, transformed{in<T>(a), flipped{0}}, select(a), out<T>(a), a.count);
                   });
}
template <class Select>
contender compact_range(Select select) {
  return named("ballot_range", by_ballot([](std::uint64_t n) { return compact_scratch_bytes<T>(n); },
                                         [=](const auto& gpu, const arrays& a) {
                                           compact(gpu, in<T>(a), select(a), out<T>(a), a.count);
                                         }));
}

operation compaction(const char* name, double flag_bytes, std::optional<source> flags) {
  return {.name = name,
          .bytes_per_item = sizeof(T) + flag_bytes + 0.5 * sizeof(T),
          .input = items(),
          .second_input = std::move(flags),
          .output_bytes = sizeof(T),
          .counts = true,
          .shape = result_shape::kept};
}

operation compact_if() {
  operation task = compaction("view_compact_if", 0, {});
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::If(temporary, bytes, flipped_iterator(a), a.out<T>(), a.count, a.length(), is_kept{},
                                 a.stream);
  }));
  task.contenders.push_back(compact_view([](const arrays&) { return is_kept{}; }));
  task.contenders.push_back(compact_range([](const arrays&) { return is_kept{}; }));
  return task;
}

operation compact_bytes() {
  operation task = compaction("view_compact_bytes", 1, byte_flags_of_items());
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::Flagged(temporary, bytes, flipped_iterator(a), a.second_in<std::uint8_t>(), a.out<T>(),
                                      a.count, a.length(), a.stream);
  }));
  const auto flags = [](const arrays& a) { return byte_flags{second_in<std::uint8_t>(a)}; };
  task.contenders.push_back(compact_view(flags));
  task.contenders.push_back(compact_range(flags));
  return task;
}

operation scan_of_view() {
  operation task{.name = "view_scan_u32", .bytes_per_item = 8, .input = items(), .output_bytes = sizeof(T)};
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::InclusiveSum(temporary, bytes, flipped_iterator(a), a.out<T>(), a.length(), a.stream);
  }));
  const auto bytes = [](std::uint64_t n) { return scan_scratch_bytes<T>(n); };
  task.contenders.push_back(by_ballot(bytes, [](const auto& gpu, const arrays& a) {
    inclusive_scan(gpu, transformed{in<T>(a), flipped{0}}, out<T>(a));
  }));
  task.contenders.push_back(named("ballot_range", by_ballot(bytes, [](const auto& gpu, const arrays& a) {
                                    inclusive_scan(gpu, in<T>(a), out<T>(a));
                                  })));
  return task;
}

operation sum_of_view() {
  operation task{.name = "view_sum_u32",
                 .bytes_per_item = 4,
                 .input = items(),
                 .output_bytes = sizeof(T),
                 .shape = result_shape::one};
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceReduce::Sum(temporary, bytes, flipped_iterator(a), a.out<T>(), a.length(), a.stream);
  }));
  const auto bytes = [](std::uint64_t n) { return reduce_scratch_bytes<T>(n); };
  task.contenders.push_back(by_ballot(bytes, [](const auto& gpu, const arrays& a) {
    sum(gpu, transformed{in<T>(a), flipped{0}}, a.out<T>());
  }));
  task.contenders.push_back(named(
      "ballot_range", by_ballot(bytes, [](const auto& gpu, const arrays& a) { sum(gpu, in<T>(a), a.out<T>()); })));
  return task;
}

operation dot_of_views() {
  operation task{.name = "view_dot_i32",
                 .bytes_per_item = 8,
                 .input = small_numbers<std::int32_t>(),
                 .second_input = small_numbers<std::int32_t>(),
                 .output_bytes = sizeof(std::int32_t),
                 .shape = result_shape::one};
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    const auto products =
        thrust::make_transform_iterator(thrust::make_zip_iterator(a.in<std::int32_t>(), a.second_in<std::int32_t>()),
                                        thrust::make_zip_function(product{}));
    return cub::DeviceReduce::Sum(temporary, bytes, products, a.out<std::int32_t>(), a.length(), a.stream);
  }));
  task.contenders.push_back(by_ballot(
      [](std::uint64_t n) { return reduce_scratch_bytes<std::int32_t>(n); },
      [](const auto& gpu, const arrays& a) {
        sum(gpu, transformed{in<std::int32_t>(a), second_in<std::int32_t>(a), product{}}, a.out<std::int32_t>());
      }));
  return task;
}

}  // namespace

void add_views(std::vector<operation>& all) {
  all.push_back(compact_if());
  all.push_back(compact_bytes());
  all.push_back(scan_of_view());
  all.push_back(sum_of_view());
  all.push_back(dot_of_views());
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
