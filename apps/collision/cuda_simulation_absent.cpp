// SPDX-License-Identifier: Apache-2.0
// Stands in for the GPU's simulation in a program built without nvcc. Choosing the engine has
// failed before this.
#include "base/failure.hpp"
#include "collision/compare_with_thrust.hpp"
#include "collision/simulation.hpp"

namespace ballot::app::collision {

std::unique_ptr<simulation> make_cuda_simulation(const scene&, const settings&) {
  throw failure("this program was built without CUDA");
}

step_comparison compare_with_thrust(const std::vector<sphere>&, const settings&, const pair_counts&) {
  throw failure("this program was built without CUDA");
}

}  // namespace ballot::app::collision
