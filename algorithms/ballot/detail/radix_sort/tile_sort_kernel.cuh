// SPDX-License-Identifier: Apache-2.0
// The local sort by tiles, with which a sort by leading digits ends. The keys lie by those digits.
// A block sorts the buckets that begin in its tile, as many at once as it holds.
//
//     tile            |                  i                  |                 i+1
//     buckets     a a a b b b b b c d d d d d e e e e e e e e e f f f ...
//     block i           [ - - - - - - - - - - - - - - - - ]
//                     a begins in tile i-1; e ends in tile i+1
//
// There is no table of buckets. The keys lie by bucket, so a search for the first key of another
// bucket finds where a bucket ends. Two searches say what a block takes: one at the start of this
// tile, one at the start of the next.
//
// A bucket with more keys than a block holds stays as it is. That is right if all its keys are
// equal: each tile copies its part, and checks that. If it finds keys that differ, it says so, and
// the sort makes all passes (plan.hpp).
//
// The words are sorted by bins, as in the other local sort (local_sort_kernel.cuh). There are two
// ways to choose a key's bin:
//
// 1. Where it would lie if all keys that the block takes were spread evenly, from the first
//    possible key to the last (tile_sort_by_range.cuh). Keys that are so near to each other are
//    nearly always spread evenly, whatever the distribution of all keys, unless many are equal or
//    lie in clusters.
// 2. If bins overflow then, where it would lie if the keys of its bucket were spread evenly
//    (tile_sort_by_buckets.cuh). That takes more instructions a key. A block for which the first
//    way fails skips it in some of its next tiles, in more of them after each failure.
//
// Reads one buffer and writes the other, because blocks look at each other's keys. Stable.
// Source: Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, 2017.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/block_sort.cuh>
#include <ballot/detail/radix_sort/large_buckets_kernel.cuh>
#include <ballot/detail/radix_sort/launch_bounds.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/tile_copies.cuh>
#include <ballot/detail/radix_sort/tile_sort_arguments.cuh>
#include <ballot/detail/radix_sort/tile_sort_by_buckets.cuh>
#include <ballot/detail/radix_sort/tile_sort_by_range.cuh>

#include <cstdint>

namespace ballot::detail {

template <class U, class V, class Shape>
class tile_sort {
 public:
  using arguments = tile_sort_arguments<U, V>;
  using storage = tile_sort_storage<U, V, Shape>;

  __device__ __forceinline__ tile_sort(const arguments& a, storage& shared, int leading_digits)
      : a_(a), shared_(shared), buckets_{a, radix_bits * (a.digits.passes() - leading_digits)} {}

  // Before the first tile.
  __device__ __forceinline__ void start() {
    by_buckets::clear_heads(shared_);
    zero_bins(shared_.order.by_bins.bins);
    if (thread_ == 0) shared_.known.skipped = shared_.known.skips = 0;
  }

  // The tile that begins at `begin` of n items. There is a barrier before any thread writes to
  // shared memory that others may still read from the tile before.
  __device__ __forceinline__ void process(std::uint32_t begin, std::uint32_t n) {
    auto& known = shared_.known;
    const std::uint32_t end = begin + (n - begin < tile_items ? n - begin : tile_items);
    const auto [of_previous_bucket, of_last_bucket_after, may_be_large] = count_at_ends(begin, end, n);
    std::uint32_t at = begin + of_previous_bucket;
    std::uint32_t large_part = 0;
    // The tile's part of the bucket in which the tile before ends, if that bucket is too large.
    if (may_be_large && is_large_before(begin, of_previous_bucket)) {
      const std::uint32_t copied_end = at < end ? at : end;
      copy(begin, copied_end, begin - 1, true);
      large_part = copied_end - begin;
    }
    if (thread_ == 0) known.large_part = large_part;
    // Nearly always a block takes all keys at once, because the last bucket fits, too. The code of
    // each step is long, so it is there only once.
    unsigned valid = end + of_last_bucket_after - at;
#pragma unroll 1
    while (at < end) {
      if (valid > room) valid = count_buckets(at, end, n);
      const bool is_large = valid == 0;
      const std::uint32_t taken_end = is_large ? end : at + valid;
      if (is_large && thread_ == 0) known.large_part |= (taken_end - at) << large_buckets::shift_of_end;
      if (is_large || !sort_keys(at, valid)) copy(at, taken_end, at, is_large);
      at = taken_end;
      valid = room + 1;
    }
    if (thread_ != 0) return;
    if (a_.large_parts != nullptr) a_.large_parts[begin / tile_items] = known.large_part;
    if (known.skipped != 0) --known.skipped;
  }

 private:
  using by_range = tile_sort_by_range<U, V, Shape>;
  using by_buckets = tile_sort_by_buckets<U, V, Shape>;
  static constexpr bool has_values = storage::has_values;
  static constexpr unsigned room = tile_sort_room<Shape>, tile_items = tile_sort_items<Shape>;

  __device__ __forceinline__ U bucket_at(std::uint32_t at) const { return buckets_.bucket_at(at); }

