// Exclusive sums. Thrust's scan is CUB's with a wrapper, so it does not run for itself.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/device/scan.cuh>

#include <cub/device/device_scan.cuh>

namespace ballot::bench {
namespace {

template <class T>
operation exclusive_scan_of(const char* type) {
  operation scan{.name = std::string("scan_") + type,
                 .bytes_per_item = 2 * sizeof(T),
                 .input = small_numbers<T>(),
                 .output_bytes = sizeof(T)};
  scan.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, a.in<T>(), a.out<T>(), a.length(), a.stream);
  }));
  scan.contenders.push_back(
      by_ballot([](std::uint64_t n) { return scan_scratch_bytes<T>(n); },
                [](const exec& gpu, const arrays& a) { exclusive_scan(gpu, in<T>(a), out<T>(a)); }));
  return scan;
}

}  // namespace

void add_scans(std::vector<operation>& all) {
  all.push_back(exclusive_scan_of<std::int32_t>("i32"));
  all.push_back(exclusive_scan_of<std::int64_t>("i64"));
  all.push_back(exclusive_scan_of<float>("f32"));
}

}  // namespace ballot::bench
