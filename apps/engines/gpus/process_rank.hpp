// SPDX-License-Identifier: Apache-2.0
// This process's GPU as one of several processes' ranks, as the command sees it.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/core/key_order.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

// All but the first and the last two calls are collective. They throw failure.
class gpu_process_rank {
 public:
  // The id that one process makes and sends to all others before they make their ranks.
  static std::vector<std::byte> make_id();
  // device: among those that this process sees; each process of a host has another one.
  gpu_process_rank(std::span<const std::byte> id, int rank, int ranks, int device);
  ~gpu_process_rank();
  gpu_process_rank(const gpu_process_rank&) = delete;
  gpu_process_rank& operator=(const gpu_process_rank&) = delete;

  // In place, ascending, by these bits, over all ranks, each of which keeps as many; K: u32 or u64.
  template <class K>
  void sort(std::span<K> keys, bit_range bits);
  template <class K>
  void sort_pairs(std::span<K> keys, std::span<std::uint64_t> values, bit_range bits);
  // Bytes from each rank to each, in the order of ranks: sizes by receiver, and by sender.
  void exchange(std::span<const std::byte> sent, std::span<const std::uint64_t> sizes, std::span<std::byte> received,
                std::span<const std::uint64_t> received_sizes);

  // Bytes on the GPU for so many items of this process; values: with them.
  template <class K>
  std::uint64_t device_bytes(std::uint64_t items, bool values) const;
  std::uint64_t free_bytes() const;
  std::string device_name() const;

 private:
  struct member;
  std::unique_ptr<member> member_;
};

}  // namespace ballot::app
