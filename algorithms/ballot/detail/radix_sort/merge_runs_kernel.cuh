// SPDX-License-Identifier: Apache-2.0
// Merges groups of sorted runs, all runs of a group at once (run_sort_launch.cuh).
//
//     block    Stages samples of its group's runs: every `stride`-th key.
//     thread   Has one item. For each other run of the group it finds how many of the run's keys go
//              before the item's: by bisection of the samples, and of the keys between two of them.
//              The sum of these and the item's place in its own run is its place in the group.
//
// Few items leave most of a GPU idle. Then several threads have the same item, and each searches
// some of the runs.
//
// Keys of a warp are neighbours in their run, so its lanes take almost the same way through another
// run. Of equal keys, those of earlier runs go first: stable and deterministic, at any address.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/run_sort_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// Samples: at most so many. RunsAtOnce: how many runs a thread searches at a time.
template <int Threads, int Samples, int RunsAtOnce>
struct merge_runs_shape {
  static constexpr int threads = Threads, samples = Samples, runs_at_once = RunsAtOnce;
  static constexpr int threads_shift = std::countr_zero(static_cast<unsigned>(Threads));
  static_assert(Threads == 1 << threads_shift);
  static constexpr int parts =
      Threads / simt::warp_size;  // at most: the threads of a warp have items that are neighbours
};

// Numbers of items are powers of two, given by their logarithms. The last run may have fewer.
template <class U, class V>
struct merge_runs_arguments {
  const U* keys;  // ordered bits
  const V* values;
  length n;
  U* keys_to;  // null: not wanted
  V* values_to;
  unsigned runs_of_group;
  int group_shift;   // where a group begins: a multiple of so many items; one group: 31
  int run_shift;     // a multiple of a block's threads
  int stride_shift;  // of samples; no more than a run
  int parts_shift;   // of the runs; no more than Shape::parts
  bool decodes;      // the last merge does
  run_order<U> order;
};

template <class U, class Shape>
struct merge_runs_storage {
  U samples[Shape::samples];
  unsigned before[Shape::threads];
};

// n: the number of all items, less than 2^31. The block's first item is one of them.
template <class U, class V, class Shape>
class merge_runs {
 public:
  using arguments = merge_runs_arguments<U, V>;
  using storage = merge_runs_storage<U, Shape>;

  __device__ __forceinline__ merge_runs(const arguments& a, storage& shared, unsigned n)
      : a_(a), shared_(shared), n_(n) {}

  __device__ __forceinline__ void process() {
    const unsigned thread = simt::thread_rank(), part = thread >> (Shape::threads_shift - a_.parts_shift),
                   parts = 1u << a_.parts_shift;
    const unsigned at = first_ + (thread & (block_items_ - 1));
    const bool is_there = at < n_;
    U key{};
    [[maybe_unused]] V value{};
    if (is_there) {
      key = a_.keys[at];
      if constexpr (has_values)
        if (part == 0) value = a_.values[at];
    }
    stage_samples();
    simt::sync_block();
    unsigned before = is_there ? count_before(compared(key), own_run(at), part) : 0;
    if (parts > 1) {
      shared_.before[thread] = before;
      simt::sync_block();
      if (part != 0) return;
      for (unsigned p = 1; p < parts; ++p) before += shared_.before[thread + p * block_items_];
    }
    if (!is_there) return;
    const unsigned place = group_begin_ + (at & (run_items_ - 1)) + before;
    if (a_.keys_to != nullptr) a_.keys_to[place] = a_.decodes ? a_.order.codec.decode(key) : key;
    if constexpr (has_values) a_.values_to[place] = value;
  }

 private:
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr int runs_at_once = Shape::runs_at_once;

  __device__ __forceinline__ void stage_samples() const {
    for (unsigned s = simt::thread_rank(); s < samples_of_run_ * runs_; s += Shape::threads) {
      const unsigned at = group_begin_ + ((s + 1) << a_.stride_shift) - 1;
      shared_.samples[s] = at < n_ ? compared(a_.keys[at]) : static_cast<U>(~U{0});  // goes before no key
    }
  }

