// SPDX-License-Identifier: Apache-2.0
// Plain accesses of kernels outside of device memory. A kernel on a GPU reaches nothing there but its
// own stack, its parameters, and constants. So all else is an error: the heap, variables of the
// program, the stacks of the host and of other threads. An exception that a kernel throws is on the
// heap, too: if the kernel's own code stores into it, that is reported in its place.
#include <link.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "checks.hpp"
#include "text.hpp"

namespace ballot::emulator {

namespace {

struct range {
  const char* begin;
  const char* end;
  bool has(const void* p, std::size_t size) const { return p >= begin && static_cast<const char*>(p) + size <= end; }
};
template <class T>
bool is_in(const T& variable, const void* p, std::size_t size) {
  const auto* begin = reinterpret_cast<const char*>(&variable);
  return range{begin, begin + sizeof(T)}.has(p, size);
}

// What the program and its libraries have that nobody can write, at the latest after they were
// loaded: code, constants, tables of virtual functions.
std::vector<range> constant_ranges() {
  std::vector<range> found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        for (int i = 0; i < info->dlpi_phnum; i++) {
          const auto& h = info->dlpi_phdr[i];
          if (h.p_type != PT_GNU_RELRO && (h.p_type != PT_LOAD || (h.p_flags & PF_W) != 0)) continue;
          const auto* begin = reinterpret_cast<const char*>(info->dlpi_addr + h.p_vaddr);
          static_cast<std::vector<range>*>(out)->push_back({begin, begin + h.p_memsz});
        }
        return 0;
      },
      &found);
  return found;
}

bool is_constant(const void* p, std::size_t size) {
  thread_local std::vector<range> known = constant_ranges();
  const auto has_it = [&](const range& r) { return r.has(p, size); };
  if (std::ranges::any_of(known, has_it)) return true;
  known = constant_ranges();  // a library may have been loaded since
  return std::ranges::any_of(known, has_it);
}

}  // namespace

void plain_access_to_host(const void* p, unsigned size, bool write, const void* return_address) {
  if (self->in_emulator != 0) return;
  const inside_emulator guard;
  const grid_description& g = current_machine->grid;
  const auto* parameters = static_cast<const char*>(g.context);
  if (!write && range{parameters, parameters + g.context_bytes}.has(p, size)) return;
  if (is_in(threadIdx, p, size) || is_in(blockIdx, p, size) || is_in(blockDim, p, size) || is_in(gridDim, p, size))
    return;
  if (device_memory::is_beside(p)) return;  // it will fault, and be reported as what it is
  if (static_cast<const char*>(__builtin_frame_address(0)) < self->memory.low)
    fail(error_kind::out_of_bounds, stack_overflow(*self));
  if (!write && is_constant(p, size)) return;
  fail(error_kind::out_of_bounds, text("%s of %u bytes of host memory, or of another thread's stack, at %p by ",
                                       write ? "write" : "read", size, p) +
                                      who(*self) + ", at " + where(site_of_code(return_address)));
}

}  // namespace ballot::emulator
