// SPDX-License-Identifier: Apache-2.0
// For the Python tests over the emulator: memory that it knows as the device's.
#include <ballot/simt/simt.cuh>

extern "C" {
__attribute__((visibility("default"))) void* ballot_test_allocate(std::size_t bytes) {
  return ballot::simt::allocate({}, bytes);
}
__attribute__((visibility("default"))) void ballot_test_free(void* memory) { ballot::simt::release({}, memory); }
}
