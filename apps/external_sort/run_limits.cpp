// SPDX-License-Identifier: Apache-2.0
#include "external_sort/run_limits.hpp"

#include "base/resources.hpp"

#include <unistd.h>

#include <algorithm>

namespace ballot::app {
namespace {

constexpr std::uint64_t smallest_worth_a_read = 64 << 10, largest_buffer = 8 << 20;
constexpr std::size_t most_runs_at_once = 500;

// The memory that the machine can give, less a quarter.
std::uint64_t most_of_the_memory() {
  if (const std::uint64_t free = free_memory(); free != 0) return free / 4 * 3;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 2 : 1u << 30;
}

}  // namespace

std::uint64_t run_limits::memory() const { return memory_bytes != 0 ? memory_bytes : most_of_the_memory(); }

std::size_t runs_at_once(std::uint64_t memory_bytes, std::uint64_t smallest_buffer) {
  const std::uint64_t buffer = std::max(smallest_buffer, smallest_worth_a_read);
  return std::clamp<std::size_t>(static_cast<std::size_t>(memory_bytes / (2 * buffer)), 2, most_runs_at_once);
}

std::uint64_t buffer_bytes(std::uint64_t memory_bytes, std::size_t buffers) {
  return std::min(memory_bytes / buffers / 8 * 8, largest_buffer);
}

}  // namespace ballot::app
