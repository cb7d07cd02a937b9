// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "text.hpp"

namespace ballot::emulator::device_memory {

char* base;
std::uint8_t* states;
shadow_cell* cells;
std::atomic<std::size_t> shared_begin{capacity};

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t(2) << 20;
constexpr std::size_t guard = 8 * page;  // on each side
constexpr unsigned char pattern = 0xcb;

struct allocation {
  std::size_t bytes;
  purpose what;
  char* start;       // of its span: guard, mapped pages, guard
  std::size_t room;  // what could be mapped in the span
};

std::mutex mutex;
std::size_t used = 0;
std::map<char*, allocation> live;
std::multimap<std::size_t, char*> freed[2];  // of each purpose: room -> start of the span

std::size_t rounded(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }
std::size_t with_pattern(std::size_t bytes) { return rounded(std::max<std::size_t>(bytes, 1), alignment); }

void* map(std::size_t bytes, int protection) {
  void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return p;
}

void clear_cells_of(const void* p, std::size_t bytes) {
  if (bytes == 0) return;
  char* a = reinterpret_cast<char*>(cells + granule(p) * shadow_cells_per_granule);
  char* b = reinterpret_cast<char*>(cells +
                                    (granule(static_cast<const char*>(p) + bytes - 1) + 1) * shadow_cells_per_granule);
  if (b - a < std::ptrdiff_t(2 * huge_page)) {
    std::memset(a, 0, std::size_t(b - a));
    return;
  }
  // Large ranges go back to the system, which zeroes them when they are touched again.
  char* first_page = reinterpret_cast<char*>(rounded(reinterpret_cast<std::uintptr_t>(a), huge_page));
  char* last_page = reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(b) & ~(huge_page - 1));
  std::memset(a, 0, std::size_t(first_page - a));
  std::memset(last_page, 0, std::size_t(b - last_page));
  madvise(first_page, std::size_t(last_page - first_page), MADV_DONTNEED);
}

}  // namespace

void reserve() {
  const std::lock_guard lock(mutex);
  if (base) return;
  states = static_cast<std::uint8_t*>(map(capacity / 4, PROT_READ | PROT_WRITE));
  base = static_cast<char*>(map(capacity + 2 * reach, PROT_NONE)) + reach;
}
void reserve_shadow() {
  const std::lock_guard lock(mutex);
  if (cells) return;
  constexpr std::size_t bytes = capacity / 4 * shadow_cells_per_granule * sizeof(shadow_cell);
  cells = static_cast<shadow_cell*>(map(bytes, PROT_READ | PROT_WRITE));
  // Sixteen times as large as the data, and touched with each access: most of them would miss the
  // TLB otherwise.
  madvise(cells, bytes, MADV_HUGEPAGE);
}

void* allocate(std::size_t bytes, purpose what) {
  reserve();
  const std::lock_guard lock(mutex);
  if (bytes > capacity) throw std::bad_alloc();
  const std::size_t body = with_pattern(bytes), mapped = rounded(body, page);
  std::size_t room = mapped;
  char* start;
  auto& spans = freed[int(what)];
  const std::size_t end = shared_begin.load(std::memory_order_relaxed), span = mapped + 2 * guard;
  const bool full = span > end - used;
  if (const auto it = spans.lower_bound(mapped); it != spans.end() && (full || it->first <= 4 * mapped)) {
    room = it->first;
    start = it->second;
    spans.erase(it);
  } else {
    if (full) throw std::bad_alloc();
    start = base + (what == purpose::buffer ? used : end - span);
    if (what == purpose::buffer) used += span;
    else shared_begin.store(end - span, std::memory_order_relaxed);
  }
  // Each buffer is a mapping of its own, of which the system allows some 65,000 (vm.max_map_count).
  if (mprotect(start + guard, mapped, PROT_READ | PROT_WRITE) != 0) {
    spans.emplace(room, start);
    throw std::bad_alloc();
  }
  char* p = start + guard + (mapped - body);
  std::memset(p, pattern, body);
  set_state(p, body, false, false);
  set_state(p, bytes, true, false);
  if (cells) clear_cells_of(p, body);
  live[p] = {bytes, what, start, room};
  return p;
}

