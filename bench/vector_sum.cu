// SPDX-License-Identifier: Apache-2.0
// The ladder of the vector sum (docs/survey.md): its steps are contenders, the last one, which is
// the library's, as "ballot".
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "read.hpp"

#include <ballot/survey/vector_sum/steps.cuh>

#include <cub/device/device_reduce.cuh>

namespace ballot::bench {

void add_vector_sum_ladder(std::vector<operation>& all) {
  using T = std::int32_t;
  operation ladder{.name = "survey_vector_sum",
                   .bytes_per_item = sizeof(T),
                   .input = small_numbers<T>(),
                   .output_bytes = sizeof(T),
                   .shape = result_shape::one,
                   .also_at = {std::uint64_t{1} << 30}};
  ladder.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceReduce::Sum(temporary, bytes, a.in<T>(), a.out<T>(), a.length(), a.stream);
  }));
  for (const survey::vector_sum_step<T>& step : survey::vector_sum_steps<T>()) {
    contender one =
        by_ballot(step.scratch_bytes, [=](const exec& gpu, const arrays& a) { step.run(gpu, in<T>(a), a.out<T>()); });
    if (step.name != std::string("library")) one.name = step.name;
    ladder.contenders.push_back(std::move(one));
  }
  ladder.contenders.push_back(read_for(sizeof(T)));
  all.push_back(std::move(ladder));
}

}  // namespace ballot::bench
