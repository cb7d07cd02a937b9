// SPDX-License-Identifier: Apache-2.0
// Barriers of the warp and of the block, and between launches. Each orders the memory accesses of
// the threads that meet at it.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/host/machine.hpp>

namespace ballot::simt {

/// The lanes of the mask wait for each other.
inline void sync_warp(unsigned mask = full_mask, BALLOT_SIMT_MEETING_AT) {
  emulator::warp_collective(emulator::warp_op::sync, mask, {}, 0, file, line, function);
}

/// All threads of the block wait for each other.
inline void sync_block(BALLOT_SIMT_MEETING_AT) {
  emulator::block_barrier(emulator::block_op::sync, false, file, line, function);
}
/// sync_block; returns the number of threads whose argument is true.
inline int sync_block_count(bool p, BALLOT_SIMT_MEETING_AT) {
  return emulator::block_barrier(emulator::block_op::count, p, file, line, function);
}
/// sync_block; returns whether the argument is true in all threads.
inline bool sync_block_all(bool p, BALLOT_SIMT_MEETING_AT) {
  return emulator::block_barrier(emulator::block_op::all, p, file, line, function) != 0;
}
/// sync_block; returns whether the argument is true in any thread.
inline bool sync_block_any(bool p, BALLOT_SIMT_MEETING_AT) {
  return emulator::block_barrier(emulator::block_op::any, p, file, line, function) != 0;
}

/// Waits until `threads` threads (a multiple of 32), this one included, have arrived at the block's
/// barrier `id` (1 to 15). Warps are counted, as 32 threads each: one has arrived when all of its
/// lanes have that have not returned.
inline void named_barrier_sync(unsigned id, unsigned threads, BALLOT_SIMT_AT) {
  emulator::named_barrier(id, threads, true, file, line);
}
/// Arrives at the block's barrier `id` without waiting.
inline void named_barrier_arrive(unsigned id, unsigned threads, BALLOT_SIMT_AT) {
  emulator::named_barrier(id, threads, false, file, line);
}

/// Launches do not overlap here: there is nothing to begin or to wait for.
inline void let_next_launch_begin() {}
inline void wait_for_previous_launch() {}

}  // namespace ballot::simt
