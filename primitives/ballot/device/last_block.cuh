// SPDX-License-Identifier: Apache-2.0
// The last block of a launch to finish, which sees the writes of all others (the
// threadFenceReduction sample of CUDA).
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::device {

// All threads of every block call this once. Returns whether all other blocks have called it
// before. If so, the writes of their threads before the call are visible here, also to relaxed
// loads. `finished` is zero at launch; `slot` is in shared memory. Two barriers.
__device__ __forceinline__ bool is_last_block(std::uint32_t* finished, bool& slot) {
  // Release: each thread's fence, then one acq_rel increment for the block. Acquire: the last
  // block's increment, then its fence.
  simt::fence();
  simt::sync_block();
  if (simt::thread_rank() == 0) slot = simt::atomic_add<simt::order::acq_rel>(finished, 1u) + 1u == gridDim.x;
  simt::sync_block();
  if (!slot) return false;
  simt::fence();
  return true;
}

}  // namespace ballot::device
