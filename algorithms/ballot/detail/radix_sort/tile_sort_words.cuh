// SPDX-License-Identifier: Apache-2.0
// What both ways of the local sort by tiles have in common (tile_sort_kernel.cuh): a thread's
// words, their sort by bins, and how keys and values are stored in the words' order.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/block_sort.cuh>
#include <ballot/detail/radix_sort/tile_sort_arguments.cuh>
#include <ballot/simt/simt.cuh>

#include <bit>
#include <cstdint>

namespace ballot::detail {

enum class tile_sort_outcome {
  stored,
  in_positions,  // the words are sorted, but have only their keys' positions: store_from_positions
  in_order,      // the keys are; nothing is stored
  too_wide,      // words have no room for so many bits of a key and the position; no barrier was passed
  overflow,      // of bins; nothing is stored
};

template <class U, class V, class Shape>
class tile_sort_words {
 public:
  using arguments = tile_sort_arguments<U, V>;
  using storage = tile_sort_storage<U, V, Shape>;

  // Stores keys, and their values, by the positions in the sorted words.
  __device__ __forceinline__ void store_from_positions() const {
    const U* const keys = a_.keys_in + shared_.known.first;
    store([&](U word) { return a_.codec.decode(keys[position_of(word)]); });
  }

  // The skew of values in shared memory (tile_copies.cuh).
  static __device__ __forceinline__ unsigned skew_of(const V* values) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values) / sizeof(V)) % storage::values_in_access;
  }

 protected:
  static constexpr bool has_values = storage::has_values;
  static constexpr unsigned room = tile_sort_room<Shape>;
  static constexpr int position_bits = std::bit_width(room) - 1;
  static_assert((room & (room - 1)) == 0);
  static constexpr int word_width = 8 * static_cast<int>(sizeof(U));
  // The rows of a thread's words that are in registers at once: there are not enough registers for
  // all.
  static constexpr int rows_at_once = 6;

  __device__ __forceinline__ tile_sort_words(const tile_sort_buckets<U, V>& buckets, storage& shared)
      : a_(buckets.a), buckets_(buckets), shared_(shared) {}

  // Keys [first, first + valid) are between the smallest possible key of the first one's bucket and
  // the largest possible key of the last one's bucket.
  struct key_bounds {
    U smallest, difference;
    int bits;  // of the difference
  };
  __device__ __forceinline__ key_bounds bounds_of(std::uint32_t first, unsigned valid) const {
    const U bucket = buckets_.bucket_at(first), buckets = buckets_.bucket_at(first + valid - 1) - bucket;
    return {bucket << buckets_.remaining_bits, ((buckets + 1u) << buckets_.remaining_bits) - 1u,
            buckets_.remaining_bits + word_width - static_cast<int>(simt::leading_zeros(buckets))};
  }
  // Thread 0 notes what all threads read after a barrier. In registers it would leave fewer of
  // them for words.
  __device__ __forceinline__ void note(std::uint32_t first, unsigned valid, const key_bounds& bounds) const {
    auto& known = shared_.known;
    if (thread_ == 0)
      known.first = first, known.valid = valid, known.smallest = bounds.smallest, known.key_bits = bounds.bits;
  }

  template <class BinOf>
  __device__ __forceinline__ bool sort_words_by_bins(unsigned valid, const BinOf& bin_of) {
    auto& order = shared_.order;
    return sort_by_bins<Shape>(order.by_bins.bins, order.scan, order.by_bins.words, word_, valid, bin_of);
  }

  // Stores the keys, and their values, in the order of the sorted words. key_of: of a word.
  template <class KeyOf>
  __device__ __forceinline__ void store(const KeyOf& key_of) const {
#pragma unroll 1
    for (int first_row = 0; first_row < Shape::items_per_thread; first_row += rows_at_once) {
      U* const keys_out = a_.keys_out + shared_.known.first + stored_position(first_row);
      U word[rows_at_once];
      load_stored(word, first_row);
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i) {
        const U key = key_of(word[i]);
        if (is_stored(first_row, i)) keys_out[row_offset(i)] = key;
      }
      if constexpr (has_values) store_values(word, first_row);
    }
  }
  static __device__ __forceinline__ unsigned position_of(U word) { return static_cast<unsigned>(word) & (room - 1u); }

  // Of a thread's word i.
  __device__ __forceinline__ unsigned position(int i) const {
    return thread_ + static_cast<unsigned>(i) * Shape::threads;
  }

 private:
  __device__ __forceinline__ void store_values(const U (&w)[rows_at_once], int first_row) const {
    const std::uint32_t first = shared_.known.first;
    V* const values_out = a_.values_out + first + stored_position(first_row);
    const V* const values = shared_.values + skew_of(a_.values_in + first);
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i)
      if (is_stored(first_row, i)) values_out[row_offset(i)] = values[position_of(w[i])];
  }
  __device__ __forceinline__ void load_stored(U (&w)[rows_at_once], int first_row) const {
    const U* const words = shared_.order.by_bins.words + stored_position(first_row);
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) w[i] = is_stored(first_row, i) ? words[row_offset(i)] : U{};
  }
  // Each warp stores words that it has written itself, or there was a barrier after they were
  // written.
  __device__ __forceinline__ unsigned stored_position(int first_row) const {
    return warp_ * Shape::warp_items + static_cast<unsigned>(first_row) * static_cast<unsigned>(simt::warp_size) +
           lane_;
  }
  static __device__ __forceinline__ unsigned row_offset(int i) { return static_cast<unsigned>(i) * simt::warp_size; }
  __device__ __forceinline__ bool is_stored(int first_row, int i) const {
    return first_row + i < Shape::items_per_thread && stored_position(first_row) + row_offset(i) < shared_.known.valid;
  }

 protected:
  const arguments& a_;
  const tile_sort_buckets<U, V>& buckets_;
  storage& shared_;

  const unsigned thread_ = simt::thread_rank(), warp_ = simt::warp_id(), lane_ = simt::lane_id();
  U word_[Shape::items_per_thread];
};

}  // namespace ballot::detail
