// SPDX-License-Identifier: Apache-2.0
#include <ballot/c/calls.hpp>
#include <ballot/c/pointers.hpp>

#if !BALLOT_EMULATED
#  include <cuda_runtime_api.h>
#endif

namespace ballot_c {

#if BALLOT_EMULATED
// The emulator's device memory is the host's.
void require_device_pointer(const char*, const char*, const void*) {}
void require_stream(const char*, CUstream_st*) {}
#else
namespace {

// Whether the device reads any memory of the host (HMM, or one memory for both): the answer never
// changes.
bool reads_pageable_memory(int device) {
  constexpr int most = 64;
  static signed char known[most];  // 0: not asked yet. A race stores the same answer twice.
  if (device < 0 || device >= most) return true;
  signed char answer = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
  if (answer == 0) {
    int value = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, device);
    answer = error != cudaSuccess || value != 0 ? 1 : -1;
    __atomic_store_n(&known[device], answer, __ATOMIC_RELAXED);
  }
  return answer > 0;
}

}  // namespace

void require_device_pointer(const char* function, const char* name, const void* pointer) {
  if (pointer == nullptr) return;
  cudaPointerAttributes found{};
  int device = 0;
  if (cudaPointerGetAttributes(&found, pointer) != cudaSuccess || cudaGetDevice(&device) != cudaSuccess) {
    cudaGetLastError();  // no device, or no driver: the launch will tell
    return;
  }
  if (found.type == cudaMemoryTypeUnregistered && !reads_pageable_memory(device))
    fail(function, joined({"`", name, "` [0x", ballot::detail::hexadecimal(reinterpret_cast<std::uintptr_t>(pointer)),
                           "] is in the host's memory, which the device does not read"}));
  if (found.type == cudaMemoryTypeDevice && found.device != device)
    fail(function, joined({"`", name, "` is in the memory of device ", std::to_string(found.device),
                           ", the current device is ", std::to_string(device)}));
}

void require_stream(const char* function, CUstream_st* stream) {
#  if CUDART_VERSION >= 12080
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return;
  // The question would end a capture of the stream, and might end one of another stream that is not
  // relaxed.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusActive;
  int of_stream = 0, device = 0;
  if (cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess) {
    cudaGetLastError();  // no device, or no driver: the launch will tell
    return;
  }
  cudaError_t error = cudaStreamIsCapturing(stream, &capture);
  if (error == cudaSuccess && capture == cudaStreamCaptureStatusNone) {
    error = cudaStreamGetDevice(stream, &of_stream);
    if (error == cudaSuccess) error = cudaGetDevice(&device);
  }
  cudaThreadExchangeStreamCaptureMode(&mode);
  if (error != cudaSuccess) cudaGetLastError();  // the launch will tell
  else if (of_stream != device)
    fail(function, joined({"the stream is one of device ", std::to_string(of_stream), ", the current device is ",
                           std::to_string(device)}));
#  else
  (void)function, (void)stream;
#  endif
}
#endif

}  // namespace ballot_c
