// SPDX-License-Identifier: Apache-2.0
#include "collision/compare_with_thrust.hpp"

#include "collision/owned_graph.cuh"
#include "collision/pipeline.cuh"
#include "collision/thrust_step.cuh"
#include "engines/cuda/gpu.cuh"

#include <algorithm>
#include <new>
#include <string>

namespace ballot::app::collision {
namespace {

std::string in_words(const pair_counts& found) {
  return std::to_string(found.candidates) + " candidates and " + std::to_string(found.pairs) + " pairs";
}

step_comparison without_memory() {
  (void)cudaGetLastError();  // no later call is to find the error of this one
  return {{}, {}, "the GPU has no memory for a second step beside the first"};
}

}  // namespace

step_comparison compare_with_thrust(const std::vector<sphere>& objects, const settings& how, const pair_counts& found) {
  if (objects.empty()) return {{}, {}, "there are no objects"};
  return reporting_cuda_errors("the comparison with Thrust", "the GPU", [&]() -> step_comparison {
    const pair_counts room{std::max<std::uint64_t>(found.candidates, 1), std::max<std::uint64_t>(found.pairs, 1)};
    const owned_stream stream;
    try {
      pipeline ours(objects, std::vector<velocity>(objects.size()), how.grid, how.how, room, stream);
      thrust_pipeline theirs(objects, how.grid, room, stream);
      ours.detect();
      const step_account account = ours.account();
      const pair_counts other = theirs.detect();
      if (account.last.candidates != other.candidates || account.last.pairs != other.pairs)
        throw verification_failure("verification failed: the step on Thrust found " + in_words(other) + ", ballot's " +
                                   in_words(account.last));
      owned_graph step;
      step.capture(stream, [&] { ours.detect(); });
      const double own = median_microseconds(stream, [&] { step.replay(stream); });
      const double thrust = median_microseconds(stream, [&] { theirs.detect(); });
      return {own * 1e-6, thrust * 1e-6, {}};
    } catch (const std::bad_alloc&) {  // as Thrust says that the GPU's memory does not suffice
      return without_memory();
    } catch (const cuda_error& problem) {  // as ballot says it
      if (problem.code() != cudaErrorMemoryAllocation) throw;
      return without_memory();
    }
  });
}

}  // namespace ballot::app::collision
