// SPDX-License-Identifier: Apache-2.0
// The memory limits of an external sort, and how its merges divide the memory.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ballot::app {

struct run_limits {
  std::uint64_t memory_bytes = 0;  // host memory for items, keys and buffers; 0: most of the free memory
  std::string directory;           // for runs
  bool shows_progress = false;

  std::uint64_t memory() const;  // never 0
};

// The number of runs merged at a time: as many as have room for buffers of an efficient read size;
// at least two.
std::size_t runs_at_once(std::uint64_t memory_bytes, std::uint64_t smallest_buffer);

// The size of one of `buffers` buffers.
std::uint64_t buffer_bytes(std::uint64_t memory_bytes, std::size_t buffers);

}  // namespace ballot::app
