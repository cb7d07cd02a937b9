// SPDX-License-Identifier: Apache-2.0
// In place of python/jax/place.hpp: JAX on the CPU, and libballot in the emulator, whose memory is
// the device's. So arrays are copied there and back.
#pragma once

#include <xla/ffi/api/ffi.h>

#include <dlfcn.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

struct CUstream_st;

namespace ballot_jax {

struct no_stream {};
struct scratch_context {};

struct emulated_memory {
  void* (*allocate)(std::size_t);
  void (*release)(void*);
};
inline emulated_memory& memory() {
  static emulated_memory functions{};
  return functions;
}

class place {
 public:
  explicit place(scratch_context&) {}
  place(const place&) = delete;
  ~place() {
    for (void* p : all_) memory().release(p);
  }
  const void* input(const void* data, std::size_t bytes) {
    void* p = take(bytes);
    std::memcpy(p, data, bytes);
    return p;
  }
  void* output(void* data, std::size_t bytes) {
    outputs_.push_back({take(bytes), data, bytes});
    return outputs_.back().from;
  }
  void* scratch(std::size_t bytes) { return take(bytes); }
  void finish() {
    for (const auto& o : outputs_) std::memcpy(o.to, o.from, o.bytes);
  }

 private:
  struct copied {
    void *from, *to;
    std::size_t bytes;
  };
  void* take(std::size_t bytes) {
    all_.push_back(memory().allocate(bytes == 0 ? 1 : bytes));
    return all_.back();
  }
  std::vector<void*> all_;
  std::vector<copied> outputs_;
};

}  // namespace ballot_jax

namespace xla::ffi {
template <>
struct CtxDecoding<ballot_jax::no_stream> {
  using Type = CUstream_st*;
  static std::optional<Type> Decode(const XLA_FFI_Api*, XLA_FFI_ExecutionContext*, DiagnosticEngine&) {
    return nullptr;
  }
};
template <>
struct CtxDecoding<ballot_jax::scratch_context> {
  using Type = ballot_jax::scratch_context;
  static std::optional<Type> Decode(const XLA_FFI_Api*, XLA_FFI_ExecutionContext*, DiagnosticEngine&) { return Type{}; }
};
}  // namespace xla::ffi

namespace ballot_jax {
using stream_context = no_stream;
}  // namespace ballot_jax

extern "C" __attribute__((visibility("default"), used)) inline void ballot_jax_use_memory(void* allocate,
                                                                                          void* release) {
  ballot_jax::memory() = {reinterpret_cast<void* (*)(std::size_t)>(allocate),
                          reinterpret_cast<void (*)(void*)>(release)};
}