  // of_previous_bucket: how many of the tile's keys belong to the bucket of the key before the
  // tile. of_last_bucket_after: how many keys after the tile belong to the bucket of its last key.
  // Both are at most as many as a block holds. may_be_large: the bucket of the key before the tile
  // may be larger than that.
  struct ends {
    unsigned of_previous_bucket, of_last_bucket_after;
    bool may_be_large;
  };
  // All threads; two barriers if both are few.
  __device__ __forceinline__ ends count_at_ends(std::uint32_t begin, std::uint32_t end, std::uint32_t n) const {
    constexpr unsigned few = Shape::threads;
    static_assert(few <= room);
    const bool is_first = begin == 0;
    const std::uint32_t own_begin = begin + thread_ < n ? begin + thread_ : begin,
                        own_end = end + thread_ < n ? end + thread_ : begin;  // no branch around a load
    const U before = bucket_at(is_first ? begin : begin - 1), last = bucket_at(end - 1);
    const U bucket_from_begin = bucket_at(own_begin), bucket_from_end = bucket_at(own_end);
    // A bucket with few keys from `begin` on is large only if it has this one, too.
    const bool may_be_large =
        begin > room - few && bucket_at(begin > room - few ? begin - 1 - (room - few) : begin) == before;
    const unsigned of_previous_bucket = count_block(!is_first && begin + thread_ < n && bucket_from_begin == before),
                   of_last_bucket_after = count_block(end + thread_ < n && bucket_from_end == last);
    if (of_previous_bucket < few && of_last_bucket_after < few)
      return {of_previous_bucket, of_last_bucket_after, may_be_large};
    return {is_first ? 0u : count_up_to(begin, n, before), count_up_to(end, n, last), true};
  }
  // How many of the keys from `first` on are of buckets up to this one; at most as many as a block
  // holds. All threads; two barriers.
  __device__ __forceinline__ unsigned count_up_to(std::uint32_t first, std::uint32_t n, U bucket) const {
    constexpr unsigned step = (room + Shape::threads - 1) / Shape::threads;
    const auto is_of = [&](unsigned at) { return at < room && first + at < n && bucket_at(first + at) <= bucket; };
    const unsigned steps = count_block(is_of(thread_ * step + step - 1));
    return steps * step + count_block(thread_ < step && is_of(steps * step + thread_));
  }
  static __device__ __forceinline__ unsigned count_block(bool p) {
    return static_cast<unsigned>(simt::sync_block_count(p));
  }

  // Whether the bucket in which the tile before ends is larger than a block holds. It is if the key
  // that is `room` keys before the bucket's last key is of the bucket, too.
  __device__ __forceinline__ bool is_large_before(std::uint32_t begin, unsigned of_previous_bucket) const {
    const std::uint32_t bucket_end = begin + of_previous_bucket;
    return of_previous_bucket != 0 && bucket_end > room && bucket_at(bucket_end - room - 1) == bucket_at(begin - 1);
  }

  // Copies items. checks: their bucket is too large, and all keys must equal the key at `equal`.
  __device__ __forceinline__ void copy(std::uint32_t from, std::uint32_t to, std::uint32_t equal, bool checks) const {
    const U key_of_all = buckets_.compared_at(equal);
    bool differs = false;
#pragma unroll 2
    for (std::uint32_t at = from + thread_; at < to; at += Shape::threads) {
      const U key = a_.keys_in[at];
      differs |= a_.compared(key) != key_of_all;
      a_.keys_out[at] = a_.codec.decode(key);
      if constexpr (has_values) a_.values_out[at] = a_.values_in[at];
    }
    if (checks && differs) simt::atomic_or(a_.failed, 1u);  // relaxed: read by a later launch
  }

  // How many keys a block takes from `first` on, where a bucket begins. It takes whole buckets, up
  // to the tile's last one. 0: the first bucket has more keys than a block holds.
  __device__ __forceinline__ unsigned count_buckets(std::uint32_t first, std::uint32_t end, std::uint32_t n) const {
    U limit = bucket_at(end - 1);
    if (first + room < n) {
      if (const U excess = bucket_at(first + room); excess <= limit) {
        if (excess == bucket_at(first)) return 0;
        limit = excess - 1;
      }
    }
    return count_up_to(first, n, limit);
  }

  // Sorts keys [first, first + valid), which are whole buckets. Returns false if nothing was
  // stored: the keys are in order.
  __device__ __forceinline__ bool sort_keys(std::uint32_t first, unsigned valid) {
    if constexpr (has_values) {
      const V* const values = a_.values_in + first;
      load_skewed_values_async<Shape>(shared_.values, by_range::skew_of(values), values, valid);
    }
    using enum tile_sort_outcome;
    tile_sort_outcome outcome = too_wide;
    if (by_range::can_sort(a_) && shared_.known.skipped == 0) {
      outcome = by_range(buckets_, shared_).sort(first, valid);
      if (outcome != too_wide) note_attempt(outcome != overflow);
      if (outcome == overflow) zero_bins(shared_.order.by_bins.bins);
    }
    if (outcome == too_wide || outcome == overflow) outcome = by_buckets(buckets_, shared_).sort(first, valid);
    if (outcome == in_positions) by_range(buckets_, shared_).store_from_positions();
    if constexpr (has_values)
      if (outcome == in_order) simt::wait_for_copies();
    by_buckets::clear_heads(shared_);
    zero_bins(shared_.order.by_bins.bins);
    simt::sync_block();  // shared memory is read before the next words take it
    return outcome != in_order;
  }

  // Thread 0, after a barrier of the attempt: how many of the block's tiles do not begin with the
  // first way, now and after the next failure.
  __device__ __forceinline__ void note_attempt(bool succeeded) const {
    constexpr std::uint32_t most_skips = 16;
    auto& known = shared_.known;
    if (thread_ != 0) return;
    if (succeeded) {
      known.skips /= 2;
    } else {
      known.skipped = known.skips + 1;  // and this tile
      if (known.skips < most_skips) known.skips = 2 * known.skips + 1;
    }
  }

  const arguments& a_;
  storage& shared_;
  const tile_sort_buckets<U, V> buckets_;
  const unsigned thread_ = simt::thread_rank();
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
  tiles.start();
  for (std::uint32_t begin = blockIdx.x * tile_sort_items<Shape>; begin < n;
       begin += gridDim.x * tile_sort_items<Shape>)
    tiles.process(begin, n);
}

}  // namespace ballot::detail
