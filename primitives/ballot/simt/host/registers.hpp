// SPDX-License-Identifier: Apache-2.0
// The position of a thread: its lane, its rank in the block, and the lane masks.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/host/machine.hpp>

namespace ballot::simt {

using ::dim3;

/// The thread's lane in its warp, 0 to 31.
inline unsigned lane_id() { return emulator::lane(); }
/// The bit of this lane.
inline unsigned lanemask_eq() { return 1u << emulator::lane(); }
/// The bits of the lanes below this one.
inline unsigned lanemask_lt() { return lanemask_eq() - 1; }
/// The bits of this lane and of those below.
inline unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
/// The bits of the lanes above this one.
inline unsigned lanemask_gt() { return ~lanemask_le(); }
/// The bits of this lane and of those above.
inline unsigned lanemask_ge() { return ~lanemask_lt(); }
/// The thread's rank in its block: x runs fastest, whatever the block's dimensions.
inline unsigned thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
/// The rank of the thread's warp in its block.
inline unsigned warp_id() { return thread_rank() / warp_size; }

/// The architecture compiled for: none.
inline constexpr int architecture = 0;

/// Returns v: registers are not counted here.
template <class T>
inline T opaque(T v) {
  return v;
}

}  // namespace ballot::simt
