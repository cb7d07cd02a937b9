// SPDX-License-Identifier: Apache-2.0
// Wide accesses to global memory, and asynchronous copies from it to the block's shared memory.
#include <cstring>

#include "device_memory.hpp"
#include "state.hpp"
#include "text.hpp"

namespace ballot::emulator {

namespace {

void check_wide(const void* p, unsigned size, bool write, const char* file, int line) {
  thread_state& me = *self;
  me.file = file;
  me.line = line;
  auto access = [&] {
    return text("wide %s of %u bytes at ", write ? "store" : "load", size) + what_at(p) + " by " + who(me) + ", at " +
           where(file, line);
  };
  if (!device_memory::holds(p) || device_memory::is_shared(p))  // global memory only
    fail(error_kind::out_of_bounds, access());
  if (reinterpret_cast<std::uintptr_t>(p) & (size - 1)) fail(error_kind::misaligned, access());
  if (instrumented()) {
    check_access(p, size, write, false, false, site_of(file, line));
    maybe_preempt(current_machine->rules.preempt_plain);
  } else if (!device_memory::is_addressable(p, size)) {
    fail(error_kind::out_of_bounds, access());
  }
}

}  // namespace

void wide_load(void* value, const void* p, unsigned size, const char* file, int line) {
  const inside_emulator guard;
  check_wide(p, size, false, file, line);
  std::memcpy(value, p, size);
}
void wide_store(void* p, const void* value, unsigned size, const char* file, int line) {
  const inside_emulator guard;
  check_wide(p, size, true, file, line);
  std::memcpy(p, value, size);
}

void start_copy(void* shared, const void* global, unsigned size, const char* file, int line) {
  const inside_emulator guard;
  check_wide(global, size, false, file, line);
  thread_state& me = *self;
  auto* const to = static_cast<char*>(shared);
  const char* const begin = me.block->shared;
  auto access = [&] {
    return text("asynchronous copy of %u bytes to ", size) + what_at(to) + " by " + who(me) + ", at " +
           where(file, line);
  };
  if (to < begin || to + size > begin + current_machine->grid.shared_bytes) fail(error_kind::out_of_bounds, access());
  if (reinterpret_cast<std::uintptr_t>(to) & (size - 1)) fail(error_kind::misaligned, access());
  pending_copy copy{to, static_cast<const char*>(global), size, {}};
  std::memcpy(static_cast<void*>(&copy.value), global, size);
  if (instrumented()) {
    // It may write from here on, and has written only when it is awaited.
    check_access(to, size, true, false, false, site_of(file, line));
    device_memory::forget_written(to, size);
  }
  me.copies.push_back(copy);
}
void finish_copies(const char* file, int line) {
  const inside_emulator guard;
  thread_state& me = *self;
  me.file = file;
  me.line = line;
  for (const pending_copy& copy : me.copies) {
    // Barriers may order a write after the start and before the wait, where it still is in its way.
    const bool overwritten = instrumented() && device_memory::is_any_granule_written(copy.to, copy.size);
    if (overwritten || std::memcmp(copy.from, static_cast<const void*>(&copy.value), copy.size) != 0)
      fail(error_kind::data_race, text("asynchronous copy of %u bytes, awaited by ", copy.size) + who(me) + " at " +
                                      where(file, line) + ": somebody has written since it was started to " +
                                      what_at(overwritten ? copy.to : copy.from));
  }
  for (const pending_copy& copy : me.copies) {
    check_wide(copy.from, copy.size, false, file, line);
    if (instrumented()) check_access(copy.to, copy.size, true, false, false, site_of(file, line));
    std::memcpy(copy.to, copy.from, copy.size);
  }
  me.copies.clear();
}

}  // namespace ballot::emulator
