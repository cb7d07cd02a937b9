// SPDX-License-Identifier: Apache-2.0
#include "engines/gpus/ranks.hpp"

#include <algorithm>
#include <string>

namespace ballot::app {
namespace {

constexpr std::chrono::seconds patience{120};  // a GPU that fails does not leave the others waiting for ever

void check_nccl(ncclResult_t result, const char* call) {
  if (result != ncclSuccess) throw failure(std::string("GPUs: ") + call + ": " + ncclGetErrorString(result));
}

}  // namespace

gpu_ranks::gpu_ranks(int gpus) : members_(std::make_unique<members>()) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) devices = 0;
  if (gpus > devices) throw failure("--gpus " + std::to_string(gpus) + ": GPUs here: " + std::to_string(devices));
  members& m = *members_;
  m.nccl.resize(static_cast<std::size_t>(gpus));
  check_nccl(ncclCommInitAll(m.nccl.data(), gpus, nullptr), "ncclCommInitAll");
  for (int r = 0; r < gpus; ++r) {
    simt::check(cudaSetDevice(r), "cudaSetDevice");
    distributed::share_default_pool();
    m.comms.push_back(std::make_unique<distributed::nccl_communicator>(m.nccl[static_cast<std::size_t>(r)], patience));
    m.streams.push_back(std::make_unique<owned_stream>());
  }
  simt::check(cudaSetDevice(0), "cudaSetDevice");
}
gpu_ranks::~gpu_ranks() = default;

int gpu_ranks::size() const { return static_cast<int>(members_->comms.size()); }

std::uint64_t gpu_ranks::free_bytes() const {
  std::vector<std::uint64_t> free(static_cast<std::size_t>(size()));
  members_->on_each([&](int rank) { free[static_cast<std::size_t>(rank)] = memory_of("").free_bytes; });
  return *std::min_element(free.begin(), free.end());
}

}  // namespace ballot::app
