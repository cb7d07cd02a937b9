// SPDX-License-Identifier: Apache-2.0
// The block's shared memory as one object, wide accesses to global memory, and copies between the
// two.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/host/machine.hpp>

namespace ballot::simt {

/// The block's dynamic shared memory as one T, uninitialised. Launch with shared_bytes >=
/// sizeof(T).
template <class T>
inline T& shared_storage(BALLOT_SIMT_AT) {
  static_assert(alignof(T) <= 128, "shared_storage: alignment above 128");
  return *static_cast<T*>(emulator::dynamic_shared(sizeof(T), file, line));
}

/// Loads W items of global memory in one access; p is aligned to their size together.
template <class T, int W>
inline vector<T, W> load_vector(const T* p, BALLOT_SIMT_AT) {
  vector<T, W> v;
  emulator::wide_load(&v, p, unsigned(detail::vector_bytes<T, W>), file, line);
  return v;
}
/// Stores W items to global memory in one access; p is aligned to their size together.
template <class T, int W>
inline void store_vector(T* p, const vector<T, W>& v, BALLOT_SIMT_AT) {
  emulator::wide_store(p, &v, unsigned(detail::vector_bytes<T, W>), file, line);
}

/// Starts a copy of Bytes (4, 8 or 16) from global memory to the block's shared memory, both
/// aligned to Bytes. This thread may read the copy after its next wait_for_copies, other threads
/// after a barrier that follows. Until then neither address may be written, and the destination not
/// be read. The emulator copies as late as possible: in wait_for_copies.
template <int Bytes>
inline void copy_async(void* shared, const void* global, BALLOT_SIMT_AT) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "asynchronous copies take 4, 8 or 16 bytes");
  emulator::start_copy(shared, global, Bytes, file, line);
}
/// Waits for all copies started by this thread.
inline void wait_for_copies(BALLOT_SIMT_AT) { emulator::finish_copies(file, line); }

/// Ends the kernel with an error that the host sees.
inline void trap(BALLOT_SIMT_AT) { emulator::trap(file, line); }

}  // namespace ballot::simt
