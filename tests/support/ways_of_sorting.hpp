// SPDX-License-Identifier: Apache-2.0
// Sorts of more keys than one kernel sorts go by runs or by passes. They go by runs up to a limit,
// which depends on the number of multiprocessors. In the emulator a GPU with few of them sorts
// small arrays by passes, too.
#pragma once

#include <ballot/core/namespace.hpp>
#include "support/schedules.hpp"

#include <ballot/detail/radix_sort/launch.cuh>

namespace ballot::test {

// More keys than one kernel sorts, or any GPU by runs. On the GPU, more than it sorts by runs.
template <class K>
inline constexpr std::size_t many_blocks_keys =
    (BALLOT_EMULATED ? detail::least_most_items_by_runs : detail::most_items_by_runs) + 1;

#if BALLOT_EMULATED

inline constexpr unsigned few_multiprocessors = 4;
static_assert(few_multiprocessors * detail::most_items_of_multiprocessor < many_blocks_keys<std::uint32_t>);

// While it lives, the GPU has so many multiprocessors.
class gpu_of_multiprocessors {
 public:
  explicit gpu_of_multiprocessors(unsigned count) : scope_(emulator::current_policy()) {
    emulator::current_policy().multiprocessors = count;
  }

 private:
  emulator::scoped_policy scope_;
};

// While it lives, many_blocks_keys keys are sorted by passes.
struct sorts_by_passes : gpu_of_multiprocessors {
  sorts_by_passes() : gpu_of_multiprocessors(few_multiprocessors) {}
};

// The first thing of a test case: it runs twice, on GPUs of many multiprocessors and of few.
class each_way_of_sorting {
 public:
  each_way_of_sorting() : scope_(emulator::current_policy()) {
    SUBCASE("by runs") { emulator::current_policy().multiprocessors = 128; }
    SUBCASE("by passes") { emulator::current_policy().multiprocessors = few_multiprocessors; }
  }

 private:
  emulator::scoped_policy scope_;
};

#else

// The GPU is what it is, and there are enough keys.
struct gpu_of_multiprocessors {
  explicit gpu_of_multiprocessors(unsigned) {}
};
struct sorts_by_passes {
  sorts_by_passes() {}
};
struct each_way_of_sorting {
  each_way_of_sorting() {}
};

#endif

}  // namespace ballot::test
