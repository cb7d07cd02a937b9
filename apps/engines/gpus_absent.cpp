// SPDX-License-Identifier: Apache-2.0
// Stands in for the engine of several GPUs in a program built without NCCL.
#include <ballot/core/namespace.hpp>
#include "base/failure.hpp"
#include "engines/engine.hpp"

namespace ballot::app {

std::unique_ptr<engine> make_gpus_engine(int) {
  throw failure(
      "--gpus: this program was built without NCCL, or without CUDA. Install NCCL 2.18 or newer with its headers "
      "(NVIDIA's packages libnccl2 and libnccl-dev, or Python's nvidia-nccl-cu13) and build ballot again, with "
      "-DNCCL_ROOT=FOLDER where it is elsewhere than usual");
}

}  // namespace ballot::app
