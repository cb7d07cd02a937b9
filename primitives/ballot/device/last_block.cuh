// Which block of a launch is done last, and so has what all others have written.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::device {

// All threads of every block, once: whether all other blocks have asked before. Then what their threads wrote before they
// asked is visible here, to relaxed loads, too. `finished` is zero at launch; `slot` is in shared memory. Two barriers.
__device__ __forceinline__ bool is_last_block(std::uint32_t* finished, bool& slot) {
  // Each thread's writes are released to the device by its fence before the block reports by one acq_rel increment; the
  // last block's increment and the fence after it acquire them all.
  simt::fence();
  simt::sync_block();
  if (simt::thread_rank() == 0) slot = simt::atomic_add<simt::order::acq_rel>(finished, 1u) + 1u == gridDim.x;
  simt::sync_block();
  if (!slot) return false;
  simt::fence();
  return true;
}

}  // namespace ballot::device
