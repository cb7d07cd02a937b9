// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/device_memory.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

namespace ballot::app {
namespace {

std::string in_binary_units(std::uint64_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  return mebibytes < 1024 ? fmt::format("{:.1f} MiB", mebibytes) : fmt::format("{:.1f} GiB", mebibytes / 1024);
}

std::string described_memory(const device_memory& memory) {
  return fmt::format("{} has {}, {} of them free (--engine cpu uses the machine's memory)", memory.device,
                     in_binary_units(memory.total_bytes), in_binary_units(memory.free_bytes));
}

}  // namespace

void require_memory(const std::string& input, std::uint64_t needed_bytes, const device_memory& memory) {
  if (needed_bytes > memory.free_bytes)
    throw failure(fmt::format("{}: this needs {} of GPU memory; {}", input, in_binary_units(needed_bytes),
                              described_memory(memory)));
}

void throw_out_of_device_memory(const std::string& input, const device_memory& memory) {
  throw failure(fmt::format("{}: does not fit into GPU memory: {}", input, described_memory(memory)));
}

}  // namespace ballot::app
