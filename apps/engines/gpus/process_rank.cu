// SPDX-License-Identifier: Apache-2.0
#include "engines/gpus/process_rank_member.hpp"

#include <ballot/device/memory.cuh>

#include <algorithm>
#include <cstring>

namespace ballot::app {
namespace {

constexpr std::chrono::seconds patience{120};  // a process that fails does not leave the others waiting for ever

void check_nccl(ncclResult_t result, const char* call) {
  if (result != ncclSuccess) throw failure(std::string("GPUs: ") + call + ": " + ncclGetErrorString(result));
}

}  // namespace

std::vector<std::byte> gpu_process_rank::make_id() {
  ncclUniqueId id;
  check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  std::vector<std::byte> bytes(sizeof id);
  std::memcpy(bytes.data(), &id, sizeof id);
  return bytes;
}

gpu_process_rank::gpu_process_rank(std::span<const std::byte> id, int rank, int ranks, int device)
    : member_(std::make_unique<member>()) {
  ncclUniqueId shared;
  if (id.size() != sizeof shared) throw failure("GPUs: the other processes have another NCCL");
  std::memcpy(&shared, id.data(), sizeof shared);
  reporting_cuda_errors("GPUs", member_->device, [&] {
    simt::check(cudaSetDevice(device), "cudaSetDevice");
    member_->device = device_name();
    check_nccl(ncclCommInitRank(&member_->nccl, ranks, shared, rank), "ncclCommInitRank");
    member_->stream.emplace();
    member_->comm.emplace(member_->nccl, patience);
  });
}
gpu_process_rank::~gpu_process_rank() = default;

void gpu_process_rank::exchange(std::span<const std::byte> sent, std::span<const std::uint64_t> sizes,
                                std::span<std::byte> received, std::span<const std::uint64_t> received_sizes) {
  reporting_cuda_errors("GPUs: the items of a process that are exchanged", member_->device, [&] {
    const cudaStream_t stream = *member_->stream;
    const device_buffer out(sent.size(), stream), in(received.size(), stream);
    simt::check(cudaMemcpyAsync(out.data(), sent.data(), sent.size(), cudaMemcpyHostToDevice, stream),
                "cudaMemcpyAsync");
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    const auto messages = [&](std::byte* at, std::span<const std::uint64_t> of, const auto& move) {
      for (int peer = 0; peer < static_cast<int>(of.size()); ++peer)
        for (std::uint64_t left = of[static_cast<std::size_t>(peer)]; left > 0;) {
          const std::uint64_t now = std::min(left, most);
          move(at, now, peer);
          at += now, left -= now;
        }
    };
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    messages(out.data(), sizes, [&](std::byte* at, std::uint64_t bytes, int peer) {
      check_nccl(ncclSend(at, bytes, ncclInt8, peer, member_->nccl, stream), "ncclSend");
    });
    messages(in.data(), received_sizes, [&](std::byte* at, std::uint64_t bytes, int peer) {
      check_nccl(ncclRecv(at, bytes, ncclInt8, peer, member_->nccl, stream), "ncclRecv");
    });
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
    simt::check(cudaMemcpyAsync(received.data(), in.data(), received.size(), cudaMemcpyDeviceToHost, stream),
                "cudaMemcpyAsync");
    simt::synchronize(stream);
  });
}

std::uint64_t gpu_process_rank::free_bytes() const { return memory_of("").free_bytes; }

std::string gpu_process_rank::device_name() const {
  int device = 0;
  cudaDeviceProp properties{};
  simt::check(cudaGetDevice(&device), "cudaGetDevice");
  simt::check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return properties.name;
}

}  // namespace ballot::app
