#include "engines/cuda/device_memory.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

namespace ballot::app {
namespace {

std::string readable(std::uint64_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  return mebibytes < 1024 ? fmt::format("{:.1f} MiB", mebibytes) : fmt::format("{:.1f} GiB", mebibytes / 1024);
}

std::string what_there_is(const device_memory& memory) {
  return fmt::format("{} has {}, {} of them free (--engine cpu takes the machine's memory)", memory.device,
                     readable(memory.total_bytes), readable(memory.free_bytes));
}

}  // namespace

void require_memory(const std::string& input, std::uint64_t needed_bytes, const device_memory& memory) {
  if (needed_bytes > memory.free_bytes)
    throw failure(
        fmt::format("{}: this takes {} of the GPU's memory, {}", input, readable(needed_bytes), what_there_is(memory)));
}

void throw_out_of_device_memory(const std::string& input, const device_memory& memory) {
  throw failure(fmt::format("{}: does not fit into the GPU's memory: {}", input, what_there_is(memory)));
}

}  // namespace ballot::app
