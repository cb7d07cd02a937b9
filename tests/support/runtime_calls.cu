// SPDX-License-Identifier: Apache-2.0
// Counters in front of the CUDA runtime. The linker sends each of these functions to __wrap_NAME,
// and gives the runtime's own as __real_NAME. Calls within a file of the runtime itself are not
// seen, and need not be.
#include "support/runtime_calls.hpp"

#include <cuda_runtime.h>

#include <atomic>

namespace {
struct counter {
  std::atomic<std::uint64_t> calls{0};
};
counter launches, fills, copies, allocations, releases, waits;
}  // namespace

#define BALLOT_COUNT(counter, function, parameters, arguments) \
  extern "C" cudaError_t __real_##function parameters;         \
  extern "C" cudaError_t __wrap_##function parameters;         \
  extern "C" cudaError_t __wrap_##function parameters {        \
    ++(counter).calls;                                         \
    return __real_##function arguments;                        \
  }

BALLOT_COUNT(launches, cudaLaunchKernel,
             (const void* f, dim3 grid, dim3 block, void** args, std::size_t shared, cudaStream_t stream),
             (f, grid, block, args, shared, stream))
BALLOT_COUNT(launches, cudaLaunchKernelExC, (const cudaLaunchConfig_t* config, const void* f, void** args),
             (config, f, args))
BALLOT_COUNT(launches, cudaLaunchCooperativeKernel,
             (const void* f, dim3 grid, dim3 block, void** args, std::size_t shared, cudaStream_t stream),
             (f, grid, block, args, shared, stream))
BALLOT_COUNT(fills, cudaMemsetAsync, (void* p, int byte, std::size_t n, cudaStream_t stream), (p, byte, n, stream))
BALLOT_COUNT(waits, cudaMemset, (void* p, int byte, std::size_t n), (p, byte, n))
BALLOT_COUNT(waits, cudaMemcpy, (void* to, const void* from, std::size_t n, cudaMemcpyKind kind), (to, from, n, kind))

BALLOT_COUNT(allocations, cudaMalloc, (void** p, std::size_t n), (p, n))
BALLOT_COUNT(allocations, cudaMallocAsync, (void** p, std::size_t n, cudaStream_t stream), (p, n, stream))
BALLOT_COUNT(allocations, cudaMallocFromPoolAsync, (void** p, std::size_t n, cudaMemPool_t pool, cudaStream_t stream),
             (p, n, pool, stream))
BALLOT_COUNT(allocations, cudaMallocManaged, (void** p, std::size_t n, unsigned flags), (p, n, flags))
BALLOT_COUNT(allocations, cudaMallocPitch, (void** p, std::size_t* pitch, std::size_t width, std::size_t height),
             (p, pitch, width, height))
BALLOT_COUNT(allocations, cudaMallocHost, (void** p, std::size_t n), (p, n))
BALLOT_COUNT(allocations, cudaHostAlloc, (void** p, std::size_t n, unsigned flags), (p, n, flags))
BALLOT_COUNT(releases, cudaFree, (void* p), (p))
BALLOT_COUNT(releases, cudaFreeAsync, (void* p, cudaStream_t stream), (p, stream))
BALLOT_COUNT(releases, cudaFreeHost, (void* p), (p))

BALLOT_COUNT(waits, cudaDeviceSynchronize, (), ())
BALLOT_COUNT(waits, cudaStreamSynchronize, (cudaStream_t stream), (stream))
BALLOT_COUNT(waits, cudaEventSynchronize, (cudaEvent_t event), (event))
BALLOT_COUNT(waits, cudaStreamQuery, (cudaStream_t stream), (stream))
BALLOT_COUNT(waits, cudaEventQuery, (cudaEvent_t event), (event))

// A copy within the device is work on the stream; one from or to other memory may wait.
extern "C" cudaError_t __real_cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);
extern "C" cudaError_t __wrap_cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);
extern "C" cudaError_t __wrap_cudaMemcpyAsync(void* to, const void* from, std::size_t n, cudaMemcpyKind kind,
                                              cudaStream_t stream) {
  const auto on_device = [](const void* p) {
    cudaPointerAttributes of{};
    return cudaPointerGetAttributes(&of, p) == cudaSuccess && of.type == cudaMemoryTypeDevice;
  };
  ++(on_device(to) && on_device(from) ? copies : waits).calls;
  return __real_cudaMemcpyAsync(to, from, n, kind, stream);
}

namespace ballot::test {

runtime_calls runtime_calls_so_far() {
  return {launches.calls, fills.calls, copies.calls, allocations.calls, releases.calls, waits.calls};
}

}  // namespace ballot::test
