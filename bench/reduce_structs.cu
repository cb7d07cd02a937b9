// SPDX-License-Identifier: Apache-2.0
// Reductions of wide items by an operator of the caller's, which need not commute: sums of three
// floats and of two doubles, and the box around all boxes.
//
// Bytes: every item read; the result does not count. As in reduce.cu there is a kernel that only
// reads ("read").
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "operations.hpp"
#include "read.hpp"
#include "structs.hpp"

#include <ballot/reduce.cuh>

#include <cub/device/device_reduce.cuh>

#include <limits>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

template <class T, class Op>
operation reduction(const char* name, source input, T initial, Op op) {
  operation task{.name = name,
                 .bytes_per_item = sizeof(T),
                 .input = std::move(input),
                 .output_bytes = sizeof(T),
                 .shape = result_shape::one};
  task.contenders.push_back(by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceReduce::Reduce(temporary, bytes, a.in<T>(), a.out<T>(), a.length(), op, initial, a.stream);
  }));
  task.contenders.push_back(
      by_ballot([](std::uint64_t n) { return reduce_scratch_bytes<T>(n); },
                [=](const auto& gpu, const arrays& a) { reduce(gpu, in<T>(a), initial, op, a.out<T>()); }));
  task.contenders.push_back(read_for(sizeof(T)));
  return task;
}

box around_nothing() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
}

}  // namespace

void add_struct_reductions(std::vector<operation>& all) {
  all.push_back(reduction("sum_three_floats", small_triples(), three_floats{}, sum_of_fields{}));
  all.push_back(reduction("sum_two_doubles", small_pairs(), two_doubles{}, sum_of_fields{}));
  all.push_back(reduction("union_of_boxes", boxes(), around_nothing(), union_of_boxes{}));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
