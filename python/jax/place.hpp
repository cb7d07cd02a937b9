// SPDX-License-Identifier: Apache-2.0
// Where the calls of handlers.cpp run: on the GPU, in XLA's buffers. tests/python/jax_on_host has
// another one, for the emulator.
#pragma once

#include <xla/ffi/api/ffi.h>

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace ballot_jax {

using stream_context = xla::ffi::PlatformStream<CUstream_st*>;
using scratch_context = xla::ffi::ScratchAllocator;

// One call's memory.
class place {
 public:
  explicit place(scratch_context& scratch) : scratch_(scratch) {}
  const void* input(const void* data, std::size_t) { return data; }
  void* output(void* data, std::size_t) { return data; }
  // Null if there is none. XLA gives no larger alignment than 16; the library takes any.
  void* scratch(std::size_t bytes) { return scratch_.Allocate(bytes, 16).value_or(nullptr); }
  void finish() {}

 private:
  scratch_context& scratch_;
};

}  // namespace ballot_jax
