// SPDX-License-Identifier: Apache-2.0
// Whether a run fits into the GPU's memory, said before anything is read where that is known.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <string>

namespace ballot::app {

struct device_memory {
  std::string device;
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
};

// Throws failure with both numbers where `needed_bytes` are more than are free.
void require_memory(const std::string& input, std::uint64_t needed_bytes, const device_memory& memory);

// For an allocation that was refused although it should have been possible, or for input whose
// length was not known before.
[[noreturn]] void throw_out_of_device_memory(const std::string& input, const device_memory& memory);

}  // namespace ballot::app
