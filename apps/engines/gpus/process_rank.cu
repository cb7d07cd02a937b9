// SPDX-License-Identifier: Apache-2.0
#include "engines/gpus/process_rank_member.hpp"

#include <ballot/device/memory.cuh>

#include <algorithm>
#include <cstring>

namespace ballot::app {
namespace {

std::vector<distributed::message> messages_of(std::byte* at, std::span<const std::uint64_t> bytes_of_peers,
                                              std::uint64_t most) {
  std::vector<distributed::message> messages;
  for (std::size_t peer = 0; peer < bytes_of_peers.size(); ++peer)
    for (std::uint64_t left = bytes_of_peers[peer]; left > 0;) {
      const std::uint64_t now = std::min(left, most);
      messages.push_back({static_cast<int>(peer), at, now});
      at += now, left -= now;
    }
  return messages;
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
    begin_to_make(member_->nccl, shared, rank, ranks);
    wait_until_made(member_->nccl);
    member_->stream.emplace();
    member_->comm = std::make_unique<distributed::nccl_communicator>(member_->nccl, patience);
  });
}
gpu_process_rank::~gpu_process_rank() = default;

void gpu_process_rank::exchange(std::span<const std::byte> sent, std::span<const std::uint64_t> sizes,
                                std::span<std::byte> received, std::span<const std::uint64_t> received_sizes) {
  member_->collectively([&] {
    distributed::nccl_communicator& comm = *member_->comm;
    const cudaStream_t stream = *member_->stream;
    device_buffer out, in;
    reporting_cuda_errors("GPUs: the items of a process that are exchanged", member_->device, [&] {
      out = device_buffer(sent.size(), stream);
      in = device_buffer(received.size(), stream);
      simt::check(cudaMemcpyAsync(out.data(), sent.data(), sent.size(), cudaMemcpyHostToDevice, stream),
                  "cudaMemcpyAsync");
      simt::synchronize(stream);
    });
    comm.start_exchange(stream, messages_of(out.data(), sizes, comm.most_message_bytes()),
                        messages_of(in.data(), received_sizes, comm.most_message_bytes()));
    comm.finish_exchange(stream);
    comm.wait_for(stream, patience_for(sent.size() + received.size()));
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
