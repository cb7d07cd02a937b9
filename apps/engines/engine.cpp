// SPDX-License-Identifier: Apache-2.0
#include "engines/engine.hpp"
#include <ballot/core/namespace.hpp>

namespace ballot::app {
engine_choice choose_engine(engine_name wanted) {
  switch (wanted) {
    case engine_name::cpu:
      return {make_cpu_engine(), "requested"};
    case engine_name::cuda:
      return {make_cuda_engine(), "requested"};
    case engine_name::automatic:
      break;
  }
  const cuda_status cuda = probe_cuda();
  if (!cuda.usable) return {make_cpu_engine(), cuda.reason};
  return {make_cuda_engine(), "there is a usable GPU"};
}

}  // namespace ballot::app
