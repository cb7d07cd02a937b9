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
  // What all threads know. In registers it would cost words their place.
  struct {
    std::uint32_t n, begin, end;  // of the tile
    std::uint32_t first, valid;   // the words' keys
    int key_bits;                 // in which the words differ, without positions
    U smallest;                   // possible key of the words
  } known;
};

// Items of a tile. What they leave of a block's room is for the bucket that the tile ends in.
template <class Shape>
inline constexpr unsigned tile_sort_items = Shape::items / 4 * 3;

template <class U, class V, class Shape>
class tile_sort {
 public:
  using arguments = tile_sort_arguments<U, V>;
  using storage = tile_sort_storage<U, V, Shape>;

  __device__ __forceinline__ tile_sort(const arguments& a, storage& shared, int leading_digits)
      : a_(a), shared_(shared), remaining_bits_(radix_bits * (a.digits.passes() - leading_digits)) {}

  // The tile that begins at `begin` of n items.
  __device__ __forceinline__ void process(std::uint32_t begin, std::uint32_t n) {
    auto& known = shared_.known;
    if (thread_ == 0) {
      known.n = n, known.begin = begin;
      known.end = begin + (n - begin < tile_items ? n - begin : tile_items);
    }
    simt::sync_block();
    const auto [of_before, behind_end] = count_at_ends();
    std::uint32_t at = known.begin + of_before;
    const unsigned valid = known.end + behind_end - at;
    // Nearly always a block takes all at once: the last bucket fits, too.
    if (at < known.end && valid <= Shape::items && differences_fit(bucket_at(at), bucket_at(known.end - 1))) {
      sort_keys(at, valid);
    } else {
      for (unsigned sorted = 1; at < known.end && sorted != 0; at += sorted) {
        sorted = sort_buckets(at);
        if (sorted == 0) copy_equal(at, known.end, at);
      }
    }
    copy_large_before(of_before);
    simt::sync_block();  // `known` is read before the next tile takes it
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

  // Whether words have room for the differences between keys of these buckets.
  __device__ __forceinline__ int difference_bits() const { return word_width - position_bits() - remaining_bits_; }
  __device__ __forceinline__ bool differences_fit(U lowest, U highest) const {
    return (highest - lowest) >> difference_bits() == 0;
  }

  struct ends {
    unsigned of_before, behind_end;
  };
  // How many of the tile's keys are of the bucket of the key before it, and how many keys behind the tile are of the bucket
  // of its last key; at most as many as a block holds. All threads; a search of two steps.
  __device__ __forceinline__ ends count_at_ends() const {
    const auto& known = shared_.known;
    constexpr unsigned step = 2 * Shape::items_per_thread, half = Shape::threads / 2;
    static_assert(step <= half);
    const bool is_end = thread_ >= half;
    const std::uint32_t first = is_end ? known.end : known.begin;
    const unsigned own = is_end ? thread_ - half : thread_;
    const U bucket = first != 0 ? bucket_at(first - 1) : U{0};
    const auto is_of = [&](std::uint32_t at) { return first != 0 && at < known.n && bucket_at(at) == bucket; };
    const bool has_step = is_of(first + own * step + step - 1);
    const unsigned of_before = count_block(has_step && !is_end), of_end = count_block(has_step && is_end);
    const unsigned steps = is_end ? of_end : of_before;
    const bool rest = steps < half && own < step && is_of(first + steps * step + own);
    return {of_before * step + count_block(rest && !is_end), of_end * step + count_block(rest && is_end)};
  }
  // How many of the keys from `first` on are of buckets up to this one; at most as many as a block holds. All threads;
  // two barriers.
  __device__ __forceinline__ unsigned count_up_to(std::uint32_t first, U bucket) const {
    const auto is_of = [&](std::uint32_t at) { return at < shared_.known.n && bucket_at(at) <= bucket; };
    constexpr unsigned step = Shape::items_per_thread;
    const unsigned steps = count_block(is_of(first + thread_ * step + step - 1));
    return steps * step +
           count_block(steps < Shape::threads && thread_ < step && is_of(first + steps * step + thread_));
  }
  static __device__ __forceinline__ unsigned count_block(bool p) {
    return static_cast<unsigned>(simt::sync_block_count(p));
  }

  // Copies the tile's part of the bucket that the tile before ends in, if that is larger than a block holds: if its last
  // key, and the one that many before, are of the bucket.
  __device__ __forceinline__ void copy_large_before(unsigned of_before) const {
    if (of_before == 0) return;
    const auto& known = shared_.known;
    const std::uint32_t behind = known.begin + of_before;
    if (of_before == Shape::items ||
        (behind > Shape::items && bucket_at(behind - Shape::items - 1) == bucket_at(known.begin - 1)))
      copy_equal(known.begin, behind < known.end ? behind : known.end, known.begin - 1);
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

  // Sorts whole buckets from `first` on, where one begins, up to the tile's last one. Returns the number of their keys; 0:
  // the first bucket has more than a block holds.
  __device__ __forceinline__ unsigned sort_buckets(std::uint32_t first) {
    const U bucket = bucket_at(first);
    U limit = bucket_at(shared_.known.end - 1);
    if (!differences_fit(bucket, limit)) limit = bucket + static_cast<U>((U{1} << difference_bits()) - 1u);
    if (first + Shape::items < shared_.known.n) {
      if (const U behind = bucket_at(first + Shape::items); behind <= limit) {
        if (behind == bucket) return 0;
        limit = behind - 1;
      }
    }
    const unsigned valid = count_up_to(first, limit);
    sort_keys(first, valid);
    return valid;
  }

  // Sorts keys [first, first + valid), whole buckets, whose differences fit.
  __device__ __forceinline__ void sort_keys(std::uint32_t first, unsigned valid) {
    load(first, valid);
    zero_bins(shared_.order.by_bins.bins);
    simt::sync_block();
    sort_words();
    const bool whole = !has_positions();
#pragma unroll 1
    for (int row = 0; row < Shape::items_per_thread; row += rows_at_once) {
      if (whole) store_rows<true>(row);
      else store_rows<false>(row);
    }
    simt::sync_block();  // shared memory is read before the next words take it
  }

  __device__ __forceinline__ void load(std::uint32_t first, unsigned valid) {
    const U* const keys = a_.keys_in + first;
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const unsigned at = thread_ + static_cast<unsigned>(i) * Shape::threads;
      word_[i] = at < valid ? keys[at] : U{};
    }
    if constexpr (has_values) {
      const V* const values = a_.values_in + first;
      load_skewed_values_async<Shape>(shared_.values, skew_of(values), values, valid);  // sort_words waits for them
    }
    const U bucket = bucket_at(first), smallest = bucket << remaining_bits_;
    if (thread_ == 0) {  // read after the next barrier
      auto& known = shared_.known;
      known.first = first, known.valid = valid, known.smallest = smallest;
      const U difference = bucket_at(first + valid - 1) - bucket;
      known.key_bits = remaining_bits_ + (word_width - static_cast<int>(simt::leading_zeros(difference)));
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
  // Of values in shared memory.
  static __device__ __forceinline__ unsigned skew_of(const V* values) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values) / sizeof(V)) % storage::values_in_access;
  }

