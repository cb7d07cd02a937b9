// SPDX-License-Identifier: Apache-2.0
// One block sorts up to a few thousand items by one launch: no fill, no histogram, no scratch.
//
//     load keys and values -> find the bits in which keys differ
//     -> sort by digits of these bits -> store
//
// Items are in registers, in the order of the input: half a warp owns consecutive rows of 16. For
// each digit the block ranks them as a pass over memory does (rank.cuh), and exchanges keys and
// positions through shared memory. Values stay in registers until the order is known. Then they are
// exchanged once.
//
// Digits begin at the lowest bit that is left to sort by, so bits that all keys share cost little
// or nothing. For keys in order the sort finds no bits in which they differ: there are no digits,
// and the items are copied.
//
// Fewer items take fewer rows. Below a row of the block they take fewer warps. All items are read
// before one is written, so input and output may be the same. Stable and deterministic, at any
// address. Six barriers a digit.
//
// Source: Merrill and Grimshaw, High Performance and Scalable Radix Sorting, 2011 (a block's digits
// in shared memory).
#pragma once

#include <ballot/block/reduce.cuh>
#include <ballot/block/scan.cuh>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/rank.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// Threads: at least one for each digit. ItemsPerThread: at most.
template <int Threads, int ItemsPerThread>
struct single_block_sort_shape {
  static constexpr int threads = Threads, items_per_thread = ItemsPerThread, warps = Threads / simt::warp_size;
  static constexpr unsigned items = Threads * ItemsPerThread;
  static_assert(Threads >= radix_digits && Threads % simt::warp_size == 0);
  static_assert(items <= 1u << 16, "positions have 16 bits");
};

// sort_operands says where keys and values come from and where they end.
template <class U, class V>
struct single_block_sort_arguments {
  input<U> keys;
  U* keys_out;      // null: only the values are wanted
  const V* values;  // null: the positions of the keys
  V* values_out;
  key_codec<U> codec;
  radix_digit_plan digits;  // only their range counts
};

template <class U, class V, class Shape>
struct single_block_sort_storage {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  using bits = std::conditional_t<(sizeof(U) < 4), std::uint32_t, typename unsigned_of_size<sizeof(U)>::type>;

  // These are used one after the other, with barriers between.
  union {
    warp_digit_counts counts[Shape::warps];
    U keys[Shape::items];
    V values[has_values ? Shape::items : 1];
  };
  std::uint16_t positions[has_values ? Shape::items : 1];
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
  typename block::reduction<bits, Shape::threads>::storage differing;
};

// 0 < valid <= Shape::items.
template <class U, class V, class Shape>
class single_block_sort {
 public:
  using arguments = single_block_sort_arguments<U, V>;
  using storage = single_block_sort_storage<U, V, Shape>;

  __device__ __forceinline__ single_block_sort(const arguments& a, storage& shared, unsigned valid)
      : a_(a), shared_(shared), valid_(valid) {}

  __device__ __forceinline__ void process() {
    load_keys();
    if constexpr (has_values) load_values();
    U remaining = find_differing_bits();
#pragma unroll 1
    while (remaining != 0) {
      select_digit(remaining);
      rank_keys();
      exchange_keys();
      remaining = static_cast<U>(remaining & ~(U{radix_digits - 1} << shift_));
    }
    if (!has_values || a_.keys_out != nullptr) store_keys();
    if constexpr (has_values) store_values();
  }

 private:
  static constexpr bool has_values = storage::has_values;
  static constexpr int bits_of_key = 8 * static_cast<int>(sizeof(U));

  // Missing keys are the largest there are and come last in the input, so they stay after the
  // others.
  __device__ __forceinline__ void load_keys() {
    for_each_row([&](int i) {
      key_[i] = static_cast<U>(~U{0});
      if (is_there(i)) key_[i] = a_.codec.encode(a_.keys.data[at(i)]);
      position_[i] = at(i);
    });
  }

  __device__ __forceinline__ void load_values() {
    if (a_.values == nullptr) return;
    for_each_row([&](int i) {
      if (is_there(i)) value_[i] = a_.values[at(i)];
    });
  }

  // The bits that the sort has to look at: none if the keys are in order.
  __device__ __forceinline__ U find_differing_bits() {
    using bits = typename storage::bits;
    const U first_key = a_.codec.compared(a_.codec.encode(a_.keys.data[0])), compared = compared_bits();
    bool unordered = false;
    bits differing = 0;
    for_each_row([&](int i) {
      if (!is_there(i)) return;
      differing |= static_cast<U>((a_.codec.compared(key_[i]) ^ first_key) & compared);
      if (at(i) + 1 == valid_) return;
      const U next = a_.codec.encode(a_.keys.data[at(i) + 1]);  // as a rule in the cache
      unordered |= (a_.codec.compared(key_[i]) & compared) > (a_.codec.compared(next) & compared);
    });
    // After this barrier all keys and values have been read, and outputs may be written.
    if (!simt::sync_block_any(unordered)) return 0;
    return static_cast<U>(block::reduction<bits, Shape::threads>::of(shared_.differing, differing, bit_or{}));
  }

