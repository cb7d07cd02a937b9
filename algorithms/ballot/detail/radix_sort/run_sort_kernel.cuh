// SPDX-License-Identifier: Apache-2.0
// Sorted runs: each block sorts the keys of its own run, in shared memory. This is the first launch
// of a sort by runs (run_sort_launch.cuh); merge_runs_kernel.cuh is the next.
//
//     load -> sort the keys of a thread -> merge runs of 1, 2, 4, ... threads -> store
//
// In a round of merges each key finds by bisection how many keys of the neighbouring run go before
// it. The sum of these and its place in its own run is its place in both runs together. A round has
// one barrier. Runs of one warp are merged without a barrier.
//
// Keys are stored as ordered bits, but a run that is the whole result is stored as keys. Values
// follow their keys. A block reads all its items before it writes one, so that a run may end where
// it began. Stable and deterministic, at any address.
//
// Sources: Cole, Parallel Merge Sort, 1988 (merging by the rank in the other run); Satish, Harris
// and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs, 2009.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/compared_bits.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// How keys of runs are compared: by the ordered bits in a range, which stay where they are.
template <class U>
struct run_order {
  key_codec<U> codec;
  U mask;

  static run_order of(const key_codec<U>& codec, const radix_digit_plan& digits) {
    const auto compared = compared_bits<U>::of(digits.low, digits.high);
    return {codec, static_cast<U>(compared.mask << digits.low)};
  }
  __device__ __forceinline__ U compared(U ordered) const { return static_cast<U>(codec.compared(ordered) & mask); }
};

// The keys of another run that go before one key: those that are less, and, if the run is an
// earlier one, those that are equal.
template <class U>
struct run_bound {
  U end;     // the keys less than this
  bool all;  // none is greater

  __device__ __forceinline__ run_bound(U compared, bool is_earlier)
      : end(static_cast<U>(compared + (is_earlier ? 1 : 0))), all(is_earlier && end == 0) {}
};

template <int Threads, int ItemsPerThread>
struct run_sort_shape {
  static constexpr int threads = Threads, items_per_thread = ItemsPerThread;
  static constexpr unsigned items = Threads * ItemsPerThread, warp_items = simt::warp_size * ItemsPerThread;
  static_assert((items & (items - 1)) == 0 && items <= 1u << 16, "runs are halved, and positions have 16 bits");
};

template <class U, class V>
struct run_sort_arguments {
  input<U> keys;
  const V* values;  // null: the positions of the keys
  U* keys_to;       // ordered bits; null: not wanted
  V* values_to;
  bool decodes;  // stores keys, not their ordered bits: there is one run
  run_order<U> order;
};

template <class U, class V, class Shape>
struct run_sort_storage {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  // A round of merges reads one and writes the other.
  struct items {
    U keys[Shape::items];
    std::uint16_t positions[has_values ? Shape::items : 1];
  };
  union {
    items of_round[2];
    V values[has_values ? Shape::items : 1];
  };
};

// 0 < valid <= Shape::items: the items of the run that begins at `begin`. Missing keys are the
// largest there are, and come last.
template <class U, class V, class Shape>
class run_sort {
 public:
  using arguments = run_sort_arguments<U, V>;
  using storage = run_sort_storage<U, V, Shape>;

  __device__ __forceinline__ run_sort(const arguments& a, storage& shared, std::uint64_t begin, unsigned valid)
      : a_(a), shared_(shared), begin_(begin), valid_(valid) {}

  __device__ __forceinline__ void process() {
    load();
    sort_own();
    put(shared_.of_round[0]);
    synchronise(2 * items);
    unsigned round = 0;
#pragma unroll 1
    for (unsigned run = items; run < valid_; run *= 2, ++round)
      merge(run, shared_.of_round[round % 2], shared_.of_round[(round + 1) % 2]);
    store();
  }

 private:
  static constexpr bool has_values = storage::has_values;
  static constexpr unsigned items = Shape::items_per_thread;