  // How many keys of a part of the group's other runs go before this key, which is of run `own`.
  __device__ __forceinline__ unsigned count_before(U mine, unsigned own, unsigned part) const {
    const unsigned of_part = (runs_ + (1u << a_.parts_shift) - 1) >> a_.parts_shift, begin_of_part = part * of_part;
    const unsigned end_of_part = begin_of_part + of_part < runs_ ? begin_of_part + of_part : runs_;
    unsigned all = 0;
#pragma unroll 1
    for (unsigned first = begin_of_part; first < end_of_part; first += runs_at_once) {
      // There is no branch, so that the loads of all these runs overlap.
      unsigned begin[runs_at_once], before[runs_at_once] = {};
      U end[runs_at_once];
#pragma unroll
      for (int r = 0; r < runs_at_once; ++r) {
        const unsigned run = first + static_cast<unsigned>(r);
        begin[r] = run < end_of_part ? run * samples_of_run_ : 0;
        end[r] = run_bound<U>(mine, run < own).end;
      }
      // All samples but a run's last one. So there are keys up to the next sample after those that
      // go before.
#pragma unroll 1
      for (unsigned step = samples_of_run_ / 2; step != 0; step /= 2)
#pragma unroll
        for (int r = 0; r < runs_at_once; ++r)
          before[r] += shared_.samples[begin[r] + before[r] + step - 1] < end[r] ? step : 0;
#pragma unroll
      for (int r = 0; r < runs_at_once; ++r) {
        begin[r] = group_begin_ + (begin[r] << a_.stride_shift);
        before[r] <<= a_.stride_shift;
      }
#pragma unroll 1
      for (unsigned step = 1u << a_.stride_shift >> 1; step != 0; step /= 2)
#pragma unroll
        for (int r = 0; r < runs_at_once; ++r)
          before[r] += goes_before(begin[r] + before[r] + step - 1, end[r]) ? step : 0;
#pragma unroll
      for (int r = 0; r < runs_at_once; ++r) {
        before[r] += goes_before(begin[r] + before[r], end[r]) ? 1 : 0;
        const unsigned run = first + static_cast<unsigned>(r);
        if (run_bound<U>(mine, run < own).all) before[r] = run_items_;  // an earlier run is full
        all += run != own && run < end_of_part ? before[r] : 0;
      }
    }
    return all;
  }

  // Whether there is a key, and it is less than `end`.
  __device__ __forceinline__ bool goes_before(unsigned at, U end) const {
    const bool is_there = at < n_;
    const U key = compared(a_.keys[is_there ? at : 0]);
    return is_there && key < end;
  }

  __device__ __forceinline__ unsigned own_run(unsigned at) const { return (at - group_begin_) >> a_.run_shift; }
  __device__ __forceinline__ U compared(U key) const { return a_.order.compared(key); }

  const arguments& a_;
  storage& shared_;
  const unsigned n_;
  const unsigned run_items_ = 1u << a_.run_shift, samples_of_run_ = run_items_ >> a_.stride_shift;
  const unsigned block_items_ = Shape::threads >> a_.parts_shift, first_ = blockIdx.x * block_items_;
  const unsigned group_begin_ = first_ >> a_.group_shift << a_.group_shift;
  // How many runs of the group are left.
  const unsigned runs_left_ = (n_ - group_begin_ + run_items_ - 1) >> a_.run_shift;
  const unsigned runs_ = runs_left_ < a_.runs_of_group ? runs_left_ : a_.runs_of_group;
};

// Blocks: one for each Shape::threads / parts of the capacity.
template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads) merge_runs_kernel(merge_runs_arguments<U, V> a) {
  auto& shared = simt::shared_storage<merge_runs_storage<U, Shape>>();
  simt::let_next_launch_begin();
  simt::wait_for_previous_launch();
  const auto n = static_cast<unsigned>(a.n.get());
  if (blockIdx.x * (Shape::threads >> a.parts_shift) < n) merge_runs<U, V, Shape>(a, shared, n).process();
}

}  // namespace ballot::detail
