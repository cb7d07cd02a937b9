// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace ballot::emulator {

#if defined(BALLOT_EMULATOR_UCONTEXT)

void switch_context(context& from, context& to) { swapcontext(&from.registers, &to.registers); }

void start_context(context& c, const stack& s, void (*entry)()) {
  getcontext(&c.registers);
  c.registers.uc_stack.ss_sp = s.low;
  c.registers.uc_stack.ss_size = std::size_t(s.top - s.low);
  c.registers.uc_link = nullptr;
  makecontext(&c.registers, entry, 0);
}

#elif defined(__x86_64__)

extern "C" void ballot_emulator_switch(void** save, void* load);
asm(R"(
.pushsection .text
.globl ballot_emulator_switch
.type ballot_emulator_switch,@function
ballot_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size ballot_emulator_switch,.-ballot_emulator_switch
.popsection
)");

void switch_context(context& from, context& to) { ballot_emulator_switch(&from.stack_pointer, to.stack_pointer); }

void start_context(context& c, const stack& s, void (*entry)()) {
  void** sp = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(s.top) & ~std::uintptr_t(15));
  *--sp = nullptr;  // where entry would return to; it keeps the stack aligned as after a call
  *--sp = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; i++) *--sp = nullptr;
  c.stack_pointer = sp;
}

#else  // aarch64

extern "C" void ballot_emulator_switch(void** save, void* load);
asm(R"(
.pushsection .text
.globl ballot_emulator_switch
.type ballot_emulator_switch,%function
ballot_emulator_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x2, sp
  str x2, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.popsection
)");

void switch_context(context& from, context& to) { ballot_emulator_switch(&from.stack_pointer, to.stack_pointer); }

void start_context(context& c, const stack& s, void (*entry)()) {
  const auto sp = (reinterpret_cast<std::uintptr_t>(s.top) & ~std::uintptr_t(15)) - 160;
  std::memset(reinterpret_cast<void*>(sp), 0, 160);
  reinterpret_cast<void**>(sp)[11] = reinterpret_cast<void*>(entry);  // x30, the link register
  c.stack_pointer = reinterpret_cast<void*>(sp);
}

#endif

namespace {

constexpr unsigned char canary = 0xb7;
constexpr std::size_t canary_bytes = 64;

std::size_t stack_bytes() {
  static const std::size_t n = [] {
    const char* e = std::getenv("BALLOT_STACK");
    const std::size_t asked = e ? std::strtoull(e, nullptr, 10) : 0;
    return asked == 0 ? std::size_t(32) << 10 : std::max<std::size_t>((asked + 4095) & ~std::size_t(4095), 8192);
  }();
  return n;
}

}  // namespace

void mark_end(const stack& s) { std::memset(s.low, canary, canary_bytes); }

bool overflowed(const stack& s) {
  std::uint64_t bytes[canary_bytes / 8];
  std::memcpy(bytes, s.low, canary_bytes);
  std::uint64_t damage = 0;
  for (const std::uint64_t b : bytes) damage |= b ^ 0x0101010101010101u * canary;
  return damage != 0;
}

stack_pool::~stack_pool() {
  for (const mapping& m : mappings_) munmap(m.address, m.bytes);
}

void stack_pool::add(std::size_t n, std::vector<stack>& to) {
  // Huge pages where the system has them: with thousands of stacks, a switch costs a miss of the
  // TLB otherwise.
  constexpr std::size_t huge = std::size_t(2) << 20;
  constexpr std::size_t guard = 4096;
  const std::size_t each = stack_bytes(), body = (n * each + huge - 1) & ~(huge - 1);
  void* p = mmap(nullptr, body + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  mappings_.push_back({p, body + huge});
  char* base = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(p) + huge) & ~(huge - 1));  // with room below
  // The lowest stack must not overflow into somebody's memory.
  if (mprotect(base - guard, guard, PROT_NONE) != 0) throw std::bad_alloc();
  madvise(base, body, MADV_HUGEPAGE);
  for (std::size_t i = 0; i < n; i++) {
    // The tops are staggered, so that the hot frames of a warp's threads do not all fall into the
    // same cache sets.
    to.push_back({base + i * each, base + (i + 1) * each - (i % 32) * 128});
    mark_end(to.back());
  }
}

}  // namespace ballot::emulator
