// SPDX-License-Identifier: Apache-2.0
// The GPU's test binary: exits with 77, which ctest reports as not run, where there is no usable
// GPU.
#define DOCTEST_CONFIG_IMPLEMENT
#include <support/main.hpp>

#include <cuda_runtime.h>

namespace {

__global__ void probe(int* p) { *p = 42; }

// Why the tests cannot run, or nothing: a device, a driver new enough, and code for this device in
// the binary.
const char* obstacle() {
  int devices = 0;
  if (const cudaError_t e = cudaGetDeviceCount(&devices); e != cudaSuccess) return cudaGetErrorString(e);
  if (devices == 0) return "no device";
  int* p = nullptr;
  int value = 0;
  if (const cudaError_t e = cudaMalloc(&p, sizeof(int)); e != cudaSuccess) return cudaGetErrorString(e);
  probe<<<1, 1>>>(p);
  cudaError_t e = cudaGetLastError();
  if (e == cudaSuccess) e = cudaMemcpy(&value, p, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(p);
  if (e != cudaSuccess) return cudaGetErrorString(e);
  return value == 42 ? nullptr : "a first kernel gave a wrong answer";
}

}  // namespace

int main(int argc, char** argv) {
  if (const char* why = obstacle()) {
    std::fprintf(stderr, "not run: no usable GPU (%s)\n", why);
    return 77;
  }
  return ballot::test::run_tests(argc, argv);
}
