// SPDX-License-Identifier: Apache-2.0
// A host source of the installed version. Errors of that version arrive as what they are, whatever
// architectures they come from; those of another version as the standard library's errors that they
// are derived from.
//   two_builds       errors alone
//   two_builds gpu   calls on the device as well; leaves with 77 where there is none
#include "library.hpp"

#include <ballot/core/error.hpp>

#include <cstdio>
#include <cstring>
#include <stdexcept>

#if TWO_BUILDS_CUDA
#  include <cuda_runtime.h>
#endif

enum class caught { nothing, ballots, standard };
static caught caught_from(void (*refuse)()) {
  try {
    refuse();
  } catch (const ballot::invalid_argument& error) {
    std::printf("ballot::invalid_argument: %s\n", error.what());
    return caught::ballots;
  } catch (const std::invalid_argument& error) {
    std::printf("std::invalid_argument: %s\n", error.what());
    return caught::standard;
  }
  return caught::nothing;
}

int main(int arguments, char** argument) {
  const bool right = caught_from(first::refuse) == caught::ballots &&
                     caught_from(other_version::refuse) == caught::standard &&
                     caught_from(other_architectures::refuse) == caught::ballots;
  if (!right) return 1;
#if TWO_BUILDS_CUDA
  if (arguments > 1 && std::strcmp(argument[1], "gpu") == 0) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
    return first::sums_on_gpu() && other_version::sums_on_gpu() && other_architectures::sums_on_gpu() ? 0 : 1;
  }
#endif
  (void)arguments, (void)argument;
  return 0;
}