  // From the lowest remaining bit on, within the bits that are compared.
  __device__ __forceinline__ void select_digit(U remaining) {
    if constexpr (sizeof(U) == 16) {
      const auto low = static_cast<std::uint64_t>(remaining);
      shift_ = low != 0 ? simt::find_first(low) : 64 + simt::find_first(static_cast<std::uint64_t>(remaining >> 64));
    } else {
      shift_ = simt::find_first(static_cast<typename storage::bits>(remaining));
    }
    digit_mask_ = static_cast<unsigned>(compared_bits() >> shift_) & (radix_digits - 1u);
  }

  // The ranks of all keys by the digit, missing keys of the warps in use included.
  __device__ __forceinline__ void rank_keys() {
    const half_warp_counters counter_of(shared_.counts[warp_]);
    if (warp_ < warps_) {
      zero_counts(shared_.counts[warp_]);
      for_each_row([&](int i) {
        rank_stably<1>(
            counter_of, radix_digits, [&](int) { return digit_of_key(key_[i]); },
            [&](int, std::uint32_t rank) { rank_[i] = rank; });
      });
    }
    simt::sync_block();  // the counts are complete
    scan_counts();
    simt::sync_block();  // the counts are offsets
    for_each_row([&](int i) { rank_[i] += *counter_of(digit_of_key(key_[i])); });
    simt::sync_block();  // the offsets are read; keys take their memory
  }

  // Thread d: the counts of digit d become offsets.
  __device__ __forceinline__ void scan_counts() {
    const bool owns_digit = thread_ < radix_digits;
    std::uint32_t count = 0, total;
    if (owns_digit) {
#pragma unroll 4
      for (unsigned w = 0; w < warps_; ++w) count += digit_count(shared_.counts[w], thread_);
    }
    std::uint32_t offset = block::scan<std::uint32_t, Shape::threads>::exclusive(shared_.scan, count, 0u, total);
    if (owns_digit) {
#pragma unroll 4
      for (unsigned w = 0; w < warps_; ++w) offset = counts_to_offsets(shared_.counts[w], thread_, offset);
    }
  }

  __device__ __forceinline__ void exchange_keys() {
    for_each_row([&](int i) {
      shared_.keys[rank_[i]] = key_[i];
      if constexpr (has_values) shared_.positions[rank_[i]] = static_cast<std::uint16_t>(position_[i]);
    });
    simt::sync_block();
    for_each_row([&](int i) {
      key_[i] = shared_.keys[at(i)];
      if constexpr (has_values) position_[i] = shared_.positions[at(i)];
    });
    simt::sync_block();  // the keys are read; counts or values take their memory
  }

  __device__ __forceinline__ void store_keys() const {
    for_each_row([&](int i) {
      if (is_there(i)) a_.keys_out[at(i)] = a_.codec.decode(key_[i]);
    });
  }

  __device__ __forceinline__ void store_values() {
    if (a_.values != nullptr) {
      for_each_row([&](int i) { shared_.values[at(i)] = value_[i]; });
      simt::sync_block();
    }
    for_each_row([&](int i) {
      if (!is_there(i)) return;
      a_.values_out[at(i)] = a_.values == nullptr ? static_cast<V>(position_[i]) : shared_.values[position_[i]];
    });
  }

  // Calls visit(i) for each row in use, if the warp has items at all.
  template <class Visit>
  __device__ __forceinline__ void for_each_row(Visit visit) const {
    if (warp_ >= warps_) return;
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i)
      if (i < rows_) visit(i);
  }
  __device__ __forceinline__ unsigned at(int i) const { return first_ + static_cast<unsigned>(i) * half_warp_lanes; }
  __device__ __forceinline__ bool is_there(int i) const { return at(i) < valid_; }

  __device__ __forceinline__ U compared_bits() const {
    const int low = a_.digits.low, count = a_.digits.high - low;
    return count == 0 ? U{0} : static_cast<U>(static_cast<U>(static_cast<U>(~U{0}) >> (bits_of_key - count)) << low);
  }
  __device__ __forceinline__ unsigned digit_of_key(U key) const {
    return static_cast<unsigned>(a_.codec.compared(key) >> shift_) & digit_mask_;
  }

  const arguments& a_;
  storage& shared_;
  const unsigned valid_;

  const unsigned thread_ = simt::thread_rank(), warp_ = simt::warp_id();
  // Rows of the half warps in use, and warps in use: the same in all threads.
  const int rows_ = static_cast<int>((valid_ + Shape::threads - 1) / Shape::threads);
  const unsigned warp_items_ = static_cast<unsigned>(rows_) * simt::warp_size;
  const unsigned warps_ = (valid_ + warp_items_ - 1) / warp_items_;
  // The thread's first item.
  const unsigned first_ =
      thread_ / half_warp_lanes * (half_warp_lanes * static_cast<unsigned>(rows_)) + thread_ % half_warp_lanes;
  int shift_ = 0;
  unsigned digit_mask_ = 0;

  U key_[Shape::items_per_thread];
  std::uint32_t position_[Shape::items_per_thread];
  std::uint32_t rank_[Shape::items_per_thread];
  [[maybe_unused]] V value_[Shape::items_per_thread];
};

template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, 1) single_block_sort_kernel(single_block_sort_arguments<U, V> a) {
  auto& shared = simt::shared_storage<single_block_sort_storage<U, V, Shape>>();
  const auto valid = static_cast<unsigned>(a.keys.length.get());
  if (valid != 0) single_block_sort<U, V, Shape>(a, shared, valid).process();
}

}  // namespace ballot::detail
