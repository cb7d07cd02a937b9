// SPDX-License-Identifier: Apache-2.0
// How long the blocks of a sort's result are, if the caller gave rooms and wants counts. Also
// lengths on the device.
//
//     rooms 10, 10, 20    items 24    blocks 6, 6, 12: in proportion to the rooms, so that no block
//                                     is too small
//The records say how much room each rank has. Before the records are used, every rank replaces the
// rooms in them by the lengths, in the same way.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/distributed/detail/carry_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace ballot::distributed::detail {

// before * items / all, rounded down, where items <= all: the product may have 128 bits.
BALLOT_HOST_DEVICE constexpr std::uint64_t share_begin(std::uint64_t before, std::uint64_t items, std::uint64_t all) {
  std::uint64_t quotient = 0, rest = 0;  // rest < all
  for (int bit = 63; bit >= 0; --bit) {
    quotient *= 2;
    rest *= 2;
    if (rest >= all) rest -= all, ++quotient;
    if ((before >> bit & 1u) != 0) rest += items;
    if (rest >= all) rest -= all, ++quotient;
  }
  return quotient;
}

// One thread. If all rooms together are too small, they stay as they are, for the message.
template <class Record>
__global__ void share_rooms_kernel(Record* all, int ranks) {
  if (simt::thread_rank() != 0) return;
  std::uint64_t items = 0, room = 0;
  for (int r = 0; r < ranks; ++r) items += all[r].items, room += all[r].room;
  if (room < items || room == 0) return;
  std::uint64_t before = 0, begin = 0;
  for (int r = 0; r < ranks; ++r) {
    before += all[r].room;
    const std::uint64_t end = share_begin(before, items, room);
    all[r].room = end - begin;
    begin = end;
  }
}

template <class Record>
__global__ void record_items_kernel(Record* own, ballot::detail::length items) {
  if (simt::thread_rank() == 0) own->items = items.get();
}

struct sort_sizes {
  optional_count count, offset, total;
  call_report* report = nullptr;  // that the ranks agree; null: not wanted
};
template <class Sizes>
__global__ void leave_sizes_kernel(Sizes at, std::uint64_t count, std::uint64_t offset, std::uint64_t total) {
  if (simt::thread_rank() != 0) return;
  leave(at.count, count);
  leave(at.offset, offset);
  leave(at.total, total);
  leave(at.report, call_report{});
}

// The largest number that all these can store, if they are wanted. It goes with a rank's record, so
// that all ranks know whether some rank's numbers would wrap.
inline std::uint64_t largest_stored(std::initializer_list<device_count> counts) {
  std::uint64_t largest = ~std::uint64_t{0};
  for (const device_count& c : counts)
    if (c.address() != nullptr) largest = ballot::detail::smaller(largest, c.type().largest());
  return largest;
}
// largest: of that rank. Every rank checks the numbers of all ranks, so all of them fail, or none.
inline void require_stored(const char* function, int rank, std::uint64_t largest, std::uint64_t total) {
  if (total > largest)
    ballot::detail::fail(function, ballot::detail::joined({"`offset` and `total` of rank ", std::to_string(rank),
                                                           " count to ", std::to_string(largest), ", too few for ",
                                                           std::to_string(total), " items on all ranks"}));
}

// By one thread.
template <class Kernel, class... Args>
void launch_one(stream_t stream, Kernel kernel, const Args&... args) {
  simt::launch(kernel, simt::launch_config{dim3(1), dim3(32), 0, stream}, args...);
}

}  // namespace ballot::distributed::detail
