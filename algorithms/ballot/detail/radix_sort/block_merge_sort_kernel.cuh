// SPDX-License-Identifier: Apache-2.0
// One block sorts up to 2048 items by merging, in one launch: no fill, no histogram, no scratch.
//
//     load 4 consecutive keys a thread -> in order already? -> sort the 4 -> merge runs of 4, 8, 16, ... -> store
//
// In a round each thread takes 4 places of the merged run. It finds by bisection how many items of the left run come
// before them (the merge path), and merges from there. Up to 128 items that concerns one warp alone.
//
// A sort by digits (single_block_sort_kernel.cuh) has six barriers a digit; here a round has two, and keys of any width
// have nine rounds. So keys of few digits are sorted by digits.
//
// Values stay where they are until the order is known. All are read before one is written, so input and output may be
// the same. Stable and deterministic, at any address.
//
// Odeh, Green, Mwassi, Shmueli and Birk, Merge Path, 2012.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/compared_bits.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/single_block_sort_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

struct block_merge_sort_shape {
  static constexpr int threads = 512, items_per_thread = 4;
  static constexpr unsigned items = threads * items_per_thread, warp_items = simt::warp_size * items_per_thread;
};

template <class U, class V>
struct block_merge_sort_storage {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  U keys[block_merge_sort_shape::items];
  std::uint16_t positions[has_values ? block_merge_sort_shape::items : 1];
};

// 0 < valid <= items. Missing keys are the largest there are, and come last.
template <class U, class V>
class block_merge_sort {
 public:
  using shape = block_merge_sort_shape;
  using arguments = single_block_sort_arguments<U, V>;
  using storage = block_merge_sort_storage<U, V>;

  __device__ __forceinline__ block_merge_sort(const arguments& a, storage& shared, unsigned valid)
      : a_(a), shared_(shared), compared_(compared_bits<U>::of(a.digits.low, a.digits.high)), valid_(valid) {}

  __device__ __forceinline__ void process() {
    if (load_keys()) {
      sort_own();
#pragma unroll 1
      for (unsigned run = items; run < valid_; run *= 2) merge(run);
    }
    store();
  }

 private:
  static constexpr bool has_values = storage::has_values;
  static constexpr unsigned items = shape::items_per_thread;

  // Whether they are out of order.
  __device__ __forceinline__ bool load_keys() {
    bool unordered = false;
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      key_[i] = static_cast<U>(~U{0});
      if (first_ + i < valid_) key_[i] = a_.codec.encode(a_.keys.data[first_ + i]);
      position_[i] = first_ + i;
    }
#pragma unroll
    for (unsigned i = 0; i + 1 < items; ++i) unordered |= goes_before(key_[i + 1], key_[i]);
    if (first_ + items < valid_)
      unordered |= goes_before(a_.codec.encode(a_.keys.data[first_ + items]), key_[items - 1]);
    return simt::sync_block_any(unordered);  // all keys are read: from here on outputs may be written
  }

  __device__ __forceinline__ bool goes_before(U a, U b) const {
    return compared_(a_.codec.compared(a)) < compared_(a_.codec.compared(b));
  }

  // By exchanges of neighbours, which keep equal keys in their order.
  __device__ __forceinline__ void sort_own() {
#pragma unroll
    for (unsigned round = 0; round < items; ++round)
#pragma unroll
      for (unsigned i = round % 2; i + 1 < items; i += 2) {
        if (!goes_before(key_[i + 1], key_[i])) continue;
        const U key = key_[i];
        key_[i] = key_[i + 1];
        key_[i + 1] = key;
        const std::uint32_t position = position_[i];
        position_[i] = position_[i + 1];
        position_[i + 1] = position;
      }
  }

  // Merges pairs of sorted runs.
  __device__ __forceinline__ void merge(unsigned run) {
    const bool in_warp = 2 * run <= shape::warp_items;
    const auto synchronise = [&] {
      if (in_warp) simt::sync_warp();
      else simt::sync_block();
    };
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      shared_.keys[first_ + i] = key_[i];
      if constexpr (has_values) shared_.positions[first_ + i] = static_cast<std::uint16_t>(position_[i]);
    }
    synchronise();
    const unsigned place = first_ % (2 * run);
    const U* const left = shared_.keys + (first_ - place);
    const U* const right = left + run;
    // The last runs may be short, or missing.
    const unsigned there = blockDim.x * items - (first_ - place);
    const unsigned of_right_run = there <= run ? 0 : there - run < run ? there - run : run;
    const unsigned of_left_run = there < run ? there : run;
    unsigned low = place > of_right_run ? place - of_right_run : 0, high = place < of_left_run ? place : of_left_run;
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      if (goes_before(right[place - 1 - middle], left[middle])) high = middle;
      else low = middle + 1;
    }
    unsigned of_left = low, of_right = place - low;
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      const bool takes_right =
          of_right < of_right_run && (of_left >= of_left_run || goes_before(right[of_right], left[of_left]));
      const unsigned from = takes_right ? run + of_right : of_left;
      key_[i] = left[from];
      if constexpr (has_values) position_[i] = shared_.positions[first_ - place + from];
      ++(takes_right ? of_right : of_left);
    }
    synchronise();
  }

  __device__ __forceinline__ void store() {
    if (a_.keys_out != nullptr) {
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (first_ + i < valid_) a_.keys_out[first_ + i] = a_.codec.decode(key_[i]);
    }
    if constexpr (has_values) {
      V value[items];
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (first_ + i < valid_)
          value[i] = a_.values == nullptr ? static_cast<V>(position_[i]) : a_.values[position_[i]];
      simt::sync_block();  // all values are read before one is written
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (first_ + i < valid_) a_.values_out[first_ + i] = value[i];
    }
  }

  const arguments& a_;
  storage& shared_;
  const compared_bits<U> compared_;
  const unsigned valid_;

  const unsigned first_ = simt::thread_rank() * items;
  U key_[items];
  std::uint32_t position_[items];
};

template <class U, class V>
__global__ void __launch_bounds__(block_merge_sort_shape::threads, 1)
    block_merge_sort_kernel(single_block_sort_arguments<U, V> a) {
  auto& shared = simt::shared_storage<block_merge_sort_storage<U, V>>();
  const auto valid = static_cast<unsigned>(a.keys.length.get());
  if (valid != 0) block_merge_sort<U, V>(a, shared, valid).process();
}

}  // namespace ballot::detail
