// SPDX-License-Identifier: Apache-2.0
// A stream, the size of device memory, and CUDA errors as failures, for every user of the GPU in
// this program.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "engines/cuda/device_memory.hpp"

#include <ballot/core/error.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
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

// What the default pool holds without use: buffers that were freed in the order of a stream. 0 if
// it cannot be asked.
inline std::uint64_t unused_bytes_of_pool() {
  int device = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t reserved = 0, used = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess &&
                     cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) == cudaSuccess &&
                     cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess;
  return known && used < reserved ? reserved - used : 0;
}

// Of the current device, after all its work: what is freed in the order of a stream is free then.
inline device_memory memory_of(const std::string& device) {
  device_memory memory{device};
  (void)cudaDeviceSynchronize();  // an error of earlier work comes from the next call, too
  std::size_t free_bytes = 0, total_bytes = 0;
  simt::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  memory.total_bytes = total_bytes;
  memory.free_bytes = free_bytes + unused_bytes_of_pool();
  return memory;
}

// Calls work(). A CUDA error becomes a failure.
template <class Work>
auto reporting_cuda_errors(const std::string& input, const std::string& device, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const cuda_error& problem) {
    if (problem.code() == cudaErrorMemoryAllocation && problem.call() == "cudaHostAlloc")
      throw failure("GPU: the host has no memory left that can be locked for copies to the GPU");
    if (problem.code() == cudaErrorMemoryAllocation) throw_out_of_device_memory(input, memory_of(device));
    throw failure("GPU: " + problem.call() + ": " + cudaGetErrorString(static_cast<cudaError_t>(problem.code())));
  }
}

}  // namespace ballot::app
