// SPDX-License-Identifier: Apache-2.0
// Sorts segments of up to some ten thousand items, each by one block, in shared memory.
//
//     load keys into registers -> find the least and the greatest
//     -> sort by bins (block_segment_bins.cuh), or, if a bin has too many keys, by digits
//        (block_segment_digits.cuh) -> store keys -> move values
//
// A block has room for 32,768 keys of up to 4 bytes, and for 20,480 of 8 bytes, on a GPU whose
// blocks may have 227 KB of shared memory; fewer on others. It keeps the position of each key
// beside it in 16 bits. So the sort is stable, and values need only be moved once.
//
// Keys and values are read and written once, except where not all bits of the keys are compared:
// then keys are read again. Deterministic. Input and output must not overlap.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/segmented_sort/block_segment.cuh>
#include <ballot/detail/segmented_sort/block_segment_bins.cuh>
#include <ballot/detail/segmented_sort/block_segment_digits.cuh>
#include <ballot/detail/segmented_sort/composite_keys.cuh>
#include <ballot/detail/segmented_sort/listed_segments.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

template <class U, class V>
struct block_segment_arguments {
  const U* keys;
  U* keys_out;
  const V* values;  // null: positions
  V* values_out;
  composite_layout<U> layout;
  bool counts_from_segment;  // positions
  block_segment_arrays<U> arrays;
  std::uint64_t row_items;  // of rows; 0: by the list
  listed_segments list;
  unsigned size_class;   // of the list
  bool is_first_launch;  // of those for the list
  length n;              // all items: these are copied if offsets do not ascend,
  bool copies_unsorted;  // if no other launch does
};

// Stores the values of sorted positions, or the positions. All threads. Values are brought to shared
// memory in parts, and each part goes where its items are wanted.
template <class U, class V>
__device__ __forceinline__ void store_values_of_segment(const block_segment_arguments<U, V>& a,
                                                        const block_segment<U>& of, std::uint64_t begin) {
  if (a.values == nullptr) {
    const std::uint64_t counted_from = a.counts_from_segment ? 0 : begin;
    for (unsigned at = of.thread; at < of.valid; at += of.threads)
      a.values_out[begin + at] = static_cast<V>(counted_from + of.positions[at]);
    return;
  }
  V* const staged = reinterpret_cast<V*>(of.memory);
  const auto room = static_cast<unsigned>(a.arrays.key_bytes() / sizeof(V));
#pragma unroll 1
  for (unsigned part = 0; part < of.valid; part += room) {
    const unsigned size = of.valid - part < room ? of.valid - part : room;
    const V* const values = a.values + begin + part;
    if (part != 0) simt::sync_block();  // the part before is read
#pragma unroll 8
    for (unsigned at = of.thread; at < size; at += of.threads) staged[at] = values[at];
    simt::sync_block();
#pragma unroll 4
    for (unsigned at = of.thread; at < of.valid; at += of.threads) {
      const unsigned from = of.positions[at] - part;  // modulo 2^32
      if (from < size) a.values_out[begin + at] = staged[from];
    }
  }
}