  __device__ __forceinline__ void sort_words() {
    const unsigned valid = shared_.known.valid;
    const int bits = shared_.known.key_bits + position_bits();
    const int shift = bits > Shape::bin_bits ? bits - Shape::bin_bits : 0;
    const auto bin_of = [&](int i) { return static_cast<unsigned>(word_[i] >> shift) & (Shape::bins - 1u); };
    U* const words = shared_.order.by_bins.words;
    if (sort_by_bins<Shape>(shared_.order.by_bins.bins, shared_.order.scan, words, word_, valid, bin_of)) return;
    // Bins overflow where many keys are equal. Then the passes may have left nothing to do.
    if (is_in_order()) {
#pragma unroll
      for (int i = 0; i < Shape::items_per_thread; ++i)
        words[thread_ + static_cast<unsigned>(i) * Shape::threads] = word_[i];
      if constexpr (has_values) simt::wait_for_copies();
      simt::sync_block();
      return;
    }
    sort_by_digits<Shape>(shared_.order.digits, shared_.order.scan, words, word_, valid,
                          {position_bits(), shared_.known.key_bits}, {});
  }

  // One barrier.
  __device__ __forceinline__ bool is_in_order() const {
    const std::uint32_t first = shared_.known.first, valid = shared_.known.valid;
    bool ordered = true;
#pragma unroll 4
    for (unsigned at = thread_; at + 1 < valid; at += Shape::threads)
      ordered &= compared_at(first + at) <= compared_at(first + at + 1);
    return simt::sync_block_all(ordered);
  }

  // Keys and values of a thread's words [first_row, first_row + rows_at_once).
  template <bool Whole>
  __device__ __forceinline__ void store_rows(int first_row) const {
    const std::uint32_t first = shared_.known.first, valid = shared_.known.valid;
    const U smallest = shared_.known.smallest;
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
      const V* const values = shared_.values + skew_of(a_.values_in + first);
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i)
        if (is_there(i)) values_out[row(i)] = values[position(w[i])];
    }
  }

  const arguments& a_;
  storage& shared_;
  const int remaining_bits_;  // below the leading digits

  const unsigned thread_ = simt::thread_rank(), warp_ = simt::warp_id(), lane_ = simt::lane_id();
  U word_[Shape::items_per_thread];
};

template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, radix_launch_blocks<Shape>)
    tile_sort_kernel(tile_sort_arguments<U, V> a) {
  auto& shared = simt::shared_storage<tile_sort_storage<U, V, Shape>>();
  simt::wait_for_previous_launch();  // which writes the keys
  const launch_action action = *a.action;
  if (action.bits == 0) return;
  const auto n = static_cast<std::uint32_t>(a.n.get());
  tile_sort<U, V, Shape> tiles(a, shared, action.leading_digits());
  for (std::uint32_t begin = blockIdx.x * tile_sort_items<Shape>; begin < n;
       begin += gridDim.x * tile_sort_items<Shape>)
    tiles.process(begin, n);
}

}  // namespace ballot::detail
