// SPDX-License-Identifier: Apache-2.0
// What the compiler's instrumentation calls.
#pragma once

#include <ballot/core/namespace.hpp>

namespace ballot::emulator {

/// A plain access of `size` bytes at p, which its type says is aligned to `alignment`.
void plain_access(const void* p, unsigned size, bool write, unsigned alignment, const void* return_address);

/// Set by the first instrumented translation unit that is initialised.
void set_instrumented();

}  // namespace ballot::emulator
