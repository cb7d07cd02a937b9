// SPDX-License-Identifier: Apache-2.0
// Checks on accesses to device memory: bounds and initialisation byte by byte, races by
// happens-before, alignment.
//
// Each granule has four shadow cells, for its last accesses. A new access is compared with them. It
// is a race, whatever the schedule, if all of this holds:
//
// - They access the same bytes, and at least one of them writes.
// - Not both are atomic (or one atomic is of block scope, from another block).
// - There is no happens-before between them.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "checks.hpp"
#include "device_memory.hpp"
#include "state.hpp"
#include "text.hpp"

namespace ballot::emulator {

namespace {

std::string words_for(bool write, bool atomic, bool block_scope) {
  return std::string(block_scope ? "block-scope " : "") + (atomic ? "atomic " : "") + (write ? "write" : "read");
}

bool conflict(const shadow_cell& c, unsigned bytes, bool write, bool atomic, bool block_scope) {
  if (!(c.bytes & bytes) || !(write || c.write)) return false;
  if (!(atomic && c.atomic)) return true;
  return (block_scope || c.block_scope) && c.thread / current_machine->block_threads != self->block->rank;
}

// Failures are in functions of their own, so that accesses that pass prepare nothing for them.
[[noreturn, gnu::cold, gnu::noinline]] void fail_race(const shadow_cell& c, const char* p, bool write, bool atomic,
                                                      bool block_scope, std::uint32_t site) {
  const inside_emulator guard;
  const std::uint32_t n = current_machine->block_threads;
  fail(error_kind::data_race, what_at(p) + ": " + words_for(write, atomic, block_scope) + " by " + who(*self) + " at " +
                                  where(site) + " is not ordered after the " +
                                  words_for(c.write, c.atomic, c.block_scope) +
                                  text(" by block %u thread %u at ", c.thread / n, c.thread % n) + where(c.site));
}
[[noreturn, gnu::cold, gnu::noinline]] void fail_access(error_kind kind, const void* p, unsigned size, bool write,
                                                        std::uint32_t site) {
  const inside_emulator guard;
  fail(kind, text("%s of %u bytes at ", write ? "write" : "read", size) + what_at(p) + " by " + who(*self) + ", at " +
                 where(site));
}

void check_race(shadow_cell* cells, const char* p, unsigned bytes, bool write, bool atomic, bool block_scope,
                std::uint32_t site) {
  const thread_state& me = *self;
  int place = -1;
  for (int i = 0; i < shadow_cells_per_granule; i++) {
    const shadow_cell& c = cells[i];
    if (!c.valid) {
      if (place < 0) place = i;
      continue;
    }
    if (c.thread == me.grid_rank && c.bytes == bytes && c.write == write && c.atomic == atomic) {
      if (c.epoch == me.block->epoch && c.step == me.step && c.block_scope == block_scope) return;
      place = i;
      continue;
    }
    if (conflict(c, bytes, write, atomic, block_scope) && !happens_before_self(c.thread, stamp(c.epoch, c.step)))
      fail_race(c, p, write, atomic, block_scope, site);
  }
  // Replaces a cell that this access makes redundant, else a random one.
  for (int i = 0; i < shadow_cells_per_granule && place < 0; i++)
    if ((write || !cells[i].write) && happens_before_self(cells[i].thread, stamp(cells[i].epoch, cells[i].step)))
      place = i;
  if (place < 0) place = int(current_machine->chance.below(shadow_cells_per_granule));
  shadow_cell c{};
  c.thread = me.grid_rank;
  c.epoch = me.block->epoch;
  c.step = me.step & (step_limit - 1);
  c.bytes = bytes & 0xf;
  c.write = write;
  c.atomic = atomic;
  c.valid = 1;
  c.block_scope = block_scope;
  c.site = site;
  cells[place] = c;
}

}  // namespace

std::uint32_t site_of(const char* file, int line) {
  machine& m = *current_machine;
  machine::recent_site& recent =
      m.recent_sites[(reinterpret_cast<std::uintptr_t>(file) + unsigned(line)) % std::size(m.recent_sites)];
  if (recent.file == file && recent.line == line) return recent.number;
  const auto [it, fresh] = m.site_numbers.try_emplace({file, line}, std::uint32_t(m.sites.size()));
  if (fresh) m.sites.push_back({file, line});
  recent = {file, line, it->second | 0x80000000u};
  return recent.number;
}

void check_access(const void* p, unsigned size, bool write, bool atomic, bool block_scope, std::uint32_t site) {
  const machine& m = *current_machine;
  const auto* first = static_cast<const char*>(p);
  for (unsigned done = 0; done < size;) {
    const char* a = first + done;
    const unsigned offset = unsigned(reinterpret_cast<std::uintptr_t>(a) & 3), n = std::min(4 - offset, size - done);
    const unsigned bytes = (0xfu >> (4 - n)) << offset;
    std::uint8_t& state = device_memory::states[device_memory::granule(a)];
    if ((unsigned(state) >> 4 & bytes) != bytes) fail_access(error_kind::out_of_bounds, p, size, write, site);
    if (write) state = std::uint8_t(state | bytes);
    else if (m.rules.check_initialized && instrumented() && (state & bytes) != bytes)
      fail_access(error_kind::uninitialized_read, p, size, write, site);
    if (m.rules.clocks)
      check_race(device_memory::cells + device_memory::granule(a) * shadow_cells_per_granule, a, bytes, write, atomic,
                 block_scope, site);
    done += n;
  }
}

// ---- plain accesses, as the compiler's instrumentation reports them ----

bool plain_accesses_are_checked = false;

namespace {
bool asked_for_less = false;
thread_local std::string host_mistake;
thread_local error_kind host_mistake_kind;

[[gnu::cold, gnu::noinline]] void note_access_of_host(bool write, const void* return_address) {
  note_host_mistake(error_kind::out_of_bounds,
                    text("the host %s device memory by itself, at ", write ? "writes" : "reads") +
                        where(site_of_code(return_address)));
}
[[noreturn, gnu::cold, gnu::noinline]] void fail_plain_access(const void* p, unsigned size, std::uint32_t site) {
  const inside_emulator guard;
  if (current_machine->stats.plain > current_machine->rules.max_steps)
    fail(error_kind::watchdog, "too many plain accesses, the last one at " + where(site) + " by " + who(*self));
  fail(error_kind::misaligned,
       text("access of %u bytes at ", size) + what_at(p) + " by " + who(*self) + ", at " + where(site));
}
}  // namespace

void set_instrumented() { plain_accesses_are_checked = true; }
bool instrumented() { return plain_accesses_are_checked; }
void leave_plain_accesses_unchecked() {
  asked_for_less = plain_accesses_are_checked;
  plain_accesses_are_checked = false;
}
bool left_unchecked() { return asked_for_less; }

void plain_access_to_device(const void* p, unsigned size, bool write, unsigned alignment, const void* return_address) {
  if (!self) [[unlikely]]
    return note_access_of_host(write, return_address);
  machine& m = *current_machine;
  if (m.rules.clocks) __builtin_prefetch(device_memory::cells + device_memory::granule(p) * shadow_cells_per_granule);
  const std::uint32_t site = site_of_code(return_address);
  if (++m.stats.plain > m.rules.max_steps || (reinterpret_cast<std::uintptr_t>(p) & (alignment - 1)) != 0) [[unlikely]]
    fail_plain_access(p, size, site);
  check_access(p, size, write, false, false, site);
  maybe_preempt(m.rules.preempt_plain);
}

void* dynamic_shared(std::size_t bytes, const char* file, int line) {
  const inside_emulator guard;
  const std::size_t launched = current_machine->grid.shared_bytes;
  if (bytes > launched)
    fail(error_kind::bad_shared,
         text("shared_storage of %zu bytes at ", bytes) + where(file, line) + text(", launched with %zu", launched));
  return self->block->shared;
}

// ---- the host's side: its accesses between grids ----

void note_host_mistake(error_kind kind, const std::string& what) {
  if (!host_mistake.empty()) return;
  host_mistake_kind = kind;
  host_mistake = what;
}

thread_local host_calls counted_calls;

const host_calls& host_calls_so_far() { return counted_calls; }

void throw_pending_host_error() {
  if (host_mistake.empty()) return;
  throw error(host_mistake_kind, std::string(name(host_mistake_kind)) + ": " + std::exchange(host_mistake, {}));
}

namespace {

void check_range(const void* p, std::size_t n, const char* what) {
  if (device_memory::holds(p) && !device_memory::within_buffer(p, n))
    throw error(error_kind::out_of_bounds, std::string(name(error_kind::out_of_bounds)) + ": " +
                                               text("%s of %zu bytes at ", what, n) + device_memory::describe(p));
}

}  // namespace

void device_wait() {
  counted_calls.waits++;
  throw_pending_host_error();
}

void* device_allocate(std::size_t bytes) {
  throw_pending_host_error();
  counted_calls.allocations++;
  return device_memory::allocate(bytes, device_memory::purpose::buffer);
}

void device_release(void* p) {
  if (p) counted_calls.releases++;
  if (p && !device_memory::release(p))
    throw error(error_kind::out_of_bounds,
                std::string(name(error_kind::out_of_bounds)) + text(": release of %p, which is not allocated", p));
}
void device_release_from_destructor(void* p) noexcept {
  if (p) counted_calls.releases++;
  if (p && !device_memory::release(p))
    note_host_mistake(error_kind::out_of_bounds, text("release of %p, which is not allocated", p));
}

void device_fill(void* p, int byte, std::size_t n) {
  throw_pending_host_error();
  if (n == 0) return;
  check_range(p, n, "fill_bytes");
  if (!device_memory::holds(p))
    throw error(error_kind::out_of_bounds,
                std::string(name(error_kind::out_of_bounds)) + ": fill_bytes of host memory");
  counted_calls.fills++;
  std::memset(p, byte, n);
  device_memory::set_state(p, n, true, true);
}

void device_copy(void* dst, const void* src, std::size_t n) {
  throw_pending_host_error();
  if (n == 0) return;
  check_range(dst, n, "copy_bytes to");
  check_range(src, n, "copy_bytes from");
  const bool from_device = device_memory::holds(src), to_device = device_memory::holds(dst);
  const auto *to = static_cast<const char*>(dst), *from = static_cast<const char*>(src);
  if (from_device && to_device && to < from + n && from < to + n)  // in which order it copies is not said
    throw error(error_kind::data_race, std::string(name(error_kind::data_race)) + ": " +
                                           text("copy_bytes of %zu bytes to ", n) + device_memory::describe(dst) +
                                           " overlaps its source, " + device_memory::describe(src));
  const bool track = instrumented();  // else nobody saw the kernels' plain writes
  if (from_device && !to_device && track && current_policy().check_initialized && !device_memory::is_written(src, n))
    throw error(error_kind::uninitialized_read, std::string(name(error_kind::uninitialized_read)) + ": " +
                                                    text("copy_bytes of %zu bytes at ", n) +
                                                    device_memory::describe(src));
  (from_device && to_device ? counted_calls.copies : counted_calls.host_copies)++;
  std::memmove(dst, src, n);
  if (to_device && from_device && track) device_memory::copy_written(dst, src, n);
  else if (to_device) device_memory::set_state(dst, n, true, true);
}

}  // namespace ballot::emulator
