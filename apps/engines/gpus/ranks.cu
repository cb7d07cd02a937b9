// SPDX-License-Identifier: Apache-2.0
#include "engines/gpus/ranks.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

namespace ballot::app {
namespace {

std::function<void(int)> on_its_device(const std::function<void(int rank)>& work) {
  return [&work](int rank) {
    simt::check(cudaSetDevice(rank), "cudaSetDevice");
    work(rank);
  };
}

}  // namespace

thread_ranks::thread_ranks(int gpus) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) devices = 0;
  if (gpus > devices) throw failure("--gpus " + std::to_string(gpus) + ": GPUs here: " + std::to_string(devices));
  nccl_.resize(static_cast<std::size_t>(gpus));
  try {
    make_nccl();
    for (int r = 0; r < gpus; ++r) {
      simt::check(cudaSetDevice(r), "cudaSetDevice");
      distributed::share_default_pool();
      comms_.push_back(std::make_unique<distributed::nccl_communicator>(nccl_[static_cast<std::size_t>(r)], patience));
      streams_.push_back(std::make_unique<owned_stream>());
    }
    simt::check(cudaSetDevice(0), "cudaSetDevice");
  } catch (...) {
    abort();
    throw;
  }
}
void thread_ranks::make_nccl() {
  ncclUniqueId id;
  check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  try {
    for (int r = 0; r < static_cast<int>(nccl_.size()); ++r) {
      simt::check(cudaSetDevice(r), "cudaSetDevice");
      begin_to_make(nccl_[static_cast<std::size_t>(r)], id, r, static_cast<int>(nccl_.size()));
    }
  } catch (...) {
    (void)ncclGroupEnd();  // an open group would hold back the abort
    throw;
  }
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  for (const ncclComm_t comm : nccl_) wait_until_made(comm);
}
thread_ranks::~thread_ranks() {
  comms_.clear();
  for (const ncclComm_t comm : nccl_)
    if (comm != nullptr) (void)ncclCommDestroy(comm);
}

void thread_ranks::on_each(const std::function<void(int rank)>& work) const {
  rank_threads::run(size(), on_its_device(work));
}

void thread_ranks::on_all(const std::function<void(int rank)>& work) {
  rank_threads::run(size(), on_its_device(work),
                    {.tell =
                         [this] {
                           for (const auto& comm : comms_) comm->abandon();
                         },
                     .abort = [this] { abort(); }});
}

// All at once. Each call first lets its own device go, and then waits for NCCL's work on it. CUDA
// may hold that work up until the other devices go, too.
void thread_ranks::abort() noexcept {
  std::vector<std::thread> threads;
  threads.reserve(nccl_.size());
  for (ncclComm_t& comm : nccl_) {
    if (comm == nullptr) continue;
    const ncclComm_t ended = std::exchange(comm, nullptr);
    try {
      threads.emplace_back([ended] { (void)ncclCommAbort(ended); });
    } catch (...) {  // the system gives no more threads
      (void)ncclCommAbort(ended);
    }
  }
  for (std::thread& t : threads) t.join();
}

gpu_ranks::gpu_ranks(int gpus) : ranks_(std::make_unique<thread_ranks>(gpus)) {}
gpu_ranks::~gpu_ranks() = default;

int gpu_ranks::size() const { return ranks_->size(); }

std::uint64_t gpu_ranks::free_bytes() const {
  std::vector<std::uint64_t> free(static_cast<std::size_t>(size()));
  ranks_->on_each([&](int rank) { free[static_cast<std::size_t>(rank)] = memory_of("").free_bytes; });
  return *std::min_element(free.begin(), free.end());
}

}  // namespace ballot::app
