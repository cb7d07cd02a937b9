// SPDX-License-Identifier: Apache-2.0
// The local sort by tiles, with which a sort by leading digits ends: the keys lie by those digits, and a block sorts the
// buckets that begin in its tile, as many at once as it holds.
//
//     tile            |                  i                  |                 i+1
//     buckets     a a a b b b b b c d d d d d e e e e e e e e e f f f ...
//     block i           [ - - - - - - - - - - - - - - - - ]         a begins in tile i-1; e ends in tile i+1
//
// There is no table of buckets: since the keys lie by bucket, a search for the first key of another one finds where a
// bucket ends. Two searches in the begin of this tile and of the next tell what a block takes.
//
// A bucket with more keys than a block holds stays as it is, which is right if all its keys are equal: each tile copies
// its part, and checks that. If it finds keys that differ, it says so, and the sort makes all passes (plan.hpp).
//
//     words            key - smallest possible key                      of whole keys
//                      key - smallest possible key | position           of pairs, and where some of the bits are compared
//
// The words are sorted as in the other local sort (local_sort_kernel.cuh). With a position there may not be room for the
// differences of all keys that a block could take; it takes those for which there is, and goes round again.
//
// Reads one buffer and writes the other: blocks look at each other's keys. Stable.
// Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, 2017.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/block_sort.cuh>
#include <ballot/detail/radix_sort/compared_bits.hpp>
#include <ballot/detail/radix_sort/launch_bounds.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/tile_copies.cuh>

#include <type_traits>

namespace ballot::detail {

template <class U, class V>
struct tile_sort_arguments {
  const U* keys_in;
  U* keys_out;
  const V* values_in;
  V* values_out;
  length n;  // at most 2^30
  const launch_action* action;
  std::uint32_t* failed;  // becomes 1 if a bucket is too large
  radix_digit_plan digits;
  compared_bits<U> compared;
  key_codec<U> codec;
};

template <class U, class V, class Shape>
struct tile_sort_storage {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr unsigned values_in_access = has_values ? 16 / sizeof(V) : 1;

  // In the order of the input. The first value is as far from a multiple of 16 bytes as it is in memory.
  alignas(simt::copy_alignment) V values[has_values ? Shape::items + values_in_access : 1];
  block_sort_storage<U, Shape> order;
};

// Items of a tile. What they leave of a block's room is for the bucket that the tile ends in.
template <class Shape>
inline constexpr unsigned tile_sort_items = Shape::items / 4 * 3;

template <class U, class V, class Shape>
class tile_sort {
 public:
  using arguments = tile_sort_arguments<U, V>;
  using storage = tile_sort_storage<U, V, Shape>;

  __device__ __forceinline__ tile_sort(const arguments& a, storage& shared, int leading_digits, std::uint32_t n,
                                       std::uint32_t begin)
      : a_(a),
        shared_(shared),
        remaining_bits_(radix_bits * (a.digits.passes() - leading_digits)),
        n_(n),
        begin_(begin),
        end_(begin + smaller(tile_items, n - begin)) {}

  __device__ __forceinline__ void process() {
    const U last = bucket_at(end_ - 1);
    std::uint32_t at = begin_;
    if (begin_ != 0) {
      // The bucket that the tile before ends in.
      const U before = bucket_at(begin_ - 1);
      const unsigned of_before = count_up_to(begin_, before);
      if (of_before != 0) {
        // Larger than a block holds, if its last key and the one that many before are of the bucket.
        at += of_before;
        const bool is_large = of_before == Shape::items || (at > Shape::items && bucket_at(at - Shape::items - 1) == before);
        if (is_large) copy_equal(begin_, smaller(at, end_), begin_ - 1);
      }
    }
    while (at < end_) {
      const unsigned sorted = sort_buckets(at, last);
      if (sorted == 0) {
        copy_equal(at, end_, at);
        break;
      }
      at += sorted;
    }
  }

 private:
  static constexpr bool has_values = storage::has_values;
  static constexpr unsigned tile_items = tile_sort_items<Shape>;
  static constexpr int word_width = 8 * static_cast<int>(sizeof(U));
  // Of a thread's words: with values there are not registers for all.
  static constexpr int rows_at_once = 6;

