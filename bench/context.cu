// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "all_operations.hpp"
#include "context.hpp"
#include "cuda.hpp"

namespace ballot::bench {
namespace {

std::string dotted(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string attribute(cudaDeviceAttr which, const char* unit = "") {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return std::to_string(value) + unit;
}

std::string cuda_version(cudaError_t (*ask)(int*)) {
  int version = 0;
  check(ask(&version), "cuda version");
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> context_of_run() {
  std::vector<std::pair<std::string, std::string>> context;
  const auto add = [&](const char* key, const std::string& value) { context.emplace_back(key, value); };
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");

  add("gpu", properties.name);
  add("compute_capability", std::to_string(properties.major) + "." + std::to_string(properties.minor));
  add("sm_count", std::to_string(properties.multiProcessorCount));
  add("memory_bytes", std::to_string(properties.totalGlobalMem));
  add("memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth));
  // The highest clocks the device states, not those of the run: the copy, timed in the same run,
  // tells what there was.
  add("memory_clock", attribute(cudaDevAttrMemoryClockRate, " kHz"));
  add("sm_clock", attribute(cudaDevAttrClockRate, " kHz"));
  add("l2_bytes", attribute(cudaDevAttrL2CacheSize));
  add("cuda_driver", cuda_version(cudaDriverGetVersion));
  add("cuda_runtime", cuda_version(cudaRuntimeGetVersion));
  add("nvcc", dotted(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__));
  add("cub", cub_version());
  if (const std::string newest = newest_cub_version(); !newest.empty()) add("cub_newest", newest);
  add("ballot", BALLOT_BENCH_VERSION);
  add("commit", BALLOT_BENCH_COMMIT);
  add("l2_state",
      "call: flushed before each call (a buffer of twice the L2 is written, untimed) where less than 16 times the "
      "L2 is moved, not flushed above that; burst, graph: warm");
  add("modes",
      "call: one call, its launches queued behind a pause; burst: 32 calls back to back, per call; graph: 32 "
      "replays of one captured call back to back, per replay");
  add("thrust", "par_nosync, temporary memory kept from call to call; calls that return a position wait");
  return context;
}

}  // namespace ballot::bench
