// SPDX-License-Identifier: Apache-2.0
// The functions that the compiler's instrumentation calls.
#pragma once

#include <ballot/core/namespace.hpp>

#include "device_memory.hpp"
#include "state.hpp"

namespace ballot::emulator {

extern bool plain_accesses_are_checked;

void plain_access_to_device(const void* p, unsigned size, bool write, unsigned alignment, const void* return_address);

/// The same to memory that is neither the device's nor on the thread's stack (host_memory.cpp).
void plain_access_to_host(const void* p, unsigned size, bool write, const void* return_address);

/// Whether p is at or beside the built-in variables, which stand together.
inline bool is_near_built_in(const void* p) {
  constexpr std::size_t reach = 4 * sizeof(uint3);
  return std::size_t(static_cast<const char*>(p) - reinterpret_cast<const char*>(&threadIdx)) + reach < 2 * reach;
}

/// A plain access of `size` bytes at p, which its type says is aligned to `alignment`. Most are to
/// the stack, or to built-in variables.
inline void plain_access(const void* p, unsigned size, bool write, unsigned alignment, const void* return_address) {
  if (!plain_accesses_are_checked) return;
  if (device_memory::holds(p)) plain_access_to_device(p, size, write, alignment, return_address);
  else if (self && (p < self->memory.low || p >= self->memory.top) && !is_near_built_in(p)) [[unlikely]]
    plain_access_to_host(p, size, write, return_address);
}

/// Set by the first instrumented translation unit that is initialised.
void set_instrumented();

}  // namespace ballot::emulator
