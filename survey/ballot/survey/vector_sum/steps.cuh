// SPDX-License-Identifier: Apache-2.0
// The ladder of the vector sum as a list, for tests and benchmarks. The last step is what the
// library uses, ballot::sum. Neighbouring lanes load neighbouring vectors, and a warp goes through
// a long run of its own without any barrier. A second launch of one block adds the blocks' sums in
// a fixed order. So the sum of floats is the same on every run.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/reduce.cuh>
#include <ballot/survey/vector_sum/last_warp.cuh>
#include <ballot/survey/vector_sum/one_launch.cuh>
#include <ballot/survey/vector_sum/several_items.cuh>
#include <ballot/survey/vector_sum/two_launches.cuh>
#include <ballot/survey/vector_sum/wide_loads.cuh>

#include <array>

namespace ballot::survey {

template <class T>
struct vector_sum_step {
  const char* name;
  std::size_t (*scratch_bytes)(std::uint64_t n);
  void (*run)(const exec& where, std::span<const T> in, device_result<T> result);
};

template <class T, int Threads = 256, int Items = 16>
std::array<vector_sum_step<T>, 6> vector_sum_steps() {
  const auto none = [](std::uint64_t) { return std::size_t{0}; };
  return {{
      {"two_launches", two_launches_scratch_bytes<T, Threads>, sum_by_two_launches<Threads, T>},
      {"last_warp", two_launches_scratch_bytes<T, Threads>, sum_by_last_warp<Threads, T>},
      {"one_launch", none, sum_by_one_launch<Threads, T>},
      {"several_items", none, sum_by_several_items<Threads, Items, T>},
      {"wide_loads", none, sum_by_wide_loads<Threads, Items, T>},
      {"library", reduce_scratch_bytes<T>,
       [](const exec& where, std::span<const T> in, device_result<T> result) { sum(where, in, result); }},
  }};
}

}  // namespace ballot::survey
