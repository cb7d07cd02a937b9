// SPDX-License-Identifier: Apache-2.0
// Refuses pointers to memory that the current device cannot read (the host's, or another device's),
// and streams of another device. The questions to the runtime cost some hundred nanoseconds and no
// wait. They are allowed while a stream captures, or not asked.
#pragma once

struct CUstream_st;

namespace ballot_c {

// Null passes: the library's own checks name it. So does everything where there is no device: the
// launch says so.
void require_device_pointer(const char* function, const char* name, const void* pointer);

// Refuses a stream of another device than the current one, unless it captures: then the question is
// not allowed. Some drivers launch its kernels there, where the arguments are not. Before CUDA 12.8
// the launch has to tell.
void require_stream(const char* function, CUstream_st* stream);

}  // namespace ballot_c
