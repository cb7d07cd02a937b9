// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "all_operations.hpp"

#include <cub/version.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

std::string cub_version() {
  return std::to_string(CUB_VERSION / 100000) + "." + std::to_string(CUB_VERSION / 100 % 1000) + "." +
         std::to_string(CUB_VERSION % 100);
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
