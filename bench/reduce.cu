// SPDX-License-Identifier: Apache-2.0
// Reductions: sums, the smallest item, and where it is.
//
// Bytes: every item read; the result does not count. So beside the copy of as many bytes, half of
// which it writes, there is a kernel that only reads ("read"). Thrust's reductions are CUB's, and
// bring the result to the host: they do not run.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "read.hpp"

#include <ballot/reduce.cuh>

#include <cub/device/device_reduce.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

template <class Item, class Result>
operation reduction(const std::string& name, source input) {
  return {.name = name,
          .bytes_per_item = sizeof(Item),
          .input = std::move(input),
          .output_bytes = sizeof(Result),
          .shape = result_shape::one,
          .also_at = {std::uint64_t{1} << 30}};
}

template <class T>
operation sum_of(const char* type) {
  operation sum_ = reduction<T, T>(std::string("sum_") + type, small_numbers<T>());
  sum_.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceReduce::Sum(temporary, bytes, a.in<T>(), a.out<T>(), a.length(), a.stream);
  }));
  sum_.contenders.push_back(by_ballot([](std::uint64_t n) { return reduce_scratch_bytes<T>(n); },
                                      [](const auto& gpu, const arrays& a) { sum(gpu, in<T>(a), a.out<T>()); }));
  sum_.contenders.push_back(read_for(sizeof(T)));
  return sum_;
}

operation minimum_of_u32() {
  using T = std::uint32_t;
  operation minimum_ = reduction<T, T>("minimum_u32", items());
  minimum_.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceReduce::Min(temporary, bytes, a.in<T>(), a.out<T>(), a.length(), a.stream);
  }));
  minimum_.contenders.push_back(
      by_ballot([](std::uint64_t n) { return reduce_scratch_bytes<T>(n); },
                [](const auto& gpu, const arrays& a) { minimum_of(gpu, in<T>(a), a.out<T>()); }));
  minimum_.contenders.push_back(read_for(sizeof(T)));
  return minimum_;
}

// CUB leaves index and value where ours does, which also sets the bytes behind the value.
operation arg_min_of_u32() {
  using T = std::uint32_t;
  using result = indexed<T>;
  operation arg = reduction<T, result>("arg_min_u32", items());
  arg.contenders.push_back(
      by_ballot([](std::uint64_t n) { return reduce_scratch_bytes<result>(n); },
                [](const auto& gpu, const arrays& a) { arg_min(gpu, in<T>(a), a.out<result>()); }));
  contender cub_ = by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceReduce::ArgMin(temporary, bytes, a.in<T>(), a.out<T>() + 2, a.out<std::int64_t>(),
                                     static_cast<std::int64_t>(a.n), a.stream);
  });
  cub_.reorder = [](const arrays& a, std::uint64_t) {
    check(cudaMemsetAsync(a.out<T>() + 3, 0, sizeof(T), a.stream), "cudaMemsetAsync");
  };
  arg.contenders.push_back(std::move(cub_));
  arg.contenders.push_back(read_for(sizeof(T)));
  return arg;
}

}  // namespace

void add_reductions(std::vector<operation>& all) {
  all.push_back(sum_of<std::int32_t>("i32"));
  all.push_back(sum_of<std::int64_t>("i64"));
  all.push_back(sum_of<float>("f32"));
  all.push_back(sum_of<double>("f64"));
  all.push_back(minimum_of_u32());
  all.push_back(arg_min_of_u32());
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
