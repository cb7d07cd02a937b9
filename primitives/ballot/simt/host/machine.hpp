// SPDX-License-Identifier: Apache-2.0
// The entry points of the emulator, to which the host backend's vocabulary reduces.
//
// Values are passed as `word`, 16 bytes wide, so that one entry point serves every type. Each call
// carries the file and line of the kernel's own source, by default arguments (BALLOT_SIMT_AT). So
// reports name it, and the kernel needs no macro. Where threads meet, the function's name comes with
// them (BALLOT_SIMT_MEETING_AT): instances of one template share their lines, and are not one place.
#pragma once

#include <ballot/core/namespace.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include <ballot/simt/common.hpp>
#include <ballot/simt/host/specifiers.hpp>

#define BALLOT_SIMT_AT const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define BALLOT_SIMT_MEETING_AT BALLOT_SIMT_AT, const char* function = std::source_location::current().function_name()

namespace ballot::emulator {

struct word {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(const word&, const word&) = default;
};

template <class T>
inline word pack(const T& v) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(word),
                "trivially copyable values of up to 16 bytes");
  word w;
  std::memcpy(static_cast<void*>(&w), &v, sizeof(T));
  return w;
}
template <class T>
inline T unpack(const word& w) {
  struct {
    unsigned char byte[sizeof(T)];
  } bytes;
  std::memcpy(&bytes, &w, sizeof(T));
  return std::bit_cast<T>(bytes);  // T may have no default constructor
}

enum class warp_op : unsigned char {
  sync,
  ballot,
  any,
  all,
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  match_any,
  match_all,
  add,
  min_u,
  max_u,
  min_s,
  max_s,
  and_,
  or_,
  xor_
};
enum class block_op : unsigned char { sync, count, all, any };
enum class atomic_op : unsigned char {
  load,
  store,
  add,
  min_u,
  max_u,
  min_s,
  max_s,
  and_,
  or_,
  xor_,
  exchange,
  cas,
  add_float,
  add_double
};

// ---- called by a thread of a grid ----
unsigned lane();
unsigned active_mask();
word warp_collective(warp_op op, unsigned mask, const word& value, unsigned argument, const char* file, int line,
                     const char* function);
int block_barrier(block_op op, bool p, const char* file, int line, const char* function);
void named_barrier(unsigned id, unsigned threads, bool wait, const char* file, int line);
void cluster_arrive(bool releases, const char* file, int line);
void cluster_wait(const char* file, int line);
void* shared_of_block(void* mine, std::size_t bytes, unsigned block, const char* file, int line);
word atomic_access(atomic_op op, void* p, unsigned size, const word& value, const word& compare, simt::order o,
                   simt::scope s, const char* file, int line);
void fence(simt::scope s, const char* file, int line);
void spin(const char* file, int line);
void wide_load(void* value, const void* p, unsigned size, const char* file, int line);
void wide_store(void* p, const void* value, unsigned size, const char* file, int line);
void start_copy(void* shared, const void* global, unsigned size, const char* file, int line);
void finish_copies(const char* file, int line);
void* dynamic_shared(std::size_t bytes, const char* file, int line);
[[noreturn]] void trap(const char* file, int line);

// ---- called by the host ----
inline constexpr std::size_t shared_limit = 232448;  // 227 KiB of shared memory a block, as on sm_90
std::size_t shared_bytes_limit();                    // ... or less, by the policy
int device_architecture();                           // by the policy
unsigned multiprocessors();                          // by the policy
struct grid_description {
  dim3 grid, block;
  std::size_t shared_bytes;
  void (*run_thread)(void* context);
  void* context;              // with the parameters, which threads read
  std::size_t context_bytes;  // of it
  bool is_cluster = false;    // all blocks at once, which meet and reach each other's shared memory
};
void run_grid(const grid_description& g);
void* device_allocate(std::size_t bytes);
void device_release(void* p);
void device_release_from_destructor(void* p) noexcept;  // a mistake is reported by the next call
void device_fill(void* p, int byte, std::size_t bytes);
void device_copy(void* dst, const void* src, std::size_t bytes);
void device_wait();
void throw_pending_host_error();  // throws a mistake of the host that could not be reported when it was made

}  // namespace ballot::emulator
