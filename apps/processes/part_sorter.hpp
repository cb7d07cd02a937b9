// SPDX-License-Identifier: Apache-2.0
// Sorts items that lie in parts with several processes: by their GPUs (ballot::distributed), or by
// their processors.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "base/phase_clock.hpp"
#include "processes/process_group.hpp"

#include <ballot/core/key_order.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

// All calls are collective.
class part_sorter {
 public:
  virtual ~part_sorter() = default;
  virtual std::string name() const = 0;    // of the engine, as reports have it
  virtual std::string device() const = 0;  // of this process
  virtual phase works_in() const = 0;      // what the time of a sort is counted as
  // Sorts keys by these bits over all processes, stably in the order of the processes; each keeps
  // as many as it had. Keys are unsigned integers of 4 or 8 bytes; values go with them, where there
  // are any.
  virtual void sort(host_buffer& keys, std::size_t key_bytes, host_buffer* values, bit_range bits) = 0;
  // Sends bytes from each process to each other one. sizes: of the parts of `sent`, by receiver.
  // Returns what arrives, in the order of the senders.
  virtual host_buffer exchange(std::span<const std::byte> sent, std::span<const std::uint64_t> sizes) = 0;
};

// The GPU that this process takes, among those that it sees. Not collective.
struct process_gpu {
  int device = 0;
  std::string problem;  // why it cannot be used; empty where a kernel has run on it
};
process_gpu find_gpu_of_process(const process_group& group);

std::unique_ptr<part_sorter> make_cpu_part_sorter(const process_group& group);
std::unique_ptr<part_sorter> make_gpu_part_sorter(const process_group& group);  // throws failure where it cannot be

// How much comes from each process, of what each sends to this one.
std::vector<std::uint64_t> sizes_received(const process_group& group, std::span<const std::uint64_t> sent);

}  // namespace ballot::app
