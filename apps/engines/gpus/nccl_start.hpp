// SPDX-License-Identifier: Apache-2.0
// NCCL's communicators as the command makes them. They do not block: NCCL asks for that where a
// rank may fail, as a thread that waits inside NCCL cannot be called back.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include <nccl.h>

namespace ballot::app {

constexpr std::chrono::seconds patience{120};  // a rank that fails does not leave the others waiting for ever
// For ranks that exchange so many bytes: those that are slow have not failed.
constexpr std::chrono::milliseconds patience_for(std::uint64_t bytes) {
  return patience + std::chrono::seconds(bytes >> 24);
}

inline void check_nccl(ncclResult_t result, const char* call) {
  if (result != ncclSuccess && result != ncclInProgress)
    throw failure(std::string("GPUs: ") + call + ": " + ncclGetErrorString(result));
}

// Begins to make a rank on the current device. wait_until_made has to follow.
inline void begin_to_make(ncclComm_t& comm, const ncclUniqueId& id, int rank, int ranks) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  check_nccl(ncclCommInitRankConfig(&comm, ranks, id, rank, &config), "ncclCommInitRankConfig");
}
inline void wait_until_made(ncclComm_t comm) {
  const auto begin = std::chrono::steady_clock::now();
  for (ncclResult_t state = ncclInProgress;;) {
    check_nccl(ncclCommGetAsyncError(comm, &state), "ncclCommGetAsyncError");
    check_nccl(state, "ncclCommInitRankConfig");
    if (state == ncclSuccess) return;
    if (std::chrono::steady_clock::now() - begin > patience)
      throw failure("GPUs: NCCL has not connected them within " + std::to_string(patience.count()) + " s");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace ballot::app
