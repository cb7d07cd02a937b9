// SPDX-License-Identifier: Apache-2.0
// The levels after the first (splitters.cuh). They count the candidates: the keys that begin like a
// splitter.
//
//     level 1    Looks at all candidates. For the leading bits of each splitter, it
//                notes which of the remaining bits of their keys differ.
//     level 2    Looks at all candidates. It selects those that still begin like a splitter. A
//                warp stores its own candidates where it read them.
//     level 3    Looks at the selected candidates. So do all later levels.
//
// If all candidates of each splitter are one key, level 1 knows the splitters, and no later level
// looks at any key. An example are keys that are all equal. There every key is a candidate, and
// each level would read all of them.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/distributed/detail/splitters.cuh>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::distributed::detail {

// Each block that counts has to add its counts for all boundaries. So at these levels a block takes
// about this many tiles, and fewer blocks count. The kernel chooses how many: only the device knows
// how many keys there are.
inline constexpr unsigned rounds_of_later_levels = 4;

inline constexpr unsigned count_warps = count_threads / simt::warp_size;

template <class U>
struct candidate_arguments {
  U* keys;  // in no order
  ballot::detail::length items;
  asked_bits<U> asked;
  boundaries<U> of;
  int shift;
  int bits;
  std::uint64_t* counts;              // [slot][digit], zero at launch: slot is the first boundary with its leading bits
  std::uint64_t* rest;                // [slot][set, clear][bit], zero at launch; null: not noted
  std::uint32_t* selected;            // [warp of the grid]; null: all candidates stay
  bool writes_selected;               // this level does; otherwise an earlier one did
  const std::uint32_t* undetermined;  // if it points to 0, the splitters are known; may be null
};

// If there are few slots, the counts by slot and digit follow it in memory.
template <class U>
struct alignas(16) candidate_count_storage {
  using word = rest_word<U>;
  U splitter[counted_in_shared];
  std::uint8_t slot[level_digits];  // of the first digit, or no_slot
  word set[counted_in_shared], clear[counted_in_shared];

  static constexpr std::uint8_t no_slot = 0xff;
  static_assert(most_boundaries <= no_slot, "a byte names a slot");

  __device__ __forceinline__ std::uint32_t* counts() { return reinterpret_cast<std::uint32_t*>(this + 1); }
  static std::size_t bytes_for(int slots) {
    return sizeof(candidate_count_storage) +
           (slots <= counted_in_shared ? static_cast<std::size_t>(slots) * level_digits * sizeof(std::uint32_t) : 0);
  }
};

// The consecutive candidates of one warp. All warps have the same number of whole tiles.
struct candidate_stretch {
  std::uint64_t begin, end;
};

template <class U, bool Second>
class candidate_counter {
 public:
  using storage = candidate_count_storage<U>;
  using shape = count_shape<U>;

  __device__ __forceinline__ candidate_counter(const candidate_arguments<U>& a, storage& shared)
      : a_(a), shared_(shared), count_(shared.counts()), in_shared_(a.of.number <= counted_in_shared) {}

  __device__ __forceinline__ void run() {
    const std::uint64_t n = a_.items.get();
    const std::uint64_t enough = ballot::detail::ceil_div(n, shape::items * rounds_of_later_levels);
    const unsigned blocks = enough > gridDim.x ? gridDim.x : static_cast<unsigned>(enough);
    if (blockIdx.x >= blocks) return;  // the whole block
    prepare();
    const unsigned warp = blockIdx.x * count_warps + simt::warp_id();
    count(stretch_of(warp, blocks * count_warps, n), warp);
    simt::sync_block();
    add_up();
  }

 private:
  static constexpr unsigned warp_tile = simt::warp_size * shape::chunks * shape::width;

  __device__ __forceinline__ bool notes_rest() const {
    return Second && has_rest_word<U> && in_shared_ && a_.rest != nullptr;
  }
  __device__ __forceinline__ unsigned bins() const {
    return in_shared_ ? static_cast<unsigned>(a_.of.number) * level_digits : 0;
  }

