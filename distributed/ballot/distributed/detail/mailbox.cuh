// SPDX-License-Identifier: Apache-2.0
// Ranks that write into each other's memory exchange a few numbers without NCCL. Each rank has a
// mailbox, and writes its numbers into the mailbox of every rank.
//
//     rank 0's mailbox     from rank 0   from rank 1   ...      rounds: [8] [8] ...
//
// A round is one call of all ranks. A rank writes its words into its slot of each mailbox, and
// after them the number of the round (release). It waits until its own mailbox has that number
// from all ranks (acquire), and reads. Nothing is cleared: round numbers only grow. Each rank
// counts its rounds on the device, so that calls can be captured and replayed.
//
// Slots alternate between two halves. A rank that writes the words of round r + 2 has read the mail
// of round r + 1 of all ranks. So these have ended round r, whose words it overwrites.
//
// Lanes are independent of each other. Rounds of one lane are in stream order: two that run at once
// would count as one. So all calls of a communicator are in the order of one stream. Rounds of two
// lanes may run at the same time.
//
// A rank that is dead never writes. A rank that waits for it checks, now and then, whether the host
// has given up. Then it leaves, and its results are what was there before.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::distributed::detail {

inline constexpr int mailbox_lanes = 2;
inline constexpr std::size_t mailbox_slot_bytes = 32 * 1024;

// The layout of a rank's mailbox; the same for all ranks.
struct mailbox_layout {
  int size;

  static constexpr std::size_t numbers = 128;  // before them: the mark by which ranks find out that memory is shared
  BALLOT_HOST_DEVICE std::size_t round(int lane) const { return numbers + 8 * static_cast<std::size_t>(lane); }
  BALLOT_HOST_DEVICE std::size_t round_of(int lane, int rank) const {
    return numbers + 8 * static_cast<std::size_t>(mailbox_lanes + lane * size + rank);
  }
  BALLOT_HOST_DEVICE std::size_t addresses() const { return round_of(mailbox_lanes, 0); }
  BALLOT_HOST_DEVICE std::size_t slot(std::uint64_t round, int rank) const {
    const std::size_t begin = (addresses() + 8 * static_cast<std::size_t>(size) + 127) / 128 * 128;
    return begin + (round % 2 * static_cast<std::size_t>(size) + static_cast<std::size_t>(rank)) * mailbox_slot_bytes;
  }
  std::size_t bytes() const { return slot(1, size); }
};

// A rank's view.
struct mailbox {
  std::byte* own;                  // its mailbox; at `addresses` those of all ranks, as this one reaches them
  const std::uint32_t* abandoned;  // not 0: do not wait any more
  int rank;
  int size;

  BALLOT_HOST_DEVICE mailbox_layout layout() const { return {size}; }
  __device__ std::byte* of(int peer) const { return reinterpret_cast<std::byte**>(own + layout().addresses())[peer]; }
};

enum class mail { gather, sum };

inline constexpr unsigned mailbox_threads = 256;
// How often a waiting thread polls between two looks at the host's memory: at every poll in the
// emulator, seldom on a GPU.
inline constexpr unsigned polls_between_looks = simt::polls_before_fallback / 4;

// One block of each rank. Gets `words` of every rank, in the order of ranks, or their sums, word by
// word. Returns false, in all threads, if the host has given up.
template <mail What>
__device__ __forceinline__ bool exchange_mail(const mailbox& box, int lane, const std::uint64_t* from,
                                              std::uint64_t* to, unsigned words) {
  const mailbox_layout at = box.layout();
  const unsigned thread = simt::thread_rank();
  auto* const rounds = reinterpret_cast<std::uint64_t*>(box.own + at.round(lane));
  const std::uint64_t round = *rounds + 1;
  for (int p = 0; p < box.size; ++p) {
    auto* const slot = reinterpret_cast<std::uint64_t*>(box.of(p) + at.slot(round, box.rank));
    for (unsigned i = thread; i < words; i += mailbox_threads) slot[i] = from[i];
  }
  simt::sync_block();  // all have read the round; all words are written, and the releases below hand them over
  if (thread == 0) *rounds = round;
  for (int p = static_cast<int>(thread); p < box.size; p += mailbox_threads) {
    auto* const theirs = reinterpret_cast<std::uint64_t*>(box.of(p) + at.round_of(lane, box.rank));
    simt::store_release<simt::scope::system>(theirs, round);  // pairs with the load_acquire below, of rank p
  }
  bool alone = false;
  for (int p = static_cast<int>(thread); p < box.size; p += mailbox_threads) {
    const auto* const arrived = reinterpret_cast<const std::uint64_t*>(box.own + at.round_of(lane, p));
    // Pairs with the store_release above, of rank p.
    for (unsigned turn = 1; simt::load_acquire<simt::scope::system>(arrived) < round; ++turn) {
      alone = turn % polls_between_looks == 0 && simt::load_relaxed<simt::scope::system>(box.abandoned) != 0;
      if (alone) break;
      simt::spin_hint();
    }
  }
  if (simt::sync_block_any(alone)) return false;  // hands on what the acquires have seen
  const auto* const words_of = reinterpret_cast<const std::uint64_t*>(box.own + at.slot(round, 0));
  constexpr std::size_t stride = mailbox_slot_bytes / sizeof(std::uint64_t);
  for (unsigned i = thread; i < words; i += mailbox_threads) {
    std::uint64_t sum = 0;
    for (int p = 0; p < box.size; ++p) {
      const std::uint64_t word = words_of[static_cast<std::size_t>(p) * stride + i];
      if (What == mail::gather) to[static_cast<std::size_t>(p) * words + i] = word;
      else sum += word;
    }
    if (What == mail::sum) to[i] = sum;
  }
  return true;
}

template <mail What>
__global__ void __launch_bounds__(mailbox_threads)
    exchange_mail_kernel(mailbox box, int lane, const std::uint64_t* from, std::uint64_t* to, unsigned words) {
  (void)exchange_mail<What>(box, lane, from, to, words);
}

template <mail What>
void launch_exchange_mail(stream_t stream, const mailbox& box, int lane, const void* from, void* to,
                          std::size_t bytes) {
  simt::launch(exchange_mail_kernel<What>, simt::launch_config{dim3(1), dim3(mailbox_threads), 0, stream}, box, lane,
               static_cast<const std::uint64_t*>(from), static_cast<std::uint64_t*>(to),
               static_cast<unsigned>(bytes / sizeof(std::uint64_t)));
}

// Whether so many bytes are exchanged by mailboxes: the same on all ranks.
inline bool goes_by_mail(std::size_t bytes) {
  return bytes <= mailbox_slot_bytes && bytes % sizeof(std::uint64_t) == 0;
}

}  // namespace ballot::distributed::detail
