// SPDX-License-Identifier: Apache-2.0
// Fibers: a stack each, and a switch between two of them.
//
// A CUDA thread is a fiber, because a switch of fibers is cheap. It saves the callee-saved
// registers, exchanges stack pointers, and returns into the other fiber. No signal masks, no system
// call. There is one for x86-64, one for aarch64, and ucontext (fifty times slower) for others.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#if !defined(BALLOT_EMULATOR_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#  define BALLOT_EMULATOR_UCONTEXT 1
#endif
#if defined(BALLOT_EMULATOR_UCONTEXT)
#  include <ucontext.h>
#endif

namespace ballot::emulator {

// The saved context of a fiber or of the host.
struct context {
#if defined(BALLOT_EMULATOR_UCONTEXT)
  ucontext_t registers;
#else
  void* stack_pointer = nullptr;
#endif
};

/// Suspends `from`, resumes `to`.
void switch_context(context& from, context& to);

struct stack {
  char* low = nullptr;
  char* top = nullptr;
};
/// Makes `c` start `entry`, which must not return, on the stack.
void start_context(context& c, const stack& s, void (*entry)());

/// Marks the lowest bytes of a stack; whether they have been overwritten since.
void mark_end(const stack& s);
bool overflowed(const stack& s);

/// The stacks of one OS thread's fibers; they are kept from grid to grid. BALLOT_STACK sets their
/// size in bytes.
class stack_pool {
 public:
  stack_pool() = default;
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;
  ~stack_pool();
  /// Maps `n` more stacks, with an unmapped page below them, and appends them to `to`.
  void add(std::size_t n, std::vector<stack>& to);

 private:
  struct mapping {
    void* address;
    std::size_t bytes;
  };
  std::vector<mapping> mappings_;
};

}  // namespace ballot::emulator
