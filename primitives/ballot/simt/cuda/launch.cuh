// SPDX-License-Identifier: Apache-2.0
// The host's side: launching, and the few stream operations that the library and its tests need.
//
// Everything here is asynchronous and may be captured, except synchronize; nothing allocates except
// allocate.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <utility>

#include <cuda_runtime.h>

#include <ballot/core/error.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/simt/common.hpp>

namespace ballot::simt {

using ::dim3;
using ballot::stream_t;

namespace detail {
// A function of its own, because `check` is inlined wherever the runtime is called. The error is
// cleared in the runtime, because the exception reports it: the next launch must not report it
// again.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(cudaError_t result, const char* call,
                                                        const std::source_location& location) {
  (void)cudaGetLastError();
  throw cuda_error(int(result), call, cudaGetErrorString(result), location);
}
}  // namespace detail

/// Throws cuda_error if `result`, which `call` returned, is not success.
inline void check(cudaError_t result, const char* call,
                  const std::source_location& location = std::source_location::current()) {
  if (result != cudaSuccess) detail::fail(result, call, location);
}

struct launch_config {
  dim3 grid{1};
  dim3 block{warp_size};
  std::size_t shared_bytes = 0;
  stream_t stream = nullptr;
  /// Programmatic stream serialization: the launch may begin before the previous launch in the
  /// stream has ended. It begins once all blocks of the previous launch have called
  /// let_next_launch_begin() or exited. Every thread that reads what the previous launch writes must
  /// call wait_for_previous_launch; and so must at least one thread of the launch, since it must not
  /// end before the previous one. On a GPU before sm_90, or with a kernel's code for one, the launch
  /// begins as usual.
  bool overlaps_previous_launch = false;
  /// All blocks are one cluster, which has at most largest_cluster of them (simt/cuda/cluster.cuh).
  bool is_cluster = false;
};

namespace detail {
// A cache of facts about a kernel on a device. Querying the runtime takes a good part of the time
// of a launch, and the answers do not change while the device keeps its context. So each host
// thread caches them for the kernels that it launched last. The address of the kernel decides the
// slot.
struct known_kernel {
  const void* kernel = nullptr;
  int device = 0;
  bool is_for_sm_90 = false;  // its code for this device: wait_for_previous_launch and clusters are implemented
  bool allows_large_clusters = false;
  bool allows_shared_bytes = false;  // as many as the device has
  unsigned largest_cluster = 0;      // 0: not asked yet
};
inline known_kernel& known(const void* kernel) {
  constexpr unsigned entries = 128;
  thread_local known_kernel table[entries];
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const auto hash = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(kernel) >> 4) * 2654435761u;
  known_kernel& k = table[(hash >> 16) % entries];
  if (k.kernel != kernel || k.device != device) {
    cudaFuncAttributes of{};
    check(cudaFuncGetAttributes(&of, kernel), "cudaFuncGetAttributes");
    k = {kernel, device, of.ptxVersion >= 90};
  }
  return k;
}

// Above a limit, a kernel must opt in to its shared memory. All threads share what they set, so
// each sets the most that the device has: a smaller limit could come between another thread's
// setting and its launch.
inline void allow_shared_bytes(const void* kernel, std::size_t bytes) {
  constexpr std::size_t default_limit = 48 * 1024;
  if (bytes <= default_limit) return;
  known_kernel& k = known(kernel);
  if (k.allows_shared_bytes) return;
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, k.device), "cudaDeviceGetAttribute");
  cudaFuncAttributes of{};
  check(cudaFuncGetAttributes(&of, kernel), "cudaFuncGetAttributes");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most - int(of.sharedSizeBytes)),
        "cudaFuncSetAttribute");
  k.allows_shared_bytes = true;
}

