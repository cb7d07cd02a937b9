// SPDX-License-Identifier: Apache-2.0
// Runs of equal items across ranks: the first item of a rank is no head if the last item before it
// is the same.
//
//     rank 0     3 3 5     rank 1  5 5 7     rank 2  (none)     rank 3  7 8
//     heads      3 5               5 7                                  7 8    of each rank alone
//     selected   3 5                 7                                    8    the first heads of
//                                                                              ranks 1 and 3 go
//
// A rank's record has its first and its last item and the number of its heads. When all records are
// known, each rank whose first head goes moves the others forward by one. Tiles move at the same
// time, in place: the first item of each was saved before.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/distributed/agreement.cuh>
#include <ballot/distributed/detail/carry_kernel.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstring>

namespace ballot::distributed::detail {

// In the record, the first item is stored where sorts have something else.
template <class T, class Record>
BALLOT_HOST_DEVICE T first_in(const Record& record) {
  T item;
  std::memcpy(&item, &record.room, sizeof(T));
  return item;
}
template <class T, class Record>
BALLOT_HOST_DEVICE T last_in(const Record& record) {
  T item;
  std::memcpy(&item, record.value, sizeof(T));
  return item;
}

// One thread. `items` of the record becomes the number of heads: not 0 if there are items.
template <class T, class Record>
__global__ void record_run_ends_kernel(Record* own, const T* in, ballot::detail::length length,
                                       ballot::detail::length heads) {
  const std::uint64_t n = length.get();
  if (simt::thread_rank() != 0) return;
  own->items = heads.get();
  if (n == 0) return;
  static_assert(sizeof(T) <= sizeof own->room + sizeof own->unused && sizeof(T) <= sizeof own->value);
  std::memcpy(static_cast<void*>(&own->room), in, sizeof(T));
  std::memcpy(own->value, in + n - 1, sizeof(T));
}

template <class T, class Record>
struct join_runs_arguments {
  Record* all;
  int rank;
  int size;
  std::uint64_t capacity;  // of this rank's items
  device_count count;
  optional_count offset;
  optional_count total;
  std::uint64_t* moved;  // how many heads of this rank move up, the first included: 0 or all
  call_report* report;
};

// One thread: finds which first heads go, and the counts that follow.
template <class T, class Record, class Same>
__global__ void join_runs_kernel(join_runs_arguments<T, Record> a, Same same) {
  if (simt::thread_rank() != 0) return;
  *a.moved = 0;
  const call_report found = compare_calls(a.all, a.size);
  if (a.report != nullptr) *a.report = found;
  if (found.what != difference::none) {
    if (a.report == nullptr) simt::trap();
    return;
  }
  std::uint64_t before = 0;
  int last = -1;  // the last rank with items
  for (int r = 0; r < a.size; ++r) {
    std::uint64_t heads = a.all[r].items;
    const bool goes =
        heads != 0 && last >= 0 && ballot::detail::call(same, last_in<T>(a.all[last]), first_in<T>(a.all[r]));
    if (r == a.rank) {
      leave(a.offset, before);
      // If the communicator was given up, no records have come, and memory may say anything.
      if (goes) *a.moved = ballot::detail::smaller(heads, a.capacity);
      a.count.store(heads - (goes ? 1 : 0));
    }
    if (heads != 0) last = r;
    before += heads - (goes ? 1 : 0);
  }
  leave(a.total, before);
}

inline constexpr int move_threads = 256;
inline constexpr unsigned moved_items = 2048;  // a tile

template <class T>
__global__ void __launch_bounds__(move_threads)
    save_tile_ends_kernel(const T* items, const std::uint64_t* moved, T* saved) {
  const std::uint64_t t = static_cast<std::uint64_t>(blockIdx.x) * move_threads + simt::thread_rank();
  const std::uint64_t behind = (t + 1) * moved_items;
  if (behind < *moved) saved[t] = items[behind];
}

template <class T>
__global__ void __launch_bounds__(move_threads) move_up_kernel(T* items, const std::uint64_t* moved, const T* saved) {
  constexpr int of_thread = moved_items / move_threads;
  const std::uint64_t n = *moved, begin = static_cast<std::uint64_t>(blockIdx.x) * moved_items;
  if (begin + 1 >= n) return;  // the whole block
  const auto left = static_cast<unsigned>(ballot::detail::smaller(n - 1 - begin, moved_items));
  T item[of_thread];
#pragma unroll
  for (int i = 0; i < of_thread; ++i) {
    const unsigned at = simt::thread_rank() + static_cast<unsigned>(i) * move_threads;
    if (at < left) item[i] = at + 1 < moved_items ? items[begin + at + 1] : saved[blockIdx.x];
  }
  simt::sync_block();  // read before they are overwritten
#pragma unroll
  for (int i = 0; i < of_thread; ++i) {
    const unsigned at = simt::thread_rank() + static_cast<unsigned>(i) * move_threads;
    if (at < left) items[begin + at] = item[i];
  }
}

constexpr std::uint64_t saved_tiles(std::uint64_t n) { return ballot::detail::ceil_div(n, moved_items); }

// saved: saved_tiles(n) items.
template <class T>
void launch_move_up(stream_t stream, T* items, std::uint64_t n, const std::uint64_t* moved, T* saved) {
  const std::uint64_t tiles = saved_tiles(n);
  if (tiles == 0) return;
  const auto launch = [&](auto kernel, std::uint64_t blocks, auto... args) {
    simt::launch(kernel, simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(move_threads), 0, stream},
                 args...);
  };
  launch(save_tile_ends_kernel<T>, ballot::detail::ceil_div(tiles, move_threads), static_cast<const T*>(items), moved,
         saved);
  launch(move_up_kernel<T>, tiles, items, moved, static_cast<const T*>(saved));
}

}  // namespace ballot::distributed::detail
