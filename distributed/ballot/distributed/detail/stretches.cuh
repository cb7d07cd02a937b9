// SPDX-License-Identifier: Apache-2.0
// The places of the parts of a rank's items until they have been sent. A stretch is what goes to
// one piece of one rank.
//
//     items by group   [..............][...........][.................][....]
//     stretches         piece 0, rank 0  p 1, rank 0  p 0, rank 1        p 1, rank 1
//Items that stay on this rank are written directly among the arriving items. A stretch for another
// rank has the same address modulo 16 here and there. If the two differ, NCCL moves bytes one by
// one (H200: 145 GB/s, otherwise 350). The host and the device compute the same places, each from
// the gathered counts.
//If a rank has died, its counts are missing, or are those of an earlier sort. The host learns that
// only when the kernel that writes the stretches has been launched. So the device checks the
// counts. If they are impossible, it drops the stretches and writes nothing.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/distributed/detail/shares.hpp>
#include <ballot/distributed/detail/splitters.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::distributed::detail {

// So many bytes before each stretch may be left free.
inline constexpr std::size_t stretch_slack = 32;

// The stretches of one column, keys or values, are put one after the other.
struct column_layout {
  std::uint64_t item_bytes;
  std::int64_t arrived;   // bytes from the first stretch's memory to that of what arrives
  std::uint64_t end = 0;  // of the stretches so far

  // The begin of a stretch, in bytes. place: in the receiver's memory, in items.
  BALLOT_HOST_DEVICE std::int64_t put(bool stays, std::uint64_t place, std::uint64_t items) {
    if (stays) return arrived + static_cast<std::int64_t>(place * item_bytes);
    const std::uint64_t begin = (end + 15) / 16 * 16 + place * item_bytes % 16;
    end = begin + items * item_bytes;
    return static_cast<std::int64_t>(begin);
  }
};

// A stretch as the kernel that writes it sees it, on the device. A shift is added to an item's
// index among the items by group.
struct stretch {
  std::uint64_t begin;  // among the items by group
  std::int64_t key_shift;
  std::int64_t value_shift;

  // The end of the stretches has no shift. There it says whether they are dropped.
  static constexpr std::int64_t kept = 0, dropped = 1;
};

struct place_stretches_arguments {
  const std::uint64_t* gathered;   // [rank][boundary]: keys below its splitter, and equal to it
  const std::uint64_t* own_below;  // of this rank, as gathered
  const std::uint64_t* left;       // items to lie left of each boundary
  int ranks;
  int rank;
  int pieces;
  column_layout keys;
  column_layout values;  // item_bytes 0: none
  stretch* stretches;    // one for each piece of each rank, and the end
};

struct place_stretches_storage {
  std::uint64_t before[most_boundaries + 2];  // of the ranks before this one: their items left of the boundary
  std::uint64_t own[most_boundaries + 2];     // of this rank
};

// One block: a thread for each boundary, and then one for all stretches, which follow each other.
template <class Record>
__global__ void __launch_bounds__(most_boundaries + 1)
    place_stretches_kernel(const Record* all, place_stretches_arguments a) {
  auto& shared = simt::shared_storage<place_stretches_storage>();
  const int number = a.ranks * a.pieces - 1, b = static_cast<int>(simt::thread_rank());
  bool is_wrong = false;
  if (b < number) {
    const auto count_of = [&](int r) { return a.gathered + 2 * (r * number + b); };
    std::uint64_t smaller = 0, equal = 0;
    for (int r = 0; r < a.ranks; ++r) {
      smaller += count_of(r)[0];
      equal += count_of(r)[1];
      is_wrong |= !are_possible(count_of(r)[0], count_of(r)[1], all[r].items);
    }
    is_wrong |= smaller > a.left[b] || equal < a.left[b] - smaller;
    is_wrong |= count_of(a.rank)[0] != a.own_below[2 * b] || count_of(a.rank)[1] != a.own_below[2 * b + 1];
    std::uint64_t ties_left = a.left[b] - smaller, before = 0;
    for (int r = 0; r <= a.rank; ++r) {  // ties are cut in the order of the ranks (shares.hpp)
      const std::uint64_t taken = ballot::detail::smaller(count_of(r)[1], ties_left);
      ties_left -= taken;
      if (r == a.rank) shared.own[b + 1] = count_of(r)[0] + taken;
      else before += count_of(r)[0] + taken;
    }
    shared.before[b + 1] = before;
  }
  if (b == 0) {
    std::uint64_t before = 0;
    for (int r = 0; r < a.rank; ++r) before += all[r].items;
    shared.before[0] = shared.own[0] = 0;
    shared.before[number + 1] = before;
    shared.own[number + 1] = all[a.rank].items;
  }
  is_wrong = simt::sync_block_any(is_wrong);
  if (b != 0) return;
  for (int j = 0; j <= number && !is_wrong; ++j) {
    const int receiver = j / a.pieces;
    is_wrong = shared.own[j + 1] < shared.own[j] || shared.before[j + 1] < shared.before[j];
    if (is_wrong) break;
    const std::uint64_t items = shared.own[j + 1] - shared.own[j];
    const std::uint64_t place =
        piece_begin(all[receiver].room, a.pieces, j % a.pieces) + shared.before[j + 1] - shared.before[j];
    is_wrong = place > all[receiver].room || items > all[receiver].room - place;
    if (is_wrong) break;
    const auto shift = [&](column_layout& column) {
      if (column.item_bytes == 0) return std::int64_t{0};
      return column.put(receiver == a.rank, place, items) / static_cast<std::int64_t>(column.item_bytes) -
             static_cast<std::int64_t>(shared.own[j]);
    };
    a.stretches[j] = {shared.own[j], shift(a.keys), shift(a.values)};
  }
  a.stretches[number + 1] = {shared.own[number + 1], is_wrong ? stretch::dropped : stretch::kept, 0};
}

template <class Record>
void launch_place_stretches(stream_t stream, const Record* all, const place_stretches_arguments& a) {
  simt::launch(place_stretches_kernel<Record>,
               simt::launch_config{dim3(1), dim3(most_boundaries + 1), sizeof(place_stretches_storage), stream}, all,
               a);
}

}  // namespace ballot::distributed::detail