  __device__ __forceinline__ U compared_at(std::uint32_t at) const { return a_.compared(a_.keys_in[at]); }
  __device__ __forceinline__ U bucket_at(std::uint32_t at) const { return compared_at(at) >> remaining_bits_; }
  __device__ __forceinline__ bool has_positions() const { return has_values || !a_.compared.are_whole(); }
  __device__ __forceinline__ int position_bits() const { return has_positions() ? Shape::position_bits : 0; }

  // How many of the keys from `first` on are of buckets up to this one; at most as many as a block holds. All threads;
  // two barriers.
  __device__ __forceinline__ unsigned count_up_to(std::uint32_t first, U bucket) const {
    const auto is_of = [&](std::uint32_t at) { return at < n_ && bucket_at(at) <= bucket; };
    constexpr unsigned step = Shape::items_per_thread;
    const unsigned steps = static_cast<unsigned>(simt::sync_block_count(is_of(first + thread_ * step + step - 1)));
    const bool rest = steps < Shape::threads && thread_ < step && is_of(first + steps * step + thread_);
    return steps * step + static_cast<unsigned>(simt::sync_block_count(rest));
  }

  // Copies items of a bucket that is too large, and checks that their keys are equal to that one.
  __device__ __forceinline__ void copy_equal(std::uint32_t from, std::uint32_t to, std::uint32_t equal) const {
    const U key_of_all = compared_at(equal);
    bool differs = false;
#pragma unroll 4
    for (std::uint32_t at = from + thread_; at < to; at += Shape::threads) {
      const U key = a_.keys_in[at];
      differs |= a_.compared(key) != key_of_all;
      a_.keys_out[at] = a_.codec.decode(key);
      if constexpr (has_values) a_.values_out[at] = a_.values_in[at];
    }
    if (differs) simt::atomic_or(a_.failed, 1u);  // relaxed: read by a later launch
  }

  // Sorts whole buckets from `first` on, where one begins, up to the bucket `last`. Returns the number of their keys; 0:
  // the first bucket has more than a block holds.
  __device__ __forceinline__ unsigned sort_buckets(std::uint32_t first, U last) {
    const U bucket = bucket_at(first);
    U limit = last;
    // The differences of keys have as many bits as the positions leave.
    const int bucket_bits = word_width - position_bits() - remaining_bits_;
    if ((last - bucket) >> bucket_bits != 0) limit = bucket + static_cast<U>((U{1} << bucket_bits) - 1u);
    if (first + Shape::items < n_) {
      if (const U behind = bucket_at(first + Shape::items); behind <= limit) {
        if (behind == bucket) return 0;
        limit = behind - 1;
      }
    }
    const unsigned valid = count_up_to(first, limit);
    const U smallest = bucket << remaining_bits_;
    const U largest_bucket = bucket_at(first + valid - 1) - bucket;
    const int key_bits = remaining_bits_ + (word_width - simt::leading_zeros(largest_bucket));

    load(first, valid, smallest);
    zero_bins(shared_.order.by_bins.bins);
    simt::sync_block();
    sort_words(first, valid, key_bits);
    const bool whole = !has_positions();
#pragma unroll 1
    for (int row = 0; row < Shape::items_per_thread; row += rows_at_once) {
      if (whole) store_rows<true>(first, valid, smallest, row);
      else store_rows<false>(first, valid, smallest, row);
    }
    simt::sync_block();  // shared memory is read before the next words take it
    return valid;
  }

