// SPDX-License-Identifier: Apache-2.0
// A stream, the size of device memory, and CUDA errors as failures, for every user of the GPU in this program.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "engines/cuda/device_memory.hpp"

#include <ballot/core/error.hpp>
#include <ballot/simt/simt.cuh>

#include <string>

namespace ballot::app {

class owned_stream {
 public:
  owned_stream() {
    simt::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  ~owned_stream() { cudaStreamDestroy(stream_); }
  owned_stream(const owned_stream&) = delete;
  owned_stream& operator=(const owned_stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

inline device_memory memory_of(const std::string& device) {
  device_memory memory{device};
  std::size_t free_bytes = 0, total_bytes = 0;
  simt::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  memory.total_bytes = total_bytes;
  memory.free_bytes = free_bytes;
  return memory;
}

// Calls work(). A CUDA error becomes a failure.
template <class Work>
auto reporting_cuda_errors(const std::string& input, const std::string& device, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const cuda_error& problem) {
    if (problem.code() == cudaErrorMemoryAllocation) throw_out_of_device_memory(input, memory_of(device));
    throw failure("GPU: " + problem.call() + ": " + cudaGetErrorString(static_cast<cudaError_t>(problem.code())));
  }
}

}  // namespace ballot::app
