// SPDX-License-Identifier: Apache-2.0
// Sorts items of which nearly all have the same key (the majority), and only some other keys (the
// others). However many digits the keys have, they are read once more, and items are moved once.
//
//     keys       7 7 3 7 7 9 7 2 7          majority 7, which the histogram has found
//     collect    3 at 2, 9 at 5, 2 at 7     others: a list in no particular order, and how many of
//                                           them are less than 7
//     place      2 3 7 7 7 7 7 7 9          the rank of another key among the others is counted; the
//                                           majority lies between them, in the order of the input
//
// If few keys lack the most frequent digit of any pass, the key made of these digits is the
// majority's: all others lack one of them. The histogram knows these counts anyway (histogram_plan.cuh).
//
// The kernel of the local sort does this, in place of buckets (local_sort_kernel.cuh). Blocks take
// tickets: first parts of the input to collect from, and then parts to place. A block that is to
// place waits until all others are collected. The blocks that collect are running, since they have
// their tickets. So this works with any number of blocks.
//
// A block counts the ranks of some of the others: those that are smaller, or equal and before them.
// So the sort is stable. The steps are the square of their number, so there may not be many.
//
// The histogram counts the compared bits. Keys between bounds have no others. If they do, because the
// rank that should have sent them has failed, there may be more others than the list has room for. Then
// the order is unspecified, but nothing is read or written outside the arguments.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/majority_counts.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/device/look_back.cuh>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

template <class U, class V>
struct majority_sort_arguments {
  const U* keys_in;
  const V* values_in;  // null: each value is the position of its key
  length n;            // less than 2^32
  majority_counts* counts;
  U* other_keys;  // ordered bits
  std::uint32_t* other_positions;
  std::uint32_t room;  // in the list
};

inline constexpr unsigned ranked_at_once = 64;
struct majority_sort_storage {
  std::uint32_t ticket;
  std::uint32_t before[ranked_at_once];  // how many others are before each that is ranked
};

// All threads of a block. Outputs: where keys and values go.
template <class U, class V, class Shape, class Outputs>
class majority_sort {
 public:
  static constexpr bool has_values = !std::is_same_v<V, no_value>;

  __device__ __forceinline__ majority_sort(const majority_sort_arguments<U, V>& a, const Outputs& out,
                                           const key_codec<U>& codec, majority_sort_storage& shared)
      : a_(a),
        out_(out),
        codec_(codec),
        shared_(shared),
        n_(static_cast<std::uint32_t>(a.n.get())),
        key_(static_cast<U>(a.counts->key)) {}

  __device__ __forceinline__ void process() {
    const unsigned most = gridDim.x < most_parts ? gridDim.x : most_parts;
    parts_ = n_ < most * Shape::threads ? (n_ + Shape::threads - 1u) / Shape::threads : most;
    bool waited = false;
#pragma unroll 1
    for (;;) {
      simt::sync_block();  // all threads have read the slot
      const std::uint32_t ticket = device::pending_ticket(&a_.counts->ticket).get(shared_.ticket);
      if (ticket >= 2 * parts_) return;
      if (ticket < parts_) {
        collect(ticket);
        // Behind the barrier the increment releases what all threads have stored; pairs with wait_for_others.
        simt::sync_block();
        if (simt::thread_rank() == 0) simt::atomic_add<simt::order::acq_rel>(&a_.counts->finished, 1u);
        continue;
      }
      if (!waited) wait_for_others();
      waited = true;
      place_others(ticket - parts_);
      place_majority(ticket - parts_);
    }
  }

 private:
  // Rows of a warp's items that are in flight at once.
  static constexpr unsigned in_flight = 8;
  // As many as a GPU with 132 multiprocessors runs at once, two on each. H200, 2026-12-01, 3 million u32,
  // 1000 others, us in a graph: 35.1; 528 parts 40.4, 1024 parts 45.2.
  static constexpr unsigned most_parts = 264;
  static constexpr unsigned entries = 4;  // of the list, in a thread's registers