  // All threads; ends with a barrier.
  __device__ __forceinline__ void prepare() {
    const unsigned thread = simt::thread_rank();
    for (unsigned i = thread; i < bins(); i += count_threads) count_[i] = 0;
    if (in_shared_ && thread < static_cast<unsigned>(a_.of.number)) {
      shared_.splitter[thread] = a_.of.splitter[thread];
      shared_.set[thread] = shared_.clear[thread] = 0;
    }
    if constexpr (Second) {
      static_assert(count_threads == level_digits, "a thread a digit");
      const int slot = find_boundary(a_.of.splitter, a_.of.number, static_cast<U>(thread));
      const bool begins_splitter = slot < a_.of.number && a_.of.splitter[slot] == static_cast<U>(thread);
      shared_.slot[thread] = begins_splitter ? static_cast<std::uint8_t>(slot) : storage::no_slot;
    }
    simt::sync_block();
  }

  __device__ __forceinline__ candidate_stretch stretch_of(unsigned warp, unsigned warps, std::uint64_t n) const {
    const std::uint64_t each =
        ballot::detail::ceil_div(ballot::detail::ceil_div(n, std::uint64_t{warp_tile}), std::uint64_t{warps}) *
        warp_tile;
    const std::uint64_t begin = ballot::detail::smaller(n, warp * each);
    if (a_.selected != nullptr && !a_.writes_selected) return {begin, begin + a_.selected[warp]};
    return {begin, ballot::detail::smaller(n, begin + each)};
  }

  // The slot of a key's leading bits. Returns false if no boundary has them.
  __device__ __forceinline__ bool find_slot(U code, unsigned& slot) const {
    const U leading = static_cast<U>(static_cast<U>(code >> a_.shift) >> a_.bits);
    if constexpr (Second) {
      slot = shared_.slot[static_cast<unsigned>(leading) & (level_digits - 1u)];
      return slot != storage::no_slot;
    } else {
      const U* const splitter = in_shared_ ? shared_.splitter : a_.of.splitter;
      slot = static_cast<unsigned>(find_boundary(splitter, a_.of.number, leading));
      return slot < static_cast<unsigned>(a_.of.number) && splitter[slot] == leading;
    }
  }

