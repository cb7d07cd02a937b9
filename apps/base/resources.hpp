// SPDX-License-Identifier: Apache-2.0
// What this run has used of the machine.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ballot::app {

// Counts the threads that take part in parallel work from now on. The thread that calls is one of
// them.
void count_threads();

struct used_resources {
  std::size_t threads = 1;        // that took part
  double processor_seconds = 0;   // of all threads, user and system
  std::uint64_t peak_memory = 0;  // bytes, resident
};
used_resources resources_used();

// Bytes of memory that the system could give now; 0 where it does not say.
std::uint64_t free_memory();
// Throws failure where it could not: "what need about 64000 MB of memory, and 8000 MB are free".
void require_free_memory(std::uint64_t bytes, const std::string& what);

}  // namespace ballot::app