  struct range {
    std::uint32_t begin, end;
  };
  // Those of the warp in a part of all items.
  __device__ __forceinline__ range range_of_warp(std::uint32_t part) const {
    const std::uint32_t warps = parts_ * Shape::warps, warp = part * Shape::warps + simt::warp_id();
    const auto bound = [&](std::uint32_t w) {
      return w == warps ? n_ : static_cast<std::uint32_t>(std::uint64_t{n_} * w / warps) & ~(simt::warp_size - 1u);
    };
    return {bound(warp), bound(warp + 1)};
  }

  __device__ __forceinline__ void collect(std::uint32_t part) {
    const range own = range_of_warp(part);
    const unsigned lane = simt::lane_id();
    const U raw = codec_.decode(key_);
#pragma unroll 1
    for (std::uint32_t first = own.begin; first < own.end; first += in_flight * simt::warp_size) {
      U key[in_flight];
      bool differs = false;
#pragma unroll
      for (unsigned i = 0; i < in_flight; ++i) {
        const std::uint32_t at = first + i * simt::warp_size + lane;
        key[i] = at < own.end ? a_.keys_in[at] : raw;
        differs |= key[i] != raw;
      }
      if (!simt::any(differs)) continue;
#pragma unroll
      for (unsigned i = 0; i < in_flight; ++i)
        append(key[i] != raw, codec_.encode(key[i]), first + i * simt::warp_size + lane);
    }
  }
  // Appends the keys of those lanes to the list.
  __device__ __forceinline__ void append(bool is_other, U key, std::uint32_t position) {
    const std::uint32_t others = simt::ballot(is_other), less = simt::ballot(is_other && key < key_);
    if (others == 0) return;
    std::uint64_t before = 0;
    // Relaxed: the list is read after wait_for_others.
    if (simt::lane_id() == 0)
      before = simt::atomic_add(&a_.counts->others, std::uint64_t{simt::popcount(less)} << 32 | simt::popcount(others));
    const std::uint32_t first = simt::shuffle(static_cast<std::uint32_t>(before), 0);
    if (!is_other) return;
    const std::uint32_t at = first + simt::popcount(others & simt::lanemask_lt());
    if (at >= a_.room) return;  // keys above their bounds
    a_.other_keys[at] = key;
    a_.other_positions[at] = position;
  }

  __device__ __forceinline__ void wait_for_others() {
    if (simt::thread_rank() == 0) {
      // Pairs with the increments of `process`.
      while (simt::load_acquire(&a_.counts->finished) != parts_) simt::spin_hint();
    }
    simt::sync_block();
    const std::uint64_t counted = simt::load_relaxed(&a_.counts->others);
    others_ = static_cast<std::uint32_t>(smaller(counted & ~std::uint32_t{0}, std::uint64_t{a_.room}));
    less_ = static_cast<std::uint32_t>(smaller(counted >> 32, std::uint64_t{others_}));
  }

