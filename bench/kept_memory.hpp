// SPDX-License-Identifier: Apache-2.0
// Temporary memory for Thrust. It asks for the same blocks when it is checked and when it is timed.
// So they are kept, and given back to the device when the harness needs the room.
#pragma once

#include <ballot/core/namespace.hpp>

#include "cuda.hpp"

#include <cstddef>
#include <map>

namespace ballot::bench {

class kept_memory {
 public:
  using value_type = char;

  static kept_memory& of_the_run() {
    static kept_memory memory;
    return memory;
  }

  char* allocate(std::ptrdiff_t bytes) {
    char* block = nullptr;
    if (const auto kept = free_.find(bytes); kept != free_.end()) {
      block = kept->second;
      free_.erase(kept);
    } else {
      void* fresh = nullptr;
      check(cudaMalloc(&fresh, static_cast<std::size_t>(bytes)), "cudaMalloc");
      block = static_cast<char*>(fresh);
    }
    used_[block] = bytes;
    return block;
  }
  void deallocate(char* block, std::size_t) {
    const auto used = used_.find(block);
    free_.emplace(used->second, block);
    used_.erase(used);
  }

  // Nothing may be using it: waits for the device.
  void give_back() {
    for (const auto& [bytes, block] : free_) check(cudaFree(block), "cudaFree");
    free_.clear();
  }

 private:
  kept_memory() = default;
  std::multimap<std::ptrdiff_t, char*> free_;
  std::map<char*, std::ptrdiff_t> used_;
};

}  // namespace ballot::bench
