// SPDX-License-Identifier: Apache-2.0
// Device memory: one reserved range of addresses for the buffers and for the blocks' shared memory.
// So one subtraction distinguishes a kernel's data from all other memory.
//
// Shadow memory: every 4 bytes (a granule) have a state byte, whose bits say which bytes are
// addressable and which have been written. Once clocks are on, they also have four shadow cells of
// the race detector (as in ThreadSanitizer). Buffers end at an unmapped page, so that far overruns
// fault in every build. The few bytes between a buffer's end and that page hold a pattern that is
// checked after each grid.
//
//     reserved | 8 pages, unmapped | ...rw... [buffer][pattern] | 8 pages, unmapped | next buffer ...
//
// Buffers are allocated from the beginning of the range, shared memory from its end.
#pragma once

#include <ballot/core/namespace.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ballot::emulator {

// An earlier access for the race detector: its thread, time, bytes of the granule, and source
// location.
struct shadow_cell {
  std::uint32_t thread, epoch;
  std::uint32_t step : 24, bytes : 4, write : 1, atomic : 1, valid : 1, block_scope : 1;
  std::uint32_t site;
};
static_assert(sizeof(shadow_cell) == 16);
inline constexpr int shadow_cells_per_granule = 4;

namespace device_memory {

inline constexpr std::size_t capacity = std::size_t(16) << 30;
inline constexpr std::size_t alignment = 256;  // as cudaMalloc's
// Addresses on each side of it that fault: an index that wraps at 2^32 reaches as far with items of
// 16 bytes.
inline constexpr std::size_t reach = std::size_t(64) << 30;

extern char* base;  // null until the first use
// Shared memory is from here on, buffers are before: in bytes from the base. Relaxed: what a grid
// uses was allocated by its own OS thread.
extern std::atomic<std::size_t> shared_begin;
extern std::uint8_t* states;  // one for each granule: low nibble written, high nibble addressable
extern shadow_cell* cells;    // null until clocks are on

void reserve();
void reserve_shadow();

inline bool holds(const void* p) {
  return base != nullptr && std::size_t(static_cast<const char*>(p) - base) < capacity;
}
/// Whether p is in a block's shared memory.
inline bool is_shared(const void* p) {
  return holds(p) && std::size_t(static_cast<const char*>(p) - base) >= shared_begin.load(std::memory_order_relaxed);
}
/// Whether p is beside it, where an access faults.
inline bool is_beside(const void* p) {
  return base != nullptr && std::size_t(static_cast<const char*>(p) - (base - reach)) < capacity + 2 * reach &&
         !holds(p);
}
inline std::size_t granule(const void* p) { return std::size_t(static_cast<const char*>(p) - base) >> 2; }

enum class purpose { buffer, shared_memory };
void* allocate(std::size_t bytes, purpose what);
/// False if p is no allocation.
bool release(void* p);

void set_state(const void* p, std::size_t bytes, bool addressable, bool written);
/// Whether all bytes are addressable, or have been written.
bool is_addressable(const void* p, std::size_t bytes);
bool is_written(const void* p, std::size_t bytes);
/// The same for any byte of whole granules; and makes them unwritten.
bool is_any_granule_written(const void* p, std::size_t bytes);
void forget_written(const void* p, std::size_t bytes);
/// Copies the written bits of a range of device memory to another.
void copy_written(const void* to, const void* from, std::size_t bytes);
/// Whether [p, p + bytes) lies within one buffer.
bool within_buffer(const void* p, std::size_t bytes);
/// Forgets the accesses to a range, or to all buffers.
void clear_shadow(const void* p, std::size_t bytes);
void clear_all_shadow();
/// "byte 12 of a 100 byte buffer", or another description of p.
std::string describe(const void* p);
/// Describes damage to the pattern after a buffer's end, and repairs it; empty if there is none.
std::string damaged_pattern();

}  // namespace device_memory
}  // namespace ballot::emulator
