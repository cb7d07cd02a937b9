// SPDX-License-Identifier: Apache-2.0
// From how many bits on is a warp's scan of small integers shorter by shuffles than bit by bit?
// Exclusive scans of values of 1 to 8 bits: "bits" takes a vote for each of them, "generic" five
// shuffles whatever the width.
#include <ballot/core/namespace.hpp>

#include "in_registers.cuh"

#include <ballot/warp/bitwise_scan.cuh>
#include <ballot/warp/scan.cuh>

#include <cub/warp/warp_scan.cuh>

#include <utility>

namespace ballot::bench {
namespace {

template <int Bits>
struct scan_by_bits {
  using storage = no_storage;
  static __device__ unsigned of(storage&, unsigned value) { return warp::bitwise_exclusive_scan<Bits>(value); }
};
struct scan_by_shuffles {
  using storage = no_storage;
  static __device__ unsigned of(storage&, unsigned value) { return warp::exclusive_scan(value, 0u, generic_plus{}); }
};
struct cub_scan {
  using collective = cub::WarpScan<unsigned>;
  struct storage {
    collective::TempStorage of_warp[threads_in_registers / 32];
  };
  static __device__ unsigned of(storage& shared, unsigned value) {
    unsigned before;
    collective(shared.of_warp[threadIdx.x / 32]).ExclusiveSum(value, before);
    return before;
  }
};

template <int Bits>
operation scans_of_bits() {
  operation task = in_registers_operation("chapter_warp_scan:" + std::to_string(Bits));
  task.contenders = {in_registers<Bits, cub_scan>("cub"), in_registers<Bits, scan_by_bits<Bits>>("bits"),
                     in_registers<Bits, scan_by_shuffles>("generic"), generator_of<Bits>()};
  return task;
}

}  // namespace

void add_chapter_warps(std::vector<operation>& all) {
  [&]<int... Less>(std::integer_sequence<int, Less...>) {
    (all.push_back(scans_of_bits<Less + 1>()), ...);
  }(std::make_integer_sequence<int, 8>());
}

}  // namespace ballot::bench
