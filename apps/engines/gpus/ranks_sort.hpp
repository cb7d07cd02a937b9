// SPDX-License-Identifier: Apache-2.0
// Sorts of host arrays by several GPUs, as the engine sees them: a thread and a block of the array
// for each.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/core/key_order.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace ballot::app {

class thread_ranks;  // ranks.hpp

// Made once, as NCCL takes seconds to connect GPUs. If a GPU fails in a sort, all end, and the
// cause is thrown. There can be no further sort then.
class gpu_ranks {
 public:
  explicit gpu_ranks(int gpus);  // throws failure
  ~gpu_ranks();
  gpu_ranks(const gpu_ranks&) = delete;
  gpu_ranks& operator=(const gpu_ranks&) = delete;

  int size() const;
  // In place, ascending, by these bits; K: u32 or u64.
  template <class K>
  void sort(std::span<K> keys, bit_range bits);
  template <class K>
  void sort_pairs(std::span<K> keys, std::span<std::uint64_t> values, bit_range bits);
  // Bytes on each GPU for so many items in all; values: with them.
  template <class K>
  std::uint64_t device_bytes(std::uint64_t items, bool values) const;
  // That of the GPU that has the least.
  std::uint64_t free_bytes() const;

 private:
  std::unique_ptr<thread_ranks> ranks_;
};

}  // namespace ballot::app
