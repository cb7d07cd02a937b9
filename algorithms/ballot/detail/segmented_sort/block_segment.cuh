// SPDX-License-Identifier: Apache-2.0
// A block that sorts one long segment alone: its threads, and its shared memory.
//
//     keys        n compared keys            before: counts of bins, or of digits by warp;
//                                            after: values
//     positions   n of 16 bits
//
// The number of threads and the size of both arrays are known only when the kernel is launched. So
// there is one kernel for segments of all lengths and for GPUs of all sizes: short ones get blocks
// of few threads, of which several fit into a multiprocessor.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/radix_sort/rank.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// The most threads of a block, and the most items of a thread: so many keys have room in registers.
inline constexpr unsigned most_segment_threads = 1024;
template <class U>
inline constexpr int segment_items_per_thread = sizeof(U) == 8 ? 20 : 32;
template <class U>
inline constexpr unsigned most_items_alone = most_segment_threads * segment_items_per_thread<U>;
// Threads take their rows of items in groups: the operations of a group do not wait for each other.
inline constexpr int segment_row_group = 4;

// Compared keys in registers, and in shared memory.
template <class U>
using key_register = std::conditional_t<sizeof(U) == 8, std::uint64_t, std::uint32_t>;
template <class U>
using key_in_shared = typename unsigned_of_size<sizeof(U)>::type;

// The fixed part of a block's shared memory. The arrays follow it.
struct alignas(16) block_segment_storage {
  std::uint64_t reduced[2][simt::warp_size];  // of each warp
  std::uint32_t sums[simt::warp_size];        // of each warp
  std::uint32_t missing[simt::warp_size];     // counts of items that do not exist
  std::uint32_t next;                         // segment
};

// The arrays after it, for segments of up to `items`. U: of a key.
template <class U>
struct block_segment_arrays {
  std::uint32_t items;
  unsigned threads;

  BALLOT_HOST_DEVICE std::size_t key_bytes() const {
    const std::size_t keys = (items * sizeof(U) + 15) / 16 * 16;
    const std::size_t counts = threads / simt::warp_size * sizeof(warp_digit_counts);
    if constexpr (sizeof(U) < 4) return keys > counts ? keys : counts;
    // Counts of bins, one more than there are items, and after them those of finer bins. Both are
    // scanned in pieces.
    const std::size_t bins = sizeof(std::uint16_t) * (2 * std::size_t{items} + 2 * bin_scan_items + 15) / 16 * 16;
    return largest_of(keys, counts, bins);
  }
  BALLOT_HOST_DEVICE std::size_t bytes() const {
    return sizeof(block_segment_storage) + key_bytes() + (items + 1) / 2 * 4;
  }
  // The bins that a warp scans at once.
  static constexpr unsigned bin_scan_items = simt::warp_size * 8;
};

// What a thread knows of its block and of the segment.
template <class U>
struct block_segment {
  using word = key_register<U>;
  static constexpr int items = segment_items_per_thread<U>;

  block_segment_storage& shared;
  std::byte* const memory;  // of keys
  std::uint16_t* const positions;
  const unsigned valid;  // items of the segment, more than 0
  const unsigned threads = blockDim.x, warps = threads / simt::warp_size;
  const unsigned thread = simt::opaque(simt::thread_rank()), warp = simt::warp_id(),
                 lane = simt::opaque(simt::lane_id());
  const unsigned rows = (valid + threads - 1) / threads;  // in use, of those of the threads
  // A warp takes consecutive items, in the order of the input. They end before item `end`.
  const unsigned first = warp * rows * simt::warp_size + lane;
  const unsigned end = smaller(first - lane + rows * simt::warp_size, valid);

  __device__ __forceinline__ key_in_shared<U>* keys() const { return reinterpret_cast<key_in_shared<U>*>(memory); }
  static __device__ __forceinline__ unsigned row(int i) { return static_cast<unsigned>(i) * simt::warp_size; }
  __device__ __forceinline__ unsigned at(int i) const { return first + row(i); }
  __device__ __forceinline__ bool is_there(int i) const { return at(i) < end; }

  // Calls visit(i) for each of the thread's rows in use, and for the others of a group, in which no
  // item is there. All threads make the same calls.
  template <class Visit>
  __device__ __forceinline__ void for_each_row(Visit visit) const {
    for_each_group([&](int first) {
#pragma unroll
      for (int k = 0; k < segment_row_group; ++k) visit(first + k);
    });
  }
  template <class Visit>
  __device__ __forceinline__ void for_each_group(Visit visit) const {
    static_assert(items % segment_row_group == 0);
#pragma unroll
    for (int first = 0; first < items; first += segment_row_group)
      if (static_cast<unsigned>(first) < rows) visit(first);
  }

  // op of all threads' values, for an operator that may take a value twice. In all threads; one
  // barrier. The same memory may be used again after another one.
  template <class T, class Op>
  __device__ __forceinline__ T reduce(std::uint64_t (&of_warp)[simt::warp_size], T value, Op op) const {
    value = warp::reduce(value, op);
    if (lane == 0) of_warp[warp] = value;
    simt::sync_block();
    return warp::reduce(static_cast<T>(of_warp[lane < warps ? lane : 0]), op);
  }
  // The sum of the values of the warps before this one; `sum`: this warp's. One barrier, as above.
  __device__ __forceinline__ std::uint32_t sum_before(std::uint32_t sum) const {
    if (lane == 0) shared.sums[warp] = sum;
    simt::sync_block();
    return warp::reduce(lane < warp ? shared.sums[lane] : 0u, plus{});
  }
};

}  // namespace ballot::detail
