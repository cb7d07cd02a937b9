// SPDX-License-Identifier: Apache-2.0
// Memory of the other ranks of a host that this rank may write. A collective call at set-up finds
// its addresses here.
//
// Each rank describes its memory to the others. It sends the address to ranks of its process, and
// CUDA's IPC handle to others of the same host. The owner writes a number to the memory's
// beginning. For memory by an IPC handle, this number shows that it is the right memory. (For
// memory of one process it is not read: the copy would wait for all work of the other device, and
// so for this rank.)
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/simt/cuda/launch.cuh>

#include <fstream>
#include <random>
#include <span>
#include <vector>

namespace ballot::distributed::detail {

// Random for each process, or the same for all processes of a running host.
inline std::uint64_t random_number() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}
inline std::uint64_t number_of_process() {
  static const std::uint64_t number = random_number();
  return number;
}
inline std::uint64_t number_of_host() {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  for (char c; file.get(c);) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

class peer_memory {
 public:
  // The description of a rank's memory for the others.
  struct card {
    std::uint64_t host;
    std::uint64_t process;
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint64_t number;  // at the beginning of the memory
    std::int32_t device;
    std::int32_t has_handle;
    cudaIpcMemHandle_t handle;
    std::uint64_t meetings;  // the number of its counter, for ranks of the same process (meetings.hpp)
  };

  peer_memory() = default;
  peer_memory(const peer_memory&) = delete;
  peer_memory& operator=(const peer_memory&) = delete;
  ~peer_memory() { close(); }

  // Describes this rank's memory. The stream writes its number there.
  static card describe(std::span<std::byte> own, int device, cudaStream_t stream) {
    card c{number_of_host(),
           number_of_process(),
           reinterpret_cast<std::uintptr_t>(own.data()),
           own.size(),
           random_number(),
           device,
           0,
           {},
           0};
    c.has_handle = cudaIpcGetMemHandle(&c.handle, own.data()) == cudaSuccess;
    (void)cudaGetLastError();
    simt::check(cudaMemcpyAsync(own.data(), &c.number, sizeof c.number, cudaMemcpyHostToDevice, stream),
                "cudaMemcpyAsync");
    return c;
  }

  // Returns true if the memory of all ranks can be reached. If that is not so on another rank, it
  // has to be closed.
  bool open(const std::vector<card>& all, int rank) {
    const card& own = all[static_cast<std::size_t>(rank)];
    for (int r = 0; r < static_cast<int>(all.size()); ++r) {
      const card& other = all[static_cast<std::size_t>(r)];
      const bool is_own = r == rank || other.process == own.process;
      std::byte* const there = is_own ? reach(own, other) : map(own, other);
      std::uint64_t number = is_own ? other.number : 0;
      // layers-allow: synchronises, set-up
      if (!is_own && there != nullptr && cudaMemcpy(&number, there, sizeof number, cudaMemcpyDefault) != cudaSuccess)
        number = 0;
      (void)cudaGetLastError();
      if (there == nullptr || number != other.number) return false;
      begins_.push_back(there);
    }
    own_ = {begins_[static_cast<std::size_t>(rank)], own.bytes};
    return true;
  }
  void close() noexcept {
    for (void* p : mapped_) (void)cudaIpcCloseMemHandle(p);
    mapped_.clear();
    begins_.clear();
    own_ = {};
  }

  // Where an address of this rank lies in its memory; nowhere if it does not.
  std::uint64_t offset_of(const void* address) const {
    const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(own_.data());
    return offset < own_.size() ? offset : nowhere;
  }
  std::byte* at(int rank, std::uint64_t offset) const { return begins_[static_cast<std::size_t>(rank)] + offset; }

 private:
  static std::byte* reach(const card& own, const card& other) {
    int reaches = 1;
    if (own.device != other.device && cudaDeviceCanAccessPeer(&reaches, own.device, other.device) == cudaSuccess &&
        reaches != 0) {
      const cudaError_t enabled = cudaDeviceEnablePeerAccess(other.device, 0);
      if (enabled != cudaSuccess && enabled != cudaErrorPeerAccessAlreadyEnabled) reaches = 0;
      (void)cudaGetLastError();
    }
    return reaches != 0 ? reinterpret_cast<std::byte*>(other.address) : nullptr;
  }
  std::byte* map(const card& own, const card& other) {
    if (own.host != other.host || other.has_handle == 0) return nullptr;
    void* there = nullptr;
    if (cudaIpcOpenMemHandle(&there, other.handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) return nullptr;
    mapped_.push_back(there);
    return static_cast<std::byte*>(there);
  }

  std::span<std::byte> own_;
  std::vector<std::byte*> begins_;  // of each rank's memory, as seen from here
  std::vector<void*> mapped_;
};

}  // namespace ballot::distributed::detail