// Sorts items [begin, begin + size). All threads.
template <class U, class V>
__device__ __forceinline__ void sort_segment(const block_segment_arguments<U, V>& a, std::uint64_t begin,
                                             unsigned size) {
  using word = key_register<U>;
  constexpr bool has_values = !std::is_same_v<V, no_value>;
  auto& shared = simt::shared_storage<block_segment_storage>();
  auto* const memory = reinterpret_cast<std::byte*>(&shared + 1);
  const block_segment<U> of{shared, memory, reinterpret_cast<std::uint16_t*>(memory + a.arrays.key_bytes()), size};
  const U* const keys = a.keys + begin;
  U* const keys_out = a.keys_out + begin;
  const bool whole_keys = a.layout.has_whole_keys();

  word key[block_segment<U>::items] = {};  // missing ones equal the last
  of.for_each_row([&](int i) { key[i] = static_cast<word>(keys[of.is_there(i) ? of.at(i) : size - 1]); });
  if (!whole_keys)
    of.for_each_row([&](int i) { key[i] = static_cast<word>(a.layout.compared(static_cast<U>(key[i]))); });
  else if (!a.layout.codec.is_identity())
    of.for_each_row([&](int i) { key[i] = static_cast<word>(a.layout.codec.encode(static_cast<U>(key[i]))); });
  word least = ~word{0}, greatest = 0;
  of.for_each_row([&](int i) {
    least = key[i] < least ? key[i] : least;
    greatest = key[i] > greatest ? key[i] : greatest;
  });
  least = of.reduce(shared.reduced[0], least, minimum{});
  greatest = of.reduce(shared.reduced[1], greatest, maximum{});

  const auto store = [&](unsigned to, key_in_shared<U> compared, std::uint32_t position) {
    keys_out[to] = whole_keys ? a.layout.codec.decode(static_cast<U>(compared)) : keys[position];
  };
  bool sorts_by_bins = false;
  if constexpr (sizeof(U) >= 4)
    if (greatest != least)
      sorts_by_bins = segment_bins<U>(of, least, greatest, a.layout.codec.is_of_floats()).move_to_bins(key);
  if (sorts_by_bins) {
    order_within_bins<U>(of, store);
    simt::sync_block();
  } else {
    simt::sync_block();  // what was reduced is read, as are bins
    segment_digits<U>(of).sort(key, least);
    for (unsigned at = of.thread; at < size; at += of.threads) store(at, of.keys()[at], of.positions[at]);
    simt::sync_block();  // the keys are read; values take their memory
  }
  if constexpr (has_values) store_values_of_segment(a, of, begin);
}

// Copies keys and values in the order of the input, by all blocks of the grid.
template <class U, class V>
__device__ __forceinline__ void copy_unsorted(const block_segment_arguments<U, V>& a) {
  const std::uint64_t n = a.n.get(), step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + simt::thread_rank(); i < n; i += step) {
    a.keys_out[i] = a.keys[i];
    if constexpr (!std::is_same_v<V, no_value>) a.values_out[i] = a.values != nullptr ? a.values[i] : static_cast<V>(i);
  }
}

// Until the list is complete. The launch of the other class may still be at work, and this one
// sorts at the same time. All threads.
template <class U, class V>
__device__ __forceinline__ void wait_for_list(const block_segment_arguments<U, V>& a) {
  if (a.is_first_launch) {
    simt::wait_for_previous_launch();
    if (blockIdx.x == 0 && simt::thread_rank() == 0) simt::store_release(a.list.is_complete, 1u);  // pairs with below
  } else {
    // All blocks of the first launch have begun, and they wait only for the launch that lists, whose
    // blocks have all begun, too.
    if (simt::thread_rank() == 0)
      while (simt::load_acquire(a.list.is_complete) == 0) simt::spin_hint();  // pairs with above
    simt::sync_block();
  }
}

// How many segments the list has for this launch; none if the offsets do not ascend.
template <class U, class V>
__device__ __forceinline__ std::uint64_t listed_count(const block_segment_arguments<U, V>& a) {
  return *a.list.disordered != 0 ? 0 : a.list.count(a.size_class);
}

// A block for each row. Or, without rows, blocks take the segments of one class of the list, one
// after the other.
template <class U, class V>
__global__ void __launch_bounds__(most_segment_threads, 1) block_segment_kernel(block_segment_arguments<U, V> a) {
  simt::let_next_launch_begin();
  const bool by_list = a.row_items == 0;
  if (by_list) {
    wait_for_list(a);
    if (a.is_first_launch && a.copies_unsorted && *a.list.disordered != 0) copy_unsorted(a);
  }
  auto& shared = simt::shared_storage<block_segment_storage>();
#pragma unroll 1
  for (std::uint32_t at = blockIdx.x; at < (by_list ? listed_count(a) : gridDim.x);) {
    listed_segment segment{at * a.row_items, (at + 1) * a.row_items};
    if (by_list) segment = a.list.segment(a.size_class, at);
    sort_segment(a, segment.begin, static_cast<unsigned>(segment.end - segment.begin));
    if (!by_list) break;
    // Relaxed: only the number counts. The one before has been read, several barriers ago.
    if (simt::thread_rank() == 0) shared.next = gridDim.x + simt::atomic_add(a.list.taken + a.size_class, 1u);
    simt::sync_block();  // shared memory is read before the next segment takes it
    at = shared.next;
  }
  if (by_list) simt::wait_for_previous_launch();  // for the next launch, which waits for this one alone
}

}  // namespace ballot::detail