  // The block places each parts_-th of the others. Each thread compares them all with some entries of
  // the list.
  __device__ __forceinline__ void place_others(std::uint32_t part) {
#pragma unroll 1
    for (std::uint32_t first = part; first < others_; first += ranked_at_once * parts_) {
      const std::uint32_t left = (others_ - first + parts_ - 1u) / parts_;
      place_some(first, left < ranked_at_once ? left : ranked_at_once);
    }
  }
  // Those at first, first + parts_, ...
  __device__ __forceinline__ void place_some(std::uint32_t first, unsigned count) {
    const unsigned thread = simt::thread_rank();
    if (thread < count) shared_.before[thread] = 0;
    simt::sync_block();
#pragma unroll 1
    for (std::uint32_t begin = 0; begin < others_; begin += entries * Shape::threads) {
      U key[entries];
      std::uint32_t position[entries];
#pragma unroll
      for (unsigned i = 0; i < entries; ++i) {
        const std::uint32_t at = begin + i * Shape::threads + thread, from = at < others_ ? at : begin;
        key[i] = a_.other_keys[from];
        position[i] = a_.other_positions[from];
        if (at >= others_) key[i] = static_cast<U>(~U{0}), position[i] = ~std::uint32_t{0};  // before nothing
      }
#pragma unroll 2
      for (unsigned k = 0; k < count; ++k) {
        const U own = a_.other_keys[first + k * parts_];
        const std::uint32_t at = a_.other_positions[first + k * parts_];
        std::uint32_t before = 0;
#pragma unroll
        for (unsigned i = 0; i < entries; ++i) before += key[i] < own || (key[i] == own && position[i] < at) ? 1u : 0u;
        before = simt::reduce_add(before);
        // Relaxed: read after the barrier.
        if (simt::lane_id() == 0)
          simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared_.before[k], before);
      }
    }
    simt::sync_block();
    if (thread < count) {
      const std::uint32_t before = shared_.before[thread], i = first + thread * parts_;
      store(before < less_ ? before : n_ - others_ + before, a_.other_keys[i], a_.other_positions[i]);
    }
    simt::sync_block();  // the counts are read before they are cleared again
  }
  __device__ __forceinline__ void store(std::uint32_t to, U key, [[maybe_unused]] std::uint32_t from) {
    if (out_.keys_wanted) out_.keys_output[to] = codec_.decode(key);
    if constexpr (has_values) out_.values_output[to] = value_at(from);
  }
  __device__ __forceinline__ V value_at(std::uint32_t at) const {
    return a_.values_in != nullptr ? a_.values_in[at] : static_cast<V>(at);
  }

  __device__ __forceinline__ void place_majority(std::uint32_t part) {
    const range own = range_of_warp(part);
    const unsigned lane = simt::lane_id();
    if (out_.keys_wanted) {
      // By places in the output.
      const U raw = codec_.decode(key_);
      const std::uint32_t end = n_ - others_ + less_;
#pragma unroll 1
      for (std::uint32_t first = own.begin; first < own.end; first += in_flight * simt::warp_size) {
#pragma unroll
        for (unsigned i = 0; i < in_flight; ++i)
          if (const std::uint32_t at = first + i * simt::warp_size + lane; at < own.end && at >= less_ && at < end)
            out_.keys_output[at] = raw;
      }
    }
    if constexpr (has_values) place_values(own);
  }
  // By places in the input: a value moves by the number of others before it.
  __device__ __forceinline__ void place_values(const range& own) {
    const unsigned lane = simt::lane_id();
    if (own.begin == own.end) return;
    std::uint32_t before = 0;
#pragma unroll 8
    for (std::uint32_t j = lane; j < others_; j += simt::warp_size)
      before += a_.other_positions[j] < own.begin ? 1u : 0u;
    before = simt::reduce_add(before);
    const U raw = codec_.decode(key_);
#pragma unroll 1
    for (std::uint32_t first = own.begin; first < own.end; first += in_flight * simt::warp_size) {
      bool is_other[in_flight];
      V value[in_flight];
#pragma unroll
      for (unsigned i = 0; i < in_flight; ++i) {
        const std::uint32_t at = first + i * simt::warp_size + lane;
        const std::uint32_t from = at < own.end ? at : own.begin;  // no branch around a load
        is_other[i] = a_.keys_in[from] != raw && at < own.end;
        value[i] = value_at(from);
      }
#pragma unroll
      for (unsigned i = 0; i < in_flight; ++i) {
        const std::uint32_t at = first + i * simt::warp_size + lane, others = simt::ballot(is_other[i]);
        if (at < own.end && !is_other[i])
          out_.values_output[less_ + at - before - simt::popcount(others & simt::lanemask_lt())] = value[i];
        before += simt::popcount(others);
      }
    }
  }

  const majority_sort_arguments<U, V>& a_;
  const Outputs& out_;
  const key_codec<U>& codec_;
  majority_sort_storage& shared_;
  const std::uint32_t n_;
  const U key_;
  std::uint32_t parts_ = 0, others_ = 0, less_ = 0;
};

}  // namespace ballot::detail