  __device__ __forceinline__ void count(const candidate_stretch& own, unsigned warp) {
    const unsigned lane = simt::lane_id(), digit_mask = (1u << a_.bits) - 1u;
    const bool notes = notes_rest();
    std::uint64_t selected = own.begin;
    for (std::uint64_t begin = own.begin; begin < own.end; begin += warp_tile) {
      simt::vector<U, shape::width> key[shape::chunks];
      load(begin, own.end, key);
      // The lanes have read what they may overwrite below.
      if (a_.writes_selected) simt::sync_warp();
#pragma unroll
      for (int c = 0; c < shape::chunks; ++c)
#pragma unroll
        for (int j = 0; j < shape::width; ++j) {
          const U code = a_.asked.of(key[c][j]);
          unsigned slot;
          const bool there = find_slot(code, slot) && first_of(begin, c) + static_cast<unsigned>(j) < own.end;
          const unsigned votes = simt::ballot(there);
          if (votes == 0) continue;
          if (notes && there) note_rest(slot, code);
          if (a_.writes_selected) {
            if (there) a_.keys[selected + simt::popcount(votes & simt::lanemask_lt())] = key[c][j];
            selected += simt::popcount(votes);
          }
          // The keys of a warp may all be equal, and their atomics would then queue up. So one lane
          // adds for all lanes with the same bin as the first lane.
          const unsigned bin = slot * level_digits + (static_cast<unsigned>(code >> a_.shift) & digit_mask);
          const auto leader = static_cast<unsigned>(simt::find_first(votes));
          const unsigned first_bin = simt::shuffle(bin, leader);
          const unsigned same = simt::ballot(there && bin == first_bin);
          if (there && (lane == leader || bin != first_bin))
            add(bin, lane == leader ? static_cast<std::uint32_t>(simt::popcount(same)) : 1u);
        }
    }
    if (a_.writes_selected && lane == 0) a_.selected[warp] = static_cast<std::uint32_t>(selected - own.begin);
  }
  __device__ __forceinline__ static std::uint64_t first_of(std::uint64_t begin, int chunk) {
    return begin + (static_cast<unsigned>(chunk) * simt::warp_size + simt::lane_id()) * shape::width;
  }
  __device__ __forceinline__ void load(std::uint64_t begin, std::uint64_t end,
                                       simt::vector<U, shape::width> (&key)[shape::chunks]) const {
#pragma unroll
    for (int c = 0; c < shape::chunks; ++c) {
      const std::uint64_t at = first_of(begin, c);
      if constexpr (shape::width > 1) {
        if (at + shape::width <= end) {
          key[c] = simt::load_vector<U, shape::width>(a_.keys + at);
          continue;
        }
      }
#pragma unroll
      for (int j = 0; j < shape::width; ++j)
        key[c][j] = at + static_cast<unsigned>(j) < end ? a_.keys[at + static_cast<unsigned>(j)] : U{};
    }
  }
  // Relaxed: read after run()'s barrier, or by the next launch.
  __device__ __forceinline__ void add(unsigned bin, std::uint32_t items) {
    if (in_shared_) simt::atomic_add<simt::order::relaxed, simt::scope::block>(count_ + bin, items);
    else simt::atomic_add(a_.counts + bin, std::uint64_t{items});
  }
  // Most keys show nothing new, and then there is no atomic. Relaxed: if a load misses a bit, the
  // atomic adds it again. The words are read after run()'s barrier.
  __device__ __forceinline__ void note_rest(unsigned slot, U code) {
    if constexpr (has_rest_word<U>) {
      using word = typename storage::word;
      const word mask = static_cast<word>((word{1} << a_.shift) - 1), bits = static_cast<word>(code) & mask;
      const word set = bits & ~simt::load_relaxed<simt::scope::block>(shared_.set + slot),
                 clear = ~bits & mask & ~simt::load_relaxed<simt::scope::block>(shared_.clear + slot);
      if (set != 0) simt::atomic_or<simt::order::relaxed, simt::scope::block>(shared_.set + slot, set);
      if (clear != 0) simt::atomic_or<simt::order::relaxed, simt::scope::block>(shared_.clear + slot, clear);
    }
  }

  __device__ __forceinline__ void add_up() {
    for (unsigned i = simt::thread_rank(); i < bins(); i += count_threads)
      if (count_[i] != 0) simt::atomic_add(a_.counts + i, std::uint64_t{count_[i]});
    if (!notes_rest()) return;
    const auto bits = static_cast<unsigned>(a_.shift), words = static_cast<unsigned>(a_.of.number) * 2 * bits;
    for (unsigned i = simt::thread_rank(); i < words; i += count_threads) {
      const unsigned slot = i / (2 * bits), which = i - slot * 2 * bits;
      const auto seen = which < bits ? shared_.set[slot] >> which : shared_.clear[slot] >> (which - bits);
      // Relaxed: blocks store the same. The next launch reads it.
      if ((seen & 1u) != 0 && simt::load_relaxed(a_.rest + i) == 0) simt::store_relaxed(a_.rest + i, std::uint64_t{1});
    }
  }

  const candidate_arguments<U>& a_;
  storage& shared_;
  std::uint32_t* const count_;
  const bool in_shared_;
};

template <class U, bool Second>
__global__ void __launch_bounds__(count_threads) count_candidates_kernel(candidate_arguments<U> a) {
  if (a.undetermined != nullptr && *a.undetermined == 0) return;  // the whole grid
  candidate_counter<U, Second>(a, simt::shared_storage<candidate_count_storage<U>>()).run();
}

template <class U>
void launch_count_candidates(stream_t stream, const candidate_arguments<U>& a, bool second) {
  const std::uint64_t tiles = ballot::detail::ceil_div(a.items.capacity, count_shape<U>::items);
  const auto blocks = static_cast<unsigned>(ballot::detail::smaller(tiles, most_count_blocks));
  if (blocks == 0) return;
  simt::launch(second ? count_candidates_kernel<U, true> : count_candidates_kernel<U, false>,
               simt::launch_config{dim3(blocks), dim3(count_threads),
                                   candidate_count_storage<U>::bytes_for(a.of.number), stream},
               a);
}

}  // namespace ballot::distributed::detail