  __device__ __forceinline__ void load(std::uint32_t first, unsigned valid, U smallest) {
    const U* const keys = a_.keys_in + first;
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const unsigned at = thread_ + static_cast<unsigned>(i) * Shape::threads;
      word_[i] = at < valid ? keys[at] : U{};
    }
    if constexpr (has_values) {
      const V* const values = a_.values_in + first;
      skew_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values) / sizeof(V)) % shared_.values_in_access;
      load_skewed_values_async<Shape>(shared_.values, skew_, values, valid);  // sort_words waits for them
    }
    const bool with_positions = has_positions();
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const unsigned at = thread_ + static_cast<unsigned>(i) * Shape::threads;
      word_[i] = a_.compared(word_[i]) - smallest;
      if (with_positions) word_[i] = word_[i] << Shape::position_bits | at;
      if (at >= valid) word_[i] = ~U{0};  // missing words are the largest there are
    }
  }

  __device__ __forceinline__ void sort_words(std::uint32_t first, unsigned valid, int key_bits) {
    const int shift = larger(key_bits + position_bits() - Shape::bin_bits, 0);
    const auto bin_of = [&](int i) { return static_cast<unsigned>(word_[i] >> shift) & (Shape::bins - 1u); };
    U* const words = shared_.order.by_bins.words;
    if (sort_by_bins<Shape>(shared_.order.by_bins.bins, shared_.order.scan, words, word_, valid, bin_of)) return;
    // Bins overflow where many keys are equal. Then the passes may have left nothing to do.
    if (is_in_order(first, valid)) {
#pragma unroll
      for (int i = 0; i < Shape::items_per_thread; ++i) words[thread_ + static_cast<unsigned>(i) * Shape::threads] = word_[i];
      if constexpr (has_values) simt::wait_for_copies();
      simt::sync_block();
      return;
    }
    sort_by_digits<Shape>(shared_.order.digits, shared_.order.scan, words, word_, valid, {position_bits(), key_bits}, {});
  }

  // One barrier.
  __device__ __forceinline__ bool is_in_order(std::uint32_t first, unsigned valid) const {
    bool ordered = true;
#pragma unroll 4
    for (unsigned at = thread_; at + 1 < valid; at += Shape::threads)
      ordered &= compared_at(first + at) <= compared_at(first + at + 1);
    return simt::sync_block_all(ordered);
  }

  // Keys and values of a thread's words [first_row, first_row + rows_at_once).
  template <bool Whole>
  __device__ __forceinline__ void store_rows(std::uint32_t first, unsigned valid, U smallest, int first_row) const {
    const U* const words = shared_.order.by_bins.words;
    const unsigned own =
        warp_ * Shape::warp_items + static_cast<unsigned>(first_row) * static_cast<unsigned>(simt::warp_size) + lane_;
    const auto row = [](int i) { return static_cast<unsigned>(i) * simt::warp_size; };
    const auto is_there = [&](int i) { return first_row + i < Shape::items_per_thread && own + row(i) < valid; };
    const auto position = [](U w) { return static_cast<unsigned>(w) & ((1u << Shape::position_bits) - 1u); };
    U w[rows_at_once];
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) w[i] = is_there(i) ? words[own + row(i)] : U{};
    U* const keys_out = a_.keys_out + first + own;
    if (Whole || a_.compared.are_whole()) {
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i) {
        const U key = smallest + (Whole ? w[i] : w[i] >> Shape::position_bits);
        if (is_there(i)) keys_out[row(i)] = a_.codec.decode(key);
      }
    } else {
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i)
        if (is_there(i)) keys_out[row(i)] = a_.codec.decode(a_.keys_in[first + position(w[i])]);
    }
    if constexpr (has_values) {
      V* const values_out = a_.values_out + first + own;
      const V* const values = shared_.values + skew_;
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i)
        if (is_there(i)) values_out[row(i)] = values[position(w[i])];
    }
  }

  const arguments& a_;
  storage& shared_;
  const int remaining_bits_;  // below the leading digits
  const std::uint32_t n_, begin_, end_;

  const unsigned thread_ = simt::thread_rank(), warp_ = simt::warp_id(), lane_ = simt::lane_id();
  U word_[Shape::items_per_thread];
  unsigned skew_ = 0;  // of the values in shared memory
};

template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, radix_launch_blocks<Shape>)
    tile_sort_kernel(tile_sort_arguments<U, V> a) {
  auto& shared = simt::shared_storage<tile_sort_storage<U, V, Shape>>();
  const launch_action action = *a.action;
  if (action.bits == 0) return;
  const auto n = static_cast<std::uint32_t>(a.n.get());
  for (std::uint32_t begin = blockIdx.x * tile_sort_items<Shape>; begin < n; begin += gridDim.x * tile_sort_items<Shape>)
    tile_sort<U, V, Shape>(a, shared, action.leading_digits(), n, begin).process();
}

}  // namespace ballot::detail