bool release(void* v) {
  const std::lock_guard lock(mutex);
  char* p = static_cast<char*>(v);
  const auto it = live.find(p);
  if (it == live.end()) return false;
  const std::size_t body = with_pattern(it->second.bytes), mapped = rounded(body, page);
  set_state(p, body, false, false);
  madvise(it->second.start + guard, mapped, MADV_DONTNEED);
  mprotect(it->second.start + guard, mapped, PROT_NONE);
  freed[int(it->second.what)].emplace(it->second.room, it->second.start);
  live.erase(it);
  return true;
}

void set_state(const void* p, std::size_t n, bool addressable, bool written) {
  const auto* c = static_cast<const char*>(p);
  const auto value = std::uint8_t((addressable ? 0xf0 : 0) | (written ? 0x0f : 0));
  auto offset = [&] { return unsigned(c - base) & 3; };
  auto set_byte = [&] {
    const auto bits = std::uint8_t(0x11u << offset());
    std::uint8_t& state = states[granule(c)];
    state = std::uint8_t((state & ~bits) | (value & bits));
    c++, n--;
  };
  while (n != 0 && offset() != 0) set_byte();
  std::memset(states + granule(c), value, n / 4);
  c += n / 4 * 4;
  n %= 4;
  while (n != 0) set_byte();
}

namespace {

// Whether the bits of all bytes are set in their states: `shift` 0 for written, 4 for addressable.
bool all_set(const char* p, std::size_t n, unsigned shift) {
  for (std::size_t i = 0; i < n;) {
    const unsigned offset = unsigned(p + i - base) & 3, state = unsigned(states[granule(p + i)]) >> shift;
    if (offset == 0 && n - i >= 4) {
      if ((state & 0xf) != 0xf) return false;
      i += 4;
    } else {
      if (!(state >> offset & 1)) return false;
      i++;
    }
  }
  return true;
}

}  // namespace

bool is_addressable(const void* p, std::size_t n) { return all_set(static_cast<const char*>(p), n, 4); }
bool is_written(const void* p, std::size_t n) { return all_set(static_cast<const char*>(p), n, 0); }
bool is_any_granule_written(const void* p, std::size_t n) {
  unsigned state = 0;
  for (std::size_t i = 0; i < n / 4; i++) state |= states[granule(p) + i];
  return (state & 0xf) != 0;
}
void forget_written(const void* p, std::size_t n) {
  for (std::size_t i = 0; i < n / 4; i++) states[granule(p) + i] &= 0xf0;
}

void copy_written(const void* to, const void* from, std::size_t n) {
  const auto *d = static_cast<const char*>(to), *s = static_cast<const char*>(from);
  for (std::size_t i = 0; i < n; i++) set_state(d + i, 1, true, all_set(s + i, 1, 0));
}

bool within_buffer(const void* p, std::size_t n) {
  const std::lock_guard lock(mutex);
  auto* c = static_cast<char*>(const_cast<void*>(p));
  auto it = live.upper_bound(c);
  if (it == live.begin()) return false;
  --it;
  const std::size_t at = std::size_t(c - it->first);
  return it->second.what == purpose::buffer && at <= it->second.bytes && n <= it->second.bytes - at;
}

void clear_shadow(const void* p, std::size_t n) {
  if (cells) clear_cells_of(p, n);
}
void clear_all_shadow() {
  const std::lock_guard lock(mutex);
  if (!cells) return;
  for (const auto& [p, a] : live)
    if (a.what == purpose::buffer) clear_cells_of(p, a.bytes);
}

std::string describe(const void* p) {
  const std::lock_guard lock(mutex);
  auto it = live.upper_bound(static_cast<char*>(const_cast<void*>(p)));
  if (it == live.begin()) return text("%p, which is no device memory", p);
  --it;
  const std::size_t at = std::size_t(static_cast<const char*>(p) - it->first);
  if (it->second.what == purpose::buffer && at < it->second.bytes + guard)
    return text("byte %zu of a %zu byte buffer", at, it->second.bytes);
  return text("%p, in no buffer", p);
}

std::string damaged_pattern() {
  const std::lock_guard lock(mutex);
  std::string report;
  for (const auto& [p, a] : live) {
    if (a.what != purpose::buffer) continue;
    for (std::size_t i = a.bytes; i < with_pattern(a.bytes); i++) {
      if (static_cast<unsigned char>(p[i]) == pattern) continue;
      if (report.empty()) report = text("byte %zu was written past the end of a %zu byte buffer", i, a.bytes);
      p[i] = char(pattern);
    }
  }
  return report;
}

}  // namespace ballot::emulator::device_memory