  __device__ __forceinline__ void load() {
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      const unsigned at = first_ + i;
      key_[i] = static_cast<U>(~U{0});
      if (at < valid_) key_[i] = a_.order.codec.encode(a_.keys.data[begin_ + at]);
      position_[i] = at;
      if constexpr (has_values)
        if (at < valid_) value_[i] = a_.values == nullptr ? static_cast<V>(begin_ + at) : a_.values[begin_ + at];
    }
  }

  // By exchanges of neighbours, which keep equal keys in their order.
  __device__ __forceinline__ void sort_own() {
#pragma unroll
    for (unsigned round = 0; round < items; ++round)
#pragma unroll
      for (unsigned i = round % 2; i + 1 < items; i += 2) {
        if (compared(key_[i]) <= compared(key_[i + 1])) continue;
        const U key = key_[i];
        key_[i] = key_[i + 1];
        key_[i + 1] = key;
        const unsigned position = position_[i];
        position_[i] = position_[i + 1];
        position_[i + 1] = position;
      }
  }

  // Merges pairs of sorted runs, from one buffer to the other.
  __device__ __forceinline__ void merge(unsigned run, const typename storage::items& from,
                                        typename storage::items& to) {
    const unsigned own = first_ / run * run, other = own ^ run;
    const U* const neighbours = from.keys + other;
    U end[items] = {};  // zeros for compilers that see no write below
    unsigned before[items] = {};
#pragma unroll
    for (unsigned i = 0; i < items; ++i) end[i] = run_bound<U>(compared(key_[i]), other < own).end;
#pragma unroll 1
    for (unsigned step = run / 2; step != 0; step /= 2)
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (compared(neighbours[before[i] + step - 1]) < end[i]) before[i] += step;
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      if (compared(neighbours[before[i]]) < end[i]) ++before[i];
      if (run_bound<U>(compared(key_[i]), other < own).all) before[i] = run;
    }
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      const unsigned place = (own & other) + first_ - own + i + before[i];
      to.keys[place] = key_[i];
      if constexpr (has_values) to.positions[place] = static_cast<std::uint16_t>(position_[i]);
    }
    synchronise(4 * run);
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      key_[i] = to.keys[first_ + i];
      if constexpr (has_values) position_[i] = to.positions[first_ + i];
    }
  }

  __device__ __forceinline__ void put(typename storage::items& to) const {
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      to.keys[first_ + i] = key_[i];
      if constexpr (has_values) to.positions[first_ + i] = static_cast<std::uint16_t>(position_[i]);
    }
  }

  // Before a round that merges to runs of so many items. These belong to one warp, or to several.
  __device__ __forceinline__ static void synchronise(unsigned merged) {
    if (merged <= Shape::warp_items) simt::sync_warp();
    else simt::sync_block();
  }

  __device__ __forceinline__ void store() {
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (first_ + i < valid_ && a_.keys_to != nullptr)
        a_.keys_to[begin_ + first_ + i] = a_.decodes ? a_.order.codec.decode(key_[i]) : key_[i];
    if constexpr (has_values) {
      simt::sync_block();  // the keys are read; values take their memory
#pragma unroll
      for (unsigned i = 0; i < items; ++i) shared_.values[first_ + i] = value_[i];
      simt::sync_block();
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (first_ + i < valid_) a_.values_to[begin_ + first_ + i] = shared_.values[position_[i]];
    }
  }

  __device__ __forceinline__ U compared(U key) const { return a_.order.compared(key); }

  const arguments& a_;
  storage& shared_;
  const std::uint64_t begin_;
  const unsigned valid_;
  const unsigned first_ = simt::thread_rank() * items;
  U key_[items];
  unsigned position_[items];
  [[maybe_unused]] V value_[items];
};

// Blocks: one for each Shape::items of the capacity.
template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads) run_sort_kernel(run_sort_arguments<U, V> a) {
  auto& shared = simt::shared_storage<run_sort_storage<U, V, Shape>>();
  simt::let_next_launch_begin();
  const std::uint64_t n = a.keys.length.get(), begin = std::uint64_t{blockIdx.x} * Shape::items;
  if (begin >= n) return;
  const auto valid = static_cast<unsigned>(n - begin < Shape::items ? n - begin : Shape::items);
  run_sort<U, V, Shape>(a, shared, begin, valid).process();
}

}  // namespace ballot::detail
