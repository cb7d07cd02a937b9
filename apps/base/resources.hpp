// SPDX-License-Identifier: Apache-2.0
// What this run has used of the machine.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>

namespace ballot::app {

// Counts the threads that take part in parallel work from now on. The thread that calls is one of them.
void count_threads();

struct used_resources {
  std::size_t threads = 1;        // that took part
  double processor_seconds = 0;   // of all threads, user and system
  std::uint64_t peak_memory = 0;  // bytes, resident
};
used_resources resources_used();

// Bytes of memory that the system could give now; 0 where it does not say.
std::uint64_t free_memory();

}  // namespace ballot::app
