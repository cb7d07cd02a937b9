// SPDX-License-Identifier: Apache-2.0
// A launch whose blocks are one cluster (launch_config::is_cluster). They run at the same time,
// wait for each other, and reach each other's shared memory. Before sm_90 no launch is one.
//
//     every block    cluster_arrive<order::relaxed> ... cluster_wait
//                        no block's shared memory is reached before this wait
//                    writes to shared_of_block(...)
//                    cluster_arrive, cluster_wait
//                        now they are visible, in the block itself as shared memory
//
// A block must not end while another one still reaches its shared memory. Threads that have ended
// count as arrived.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/host/machine.hpp>

namespace ballot::simt {

/// The threads of a cluster meet: each arrives, and later waits until all have arrived. Writes of a
/// thread before it arrived are visible to all that have waited. They are not if it arrived
/// relaxed, because that does not wait for its loads and stores. All lanes of a warp call it
/// together. A thread waits before it arrives again.
template <order O = order::release>
inline void cluster_arrive(BALLOT_SIMT_AT) {
  static_assert(O == order::release || O == order::relaxed);
  emulator::cluster_arrive(O == order::release, file, line);
}
inline void cluster_wait(BALLOT_SIMT_AT) { emulator::cluster_wait(file, line); }

/// The object that lies in the shared memory of another block of the cluster where `object` lies in
/// this one's.
template <class T>
inline T& shared_of_block(T& object, unsigned block, BALLOT_SIMT_AT) {
  return *static_cast<T*>(emulator::shared_of_block(&object, sizeof(T), block, file, line));
}

}  // namespace ballot::simt
