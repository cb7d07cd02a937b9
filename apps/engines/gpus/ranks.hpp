// SPDX-License-Identifier: Apache-2.0
// The GPUs of this process as ranks of NCCL, a thread each.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/cuda/gpu.cuh"
#include "engines/gpus/nccl_start.hpp"
#include "engines/gpus/rank_threads.hpp"
#include "engines/gpus/ranks_sort.hpp"

#include <ballot/distributed/nccl.cuh>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace ballot::app {

class thread_ranks {
 public:
  explicit thread_ranks(int gpus);  // throws failure, and cuda_error
  ~thread_ranks();
  thread_ranks(const thread_ranks&) = delete;
  thread_ranks& operator=(const thread_ranks&) = delete;

  int size() const { return static_cast<int>(comms_.size()); }
  distributed::nccl_communicator& comm(int rank) const { return *comms_[static_cast<std::size_t>(rank)]; }
  cudaStream_t stream(int rank) const { return *streams_[static_cast<std::size_t>(rank)]; }

  // On all ranks, on the device of each. No rank waits for another one.
  void on_each(const std::function<void(int rank)>& work) const;
  // The same for calls that ranks make together. They wait for their streams by comm().wait_for. If
  // one fails, all end, and there can be no further call.
  void on_all(const std::function<void(int rank)>& work);

 private:
  void make_nccl();
  // Ends what waits on the devices for a rank that has failed.
  void abort() noexcept;

  std::vector<ncclComm_t> nccl_;
  std::vector<std::unique_ptr<distributed::nccl_communicator>> comms_;
  std::vector<std::unique_ptr<owned_stream>> streams_;
};

}  // namespace ballot::app
