// SPDX-License-Identifier: Apache-2.0
// C++17. Leaves with 77 where there is no GPU.
#include "cells.h"
#include "particles.h"
#include "vector_math.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

#if __cplusplus >= 202002L
#  error "this source is to be compiled as C++17"
#endif

int main() {
  // An exception of ballot in a source of C++20 is caught here. This call is refused before a GPU
  // is asked for anything.
  unsigned* const nowhere = nullptr;
  bool refused = false;
  try {
    order_by_cell(nowhere, nowhere, nowhere, 100, nullptr, 0, nullptr);
  } catch (const std::invalid_argument& error) {
    std::printf("refused, as it should be: %s\n", error.what());
    refused = true;
  }
  if (!refused) return 1;

  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("not run: no GPU\n");
    return 77;
  }
  const std::size_t particles = 1'000'000;
  try {
    const ordered_particles result = step(particles, 4096);
    std::vector<bool> seen(particles);
    for (const unsigned particle : result.order) seen.at(particle) = true;
    const bool right = std::is_sorted(result.cells.begin(), result.cells.end()) &&
                       std::find(seen.begin(), seen.end(), false) == seen.end();
    std::printf("%zu particles, first cell %u, last cell %u, middle %g: %s\n", particles, result.cells.front(),
                result.cells.back(), lerp(0.0f, 4096.0f, 0.5f), right ? "sorted" : "wrong");
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