// Clusters of more than 8 blocks must be allowed for each kernel. The launch requests this, too: a
// kernel that is a template instance has another address in each file that launches it (nvcc 13),
// and largest_cluster may have been called in another file.
inline void allow_large_clusters(known_kernel& k) {
  if (k.allows_large_clusters) return;
  check(cudaFuncSetAttribute(k.kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cudaFuncSetAttribute");
  k.allows_large_clusters = true;
}

// The part of a launch that does not depend on the kernel's type: noinline, so that it is compiled
// once. parameters: addresses of its arguments.
[[gnu::noinline]] inline void launch_with(const void* kernel, const launch_config& config, void** parameters) {
  allow_shared_bytes(kernel, config.shared_bytes);
  cudaLaunchConfig_t c{};
  c.gridDim = config.grid;
  c.blockDim = config.block;
  c.dynamicSmemBytes = config.shared_bytes;
  c.stream = config.stream;
  cudaLaunchAttribute attributes[2] = {};
  c.attrs = attributes;
  if (config.overlaps_previous_launch && known(kernel).is_for_sm_90) {
    cudaLaunchAttribute& overlaps = attributes[c.numAttrs++];
    overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlaps.val.programmaticStreamSerializationAllowed = 1;
  }
  if (config.is_cluster) {
    allow_large_clusters(known(kernel));
    cudaLaunchAttribute& cluster = attributes[c.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = config.grid.x;
    cluster.val.clusterDim.y = config.grid.y;
    cluster.val.clusterDim.z = config.grid.z;
  }
  check(cudaLaunchKernelExC(&c, kernel, parameters), "cudaLaunchKernelExC");
}

[[gnu::noinline]] inline unsigned largest_cluster_of(const void* kernel, const launch_config& config) {
  known_kernel& k = known(kernel);
  if (!k.is_for_sm_90) return 1;
  if (k.largest_cluster == 0) {
    allow_shared_bytes(kernel, config.shared_bytes);
    allow_large_clusters(k);
    cudaLaunchConfig_t c{};
    c.gridDim = dim3(most_cluster_blocks);
    c.blockDim = config.block;
    c.dynamicSmemBytes = config.shared_bytes;
    c.stream = config.stream;
    int blocks = 0;
    check(cudaOccupancyMaxPotentialClusterSize(&blocks, kernel, &c), "cudaOccupancyMaxPotentialClusterSize");
    k.largest_cluster = static_cast<unsigned>(blocks < 1 ? 1 : blocks);
  }
  return k.largest_cluster;
}
}  // namespace detail

/// Launches `kernel` with `args`, converted to its parameters' types.
template <class... P, class... A>
void launch(void (*kernel)(P...), const launch_config& config, A&&... args) {
  static_assert(sizeof...(P) == sizeof...(A), "launch: as many arguments as the kernel has parameters");
  [&](P... parameter) {
    void* parameters[] = {&parameter..., nullptr};
    detail::launch_with(reinterpret_cast<const void*>(kernel), config, parameters);
  }(std::forward<A>(args)...);
}

/// How many blocks of `kernel`, launched with this configuration, can be one cluster on the current
/// device; 1 before sm_90. The runtime is queried once for each kernel, so its block and shared
/// memory must always be the same. Nothing waits.
template <class... P>
unsigned largest_cluster(void (*kernel)(P...), const launch_config& config) {
  return detail::largest_cluster_of(reinterpret_cast<const void*>(kernel), config);
}

/// The most shared memory that a block of the current device may have, in bytes. Asks the runtime;
/// nothing waits.
inline std::size_t shared_bytes_limit() {
  int device = 0, bytes = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

/// The architecture of the current device: 900 for sm_90. Asks the runtime; nothing waits.
inline int device_architecture() {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  return 100 * major + 10 * minor;
}

/// How many multiprocessors the current device has. Asks the runtime; nothing waits.
inline unsigned multiprocessors() {
  int device = 0, processors = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  return static_cast<unsigned>(processors);
}

namespace detail {
[[gnu::noinline]] inline unsigned resident_blocks_of(const void* kernel, const launch_config& config) {
  allow_shared_bytes(kernel, config.shared_bytes);
  int of_each = 0;
  const auto threads = static_cast<int>(config.block.x * config.block.y * config.block.z);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel, threads, config.shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return multiprocessors() * static_cast<unsigned>(of_each);
}
}  // namespace detail

/// How many blocks of `kernel`, launched so, the current device holds at once if nothing else runs.
/// Asks the runtime; nothing waits.
template <class... P>
unsigned resident_blocks(void (*kernel)(P...), const launch_config& config) {
  return detail::resident_blocks_of(reinterpret_cast<const void*>(kernel), config);
}

/// Sets n bytes of device memory to `byte`.
inline void fill_bytes(stream_t stream, void* p, int byte, std::size_t n) {
  if (n != 0) check(cudaMemsetAsync(p, byte, n, stream), "cudaMemsetAsync");
}
/// Copies n bytes, in any direction. Host memory must stay valid until the stream has made the
/// copy.
inline void copy_bytes(stream_t stream, void* dst, const void* src, std::size_t n) {
  if (n != 0) check(cudaMemcpyAsync(dst, src, n, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}
/// n bytes of device memory, in stream order, aligned to 256; null for none.
inline void* allocate(stream_t stream, std::size_t n) {
  void* p = nullptr;
  if (n != 0) check(cudaMallocAsync(&p, n, stream), "cudaMallocAsync");
  return p;
}
/// Frees memory from allocate, in stream order.
inline void release(stream_t stream, void* p) {
  if (p != nullptr) check(cudaFreeAsync(p, stream), "cudaFreeAsync");
}
/// The same, but it throws nothing. An error remains the runtime's last error (cudaGetLastError),
/// and the next call also returns an error of the context.
inline void release_from_destructor(stream_t stream, void* p) noexcept {
  if (p != nullptr) (void)cudaFreeAsync(p, stream);
}
/// Waits until all work on the stream is complete.
inline void synchronize(stream_t stream) { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

}  // namespace ballot::simt
