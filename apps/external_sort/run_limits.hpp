// What a sort in runs may take, and how its merges share that.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ballot::app {

struct run_limits {
  std::uint64_t memory_bytes = 0;  // of the host, for items, keys and buffers; 0: most of what is free
  std::string directory;           // for runs
  bool shows_progress = false;

  std::uint64_t memory() const;  // never 0
};

// How many runs are merged at a time: as many as leave each a buffer that is worth a read from a disk, two at least.
std::size_t runs_at_once(std::uint64_t memory_bytes, std::uint64_t smallest_buffer);

// The buffer of one of so many.
std::uint64_t buffer_bytes(std::uint64_t memory_bytes, std::size_t buffers);

}  // namespace ballot::app
