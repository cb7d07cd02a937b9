// SPDX-License-Identifier: Apache-2.0
// The host's side: launching, and the few stream operations that the library and its tests need.
//
// An emulated stream is in order because every call has completed when it returns. launch throws
// emulator::error for an error of the grid.
#pragma once

#include <ballot/core/namespace.hpp>
#include <source_location>
#include <tuple>
#include <utility>

#include <ballot/core/error.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/simt/host/machine.hpp>

namespace ballot::simt {

using ::dim3;
using ballot::stream_t;

/// Throws cuda_error if `result`, which `call` returned, is not 0.
inline void check(int result, const char* call,
                  const std::source_location& location = std::source_location::current()) {
  if (result != 0) throw cuda_error(result, call, "failed", location);
}

struct launch_config {
  dim3 grid{1};
  dim3 block{warp_size};
  std::size_t shared_bytes = 0;
  stream_t stream = nullptr;
  bool overlaps_previous_launch = false;  // launches are over when they return
  bool is_cluster = false;                // all blocks are one cluster
};

/// Launches `kernel` with `args`, converted to its parameters' types.
template <class... P, class... A>
void launch(void (*kernel)(P...), const launch_config& config, A&&... args) {
  static_assert(sizeof...(P) == sizeof...(A), "launch: as many arguments as the kernel has parameters");
  struct context_t {
    void (*kernel)(P...);
    std::tuple<P...> args;
  } context{kernel, std::tuple<P...>(static_cast<P>(std::forward<A>(args))...)};
  // every thread gets its own copy of the arguments, as on the device
  auto run_thread = [](void* p) {
    auto& c = *static_cast<context_t*>(p);
    std::apply([&](const P&... a) { c.kernel(a...); }, c.args);
  };
  emulator::run_grid(
      {config.grid, config.block, config.shared_bytes, run_thread, &context, sizeof(context), config.is_cluster});
}

/// The most shared memory that a block of the current device may have, in bytes.
inline std::size_t shared_bytes_limit() { return emulator::shared_bytes_limit(); }

/// The architecture that the policy asks for: 900 for sm_90.
inline int device_architecture() { return emulator::device_architecture(); }

/// How many multiprocessors the policy asks for.
inline unsigned multiprocessors() { return emulator::multiprocessors(); }

/// How many blocks of `kernel`, launched so, can be one cluster on the current device; 1 before
/// sm_90.
template <class... P>
unsigned largest_cluster(void (*)(P...), const launch_config&) {
  return emulator::device_architecture() >= 900 ? most_cluster_blocks : 1;
}

/// As on a GPU of many multiprocessors, whatever the policy: code that relies on it must see blocks
/// that wait for others to start.
template <class... P>
unsigned resident_blocks(void (*)(P...), const launch_config&) {
  return 1024;
}

/// Sets n bytes of device memory to `byte`.
inline void fill_bytes(stream_t, void* p, int byte, std::size_t n) { emulator::device_fill(p, byte, n); }
/// Copies n bytes, in any direction.
inline void copy_bytes(stream_t, void* dst, const void* src, std::size_t n) { emulator::device_copy(dst, src, n); }
/// n bytes of device memory, aligned to 256; null for none.
inline void* allocate(stream_t, std::size_t n) { return n == 0 ? nullptr : emulator::device_allocate(n); }
/// Frees memory from allocate.
inline void release(stream_t, void* p) { emulator::device_release(p); }
/// The same, but throws nothing: a mistake is reported by the next call.
inline void release_from_destructor(stream_t, void* p) noexcept { emulator::device_release_from_destructor(p); }
/// Waits until all work on the stream is complete: it always is.
inline void synchronize(stream_t) { emulator::device_wait(); }

}  // namespace ballot::simt
