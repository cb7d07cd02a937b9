// SPDX-License-Identifier: Apache-2.0
// Finds the CUDA devices of this machine, and launches a kernel to see whether one works.
#include "engines/engine.hpp"

#include <ballot/device/memory.cuh>
#include <ballot/simt/simt.cuh>

#include <string>

namespace ballot::app {
namespace {

constexpr std::uint32_t sign_of_life = 0xba110700;

__global__ void show_sign_of_life(std::uint32_t* place) { *place = sign_of_life; }

std::string version_text(int version) {  // 13020 is 13.2
  return version <= 0 ? std::string() : std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void list_devices(cuda_status& status, int count) {
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    simt::check(cudaGetDeviceProperties(&properties, i), "cudaGetDeviceProperties");
    status.devices.push_back({i, properties.name,
                              std::to_string(properties.major) + "." + std::to_string(properties.minor),
                              properties.totalGlobalMem, 0});
  }
}

void launch_probe() {
  device_value<std::uint32_t> place(nullptr);
  simt::launch(show_sign_of_life, {}, place.address());
  if (place.read(nullptr) != sign_of_life) throw cuda_error(cudaErrorUnknown, "the probe", "the kernel left no trace");
}

// "there is no GPU" reads better than the runtime's words for it.
std::string explained(cudaError_t error) {
  switch (error) {
    case cudaErrorNoDevice:
      return "there is no GPU";
    case cudaErrorInsufficientDriver:
      return "the driver is too old for this program's CUDA";
    case cudaErrorNoKernelImageForDevice:
      return "this program was not built for this GPU's architecture";
    default:
      return std::string("the GPU is not usable: ") + cudaGetErrorString(error);
  }
}

}  // namespace

cuda_status list_cuda_devices() {
  cuda_status status;
  status.compiled = true;
  status.toolkit = version_text(CUDART_VERSION);
  int version = 0;
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) status.runtime = version_text(version);
  version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess) status.driver = version_text(version);
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0) {
    status.reason =
        version == 0 ? "there is no NVIDIA driver" : explained(error == cudaSuccess ? cudaErrorNoDevice : error);
    return status;
  }
  try {
    list_devices(status, count);
  } catch (const cuda_error& problem) {
    status.reason = explained(static_cast<cudaError_t>(problem.code()));
  }
  return status;
}

cuda_status probe_cuda(int device) {
  cuda_status status = list_cuda_devices();
  if (!status.reason.empty()) return status;
  try {
    simt::check(cudaSetDevice(device), "cudaSetDevice");
    launch_probe();
    status.usable = true;
  } catch (const cuda_error& problem) {
    status.reason = explained(static_cast<cudaError_t>(problem.code()));
  }
  return status;
}

void add_free_memory(cuda_status& status) {
  int current = 0;
  if (cudaGetDevice(&current) != cudaSuccess) return;
  for (cuda_device& device : status.devices) {
    std::size_t free_bytes = 0, total_bytes = 0;
    if (cudaSetDevice(device.index) == cudaSuccess && cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess)
      device.free_bytes = free_bytes;
  }
  (void)cudaSetDevice(current);
}

}  // namespace ballot::app
