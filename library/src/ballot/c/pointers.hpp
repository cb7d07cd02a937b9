// SPDX-License-Identifier: Apache-2.0
// Refuses pointers to memory that the current device cannot read: the host's, or another device's. The question to the
// runtime costs some hundred nanoseconds and no wait, and is allowed while a stream captures.
#pragma once

namespace ballot_c {

// Null passes: the library's own checks name it. So does everything where there is no device: the launch says so.
void require_device_pointer(const char* function, const char* name, const void* pointer);

}  // namespace ballot_c
