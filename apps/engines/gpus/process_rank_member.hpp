// SPDX-License-Identifier: Apache-2.0
// The members that a process has for its rank of NCCL.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/cuda/gpu.cuh"
#include "engines/gpus/process_rank.hpp"

#include <ballot/distributed/nccl.cuh>

#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace ballot::app {

struct gpu_process_rank::member {
  std::string device{"the GPU"};  // its name, as soon as it is known
  ncclComm_t nccl = nullptr;
  std::optional<owned_stream> stream;
  std::optional<distributed::nccl_communicator> comm;
  const int exceptions = std::uncaught_exceptions();

  // After a failure the devices may wait for a process that will not answer. Only an abort ends
  // that.
  ~member() {
    if (nccl != nullptr && std::uncaught_exceptions() > exceptions) (void)ncclCommAbort(std::exchange(nccl, nullptr));
    comm.reset();
    if (nccl != nullptr) (void)ncclCommDestroy(nccl);
  }
};

}  // namespace ballot::app
