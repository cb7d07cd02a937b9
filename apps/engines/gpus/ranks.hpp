// SPDX-License-Identifier: Apache-2.0
// The GPUs of this process as ranks of NCCL.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "engines/cuda/gpu.cuh"
#include "engines/gpus/ranks_sort.hpp"

#include <ballot/distributed/nccl.cuh>

#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace ballot::app {

struct gpu_ranks::members {
  std::vector<ncclComm_t> nccl;
  std::vector<std::unique_ptr<distributed::nccl_communicator>> comms;
  std::vector<std::unique_ptr<owned_stream>> streams;

  ~members() {
    comms.clear();
    for (ncclComm_t comm : nccl)
      if (comm != nullptr) (void)ncclCommDestroy(comm);
  }

  // Ends what waits on the devices for a rank that has failed. Nothing can be said to the ranks
  // after it.
  void abort() {
    for (ncclComm_t& comm : nccl)
      if (comm != nullptr) (void)ncclCommAbort(std::exchange(comm, nullptr));
  }
  // The same for calls that ranks make together.
  void on_all(const std::function<void(int rank)>& work) {
    try {
      on_each(work);
    } catch (...) {
      abort();
      throw;
    }
  }

  // On all ranks, a thread each. An exception of one of them is thrown when all have ended: rather
  // the cause than that others did not answer.
  void on_each(const std::function<void(int rank)>& work) const {
    std::vector<std::exception_ptr> errors(comms.size());
    std::vector<std::thread> threads;
    for (std::size_t r = 0; r < comms.size(); ++r)
      threads.emplace_back([&, r] {
        try {
          simt::check(cudaSetDevice(static_cast<int>(r)), "cudaSetDevice");
          work(static_cast<int>(r));
        } catch (...) {
          errors[r] = std::current_exception();
        }
      });
    for (std::thread& t : threads) t.join();
    std::exception_ptr unanswered;
    for (const std::exception_ptr& e : errors) {
      if (!e) continue;
      try {
        std::rethrow_exception(e);
      } catch (const distributed::communication_error&) {
        if (!unanswered) unanswered = e;
      }
    }
    if (unanswered) std::rethrow_exception(unanswered);
  }
};

}  // namespace ballot::app
