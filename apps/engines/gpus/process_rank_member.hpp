// SPDX-License-Identifier: Apache-2.0
// The members that a process has for its rank of NCCL.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/cuda/gpu.cuh"
#include "engines/gpus/nccl_start.hpp"
#include "engines/gpus/process_rank.hpp"

#include <ballot/distributed/nccl.cuh>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ballot::app {

struct gpu_process_rank::member {
  std::string device{"the GPU"};  // its name, as soon as it is known
  ncclComm_t nccl = nullptr;
  std::optional<owned_stream> stream;
  std::unique_ptr<distributed::nccl_communicator> comm;
  const int exceptions = std::uncaught_exceptions();
  bool others_wait = false;

  // Work that other processes do at the same time, and may wait for: they do not know if it fails.
  template <class Work>
  void collectively(const Work& work) {
    try {
      work();
    } catch (const cuda_error& problem) {
      others_wait = true;
      throw failure("GPUs: " + std::string(problem.what()));
    } catch (...) {
      others_wait = true;
      throw;
    }
  }

  // NCCL's abort waits until the other processes of the host abort, too, and they wait for this one
  // until it ends them (process_group::abort_all). So all is left as it is for the end of the
  // process. If all processes know about a failure, all abort.
  ~member() {
    if (others_wait) {
      (void)comm.release();
      return;
    }
    if (nccl != nullptr && std::uncaught_exceptions() > exceptions) (void)ncclCommAbort(std::exchange(nccl, nullptr));
    comm.reset();
    if (nccl != nullptr) (void)ncclCommDestroy(nccl);
  }
};

}  // namespace ballot::app
