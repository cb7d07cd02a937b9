// SPDX-License-Identifier: Apache-2.0
// Sorts by a GPU of each process; what they exchange goes by NCCL.
#include "processes/part_sorter.hpp"

#include "engines/engine.hpp"
#include "engines/gpus/process_rank.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <numeric>
#include <optional>

namespace ballot::app {
namespace {

constexpr auto without_gpus = "--engine cpu sorts by the processors";

class gpu_part_sorter final : public part_sorter {
 public:
  explicit gpu_part_sorter(const process_group& group) : group_(group) {
    std::vector<std::byte> id;
    int device = 0;
    // Before NCCL begins, where the others would wait for a process whose GPU cannot be used.
    group.together([&] {
      const process_gpu gpu = find_gpu_of_process(group);
      if (!gpu.problem.empty()) throw failure(fmt::format("GPUs: {}: {}", gpu.problem, without_gpus));
      device = gpu.device;
      if (group.rank() == 0) id = gpu_process_rank::make_id();
    });
    std::uint64_t bytes = id.size();
    group.broadcast(std::as_writable_bytes(std::span(&bytes, 1)), 0);
    id.resize(bytes);
    group.broadcast(id, 0);
    group.together([&] { gpu_.emplace(id, group.rank(), group.size(), device); });
  }

  std::string name() const override { return "cuda"; }
  std::string device() const override { return gpu_->device_name(); }
  phase works_in() const override { return phase::kernel; }

  void sort(host_buffer& keys, std::size_t key_bytes, host_buffer* values, bit_range bits) override {
    if (key_bytes == 4) sort_words<std::uint32_t>(keys.as<std::uint32_t>(), values, bits);
    else sort_words<std::uint64_t>(keys.as<std::uint64_t>(), values, bits);
  }

  host_buffer exchange(std::span<const std::byte> sent, std::span<const std::uint64_t> sizes) override {
    const std::vector<std::uint64_t> received = sizes_received(group_, sizes);
    host_buffer all(std::accumulate(received.begin(), received.end(), std::uint64_t{0}));
    group_.together([&] { require_room(sent.size() + all.size()); });
    gpu_->exchange(sent, sizes, all.bytes(), received);
    return all;
  }

 private:
  void require_room(std::uint64_t bytes) const {
    if (const std::uint64_t free = gpu_->free_bytes(); bytes > free / 16 * 15)
      throw failure(fmt::format("GPUs: the part of process {} needs {} MiB, and {} are free: start more processes",
                                group_.rank(), bytes >> 20, free >> 20));
  }
  template <class K>
  void sort_words(std::span<K> keys, host_buffer* values, bit_range bits) {
    group_.together([&] { require_room(gpu_->device_bytes<K>(keys.size(), values != nullptr)); });
    if (values == nullptr) gpu_->sort<K>(keys, bits);
    else gpu_->sort_pairs<K>(keys, values->as<std::uint64_t>(), bits);
  }

  const process_group& group_;
  std::optional<gpu_process_rank> gpu_;
};

}  // namespace

process_gpu find_gpu_of_process(const process_group& group) {
  const cuda_status listed = list_cuda_devices();
  if (!listed.reason.empty()) return {0, listed.reason};
  // Launchers may show each process its own GPU alone.
  const bool is_shown_one = listed.devices.size() == 1 && std::getenv("CUDA_VISIBLE_DEVICES") != nullptr;
  const int device = is_shown_one ? 0 : group.local_rank();
  if (device >= static_cast<int>(listed.devices.size()))
    return {device, fmt::format("process {} of this host has none: it has {}", device, listed.devices.size())};
  return {device, probe_cuda(device).reason};
}

std::unique_ptr<part_sorter> make_gpu_part_sorter(const process_group& group) {
  return std::make_unique<gpu_part_sorter>(group);
}

}  // namespace ballot::app
