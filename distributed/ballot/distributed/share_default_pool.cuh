// SPDX-License-Identifier: Apache-2.0
// Memory of CUDA's stream-ordered allocator for ranks that are threads of one process.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/cuda/launch.cuh>

#include <cstdint>

namespace ballot::distributed {

// At set-up, on each rank's device, if ranks are threads of one process: lets the other devices
// reach memory of this one's stream-ordered allocator (device_array, for example). NCCL reads and
// writes such ranks' memory directly, and memory of that allocator is not reachable by itself,
// unlike that of cudaMalloc. The pool also keeps its memory from now on. Otherwise it would give
// memory back whenever a stream is waited for. CUDA then waits for all devices that reach the
// memory, also for one that itself waits for the rank that gives it back.
inline void share_default_pool() {
  int device = 0, devices = 0;
  simt::check(cudaGetDevice(&device), "cudaGetDevice");
  simt::check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  cudaMemPool_t pool = nullptr;
  simt::check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
  auto all = ~std::uint64_t{0};
  simt::check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "cudaMemPoolSetAttribute");
  for (int other = 0; other < devices; ++other) {
    int reaches = 0;
    if (other != device) simt::check(cudaDeviceCanAccessPeer(&reaches, other, device), "cudaDeviceCanAccessPeer");
    if (reaches == 0) continue;
    cudaMemAccessDesc access{};
    access.location = {cudaMemLocationTypeDevice, other};
    access.flags = cudaMemAccessFlagsProtReadWrite;
    simt::check(cudaMemPoolSetAccess(pool, &access, 1), "cudaMemPoolSetAccess");
  }
}

}  // namespace ballot::distributed
