#include <ballot/core/namespace.hpp>

#include "context.hpp"
#include "cuda.hpp"

#include <benchmark/benchmark.h>

#include <cub/version.cuh>

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

void describe_context() {
  using benchmark::AddCustomContext;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");

  AddCustomContext("gpu", properties.name);
  AddCustomContext("compute_capability", std::to_string(properties.major) + "." + std::to_string(properties.minor));
  AddCustomContext("sm_count", std::to_string(properties.multiProcessorCount));
  AddCustomContext("memory_bytes", std::to_string(properties.totalGlobalMem));
  AddCustomContext("memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth));
  // The highest clocks the device states, not those of the run: the copy, timed in the same run, tells what there was.
  AddCustomContext("memory_clock", attribute(cudaDevAttrMemoryClockRate, " kHz"));
  AddCustomContext("sm_clock", attribute(cudaDevAttrClockRate, " kHz"));
  AddCustomContext("l2_bytes", attribute(cudaDevAttrL2CacheSize));
  AddCustomContext("cuda_driver", cuda_version(cudaDriverGetVersion));
  AddCustomContext("cuda_runtime", cuda_version(cudaRuntimeGetVersion));
  AddCustomContext("nvcc", dotted(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__));
  AddCustomContext("cub", dotted(CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100));
  AddCustomContext("ballot", BALLOT_BENCH_VERSION);
  AddCustomContext("commit", BALLOT_BENCH_COMMIT);
  AddCustomContext(
      "l2_state",
      "call: flushed before each call (a buffer of twice the L2 is written, untimed) where less than 16 times the "
      "L2 is moved, not flushed above that; burst, graph: warm");
  AddCustomContext(
      "modes",
      "call: one call, its launches queued behind a pause; burst: 32 calls back to back, per call; graph: 32 "
      "replays of one captured call back to back, per replay");
  AddCustomContext("thrust", "par_nosync, temporary memory kept from call to call; calls that return a position wait");
}

}  // namespace ballot::bench
