// SPDX-License-Identifier: Apache-2.0
// Decides whether keys can be sorted by leading bits, and then counts the keys of each bucket.
//
//     every block checks the same sample (leading_bits_sample.cuh)
//     -> counts the keys of its tiles by bucket -> adds the counts to the device's
//     -> the last block: are all buckets small enough? (leading_bits_decision.cuh)
//        -> offsets of buckets and digits, actions (plan.hpp)
//
// Two passes by leading bits, and a local sort of each bucket (local_sort_kernel.cuh), replace all
// passes. No bucket may have more keys than a block holds.
//
// 1. Every block looks at the same sample of keys and comes to the same conclusion. A few values
//    may be too frequent: of the keys' first eight bits, or of the eight bits below the leading
//    ones. Or keys differ in two digits only, so that passes by these sort them, without a local
//    sort. Then all blocks leave, and the histogram of all digits takes over
//    (histogram_kernel.cuh). That costs one short launch.
// 2. The leading bits are those after the bits that all keys of the sample share. Whether all keys
//    share them is found while they are counted.
// 3. Otherwise the blocks count all keys by bucket. The last block decides by the largest count,
//    exactly. If it approves, it writes the offsets of all buckets, those of the digits of both
//    passes, and the actions of all launches.
//
// Keys that are in order already need no pass at all. That is approved, too.
//
//     count[bucket]     16 bits, two to a word: 128 KiB for 2^16 buckets
//
// A count that overflows its 16 bits corrupts its neighbour, and then the sum of the block's counts
// is wrong. A block whose counts do not add up to its keys reports that, and the sort is not
// approved. If keys are nearly in order, all keys of a warp are of one bucket and would collide at
// its count. So one lane adds them all.
//
// Shared memory: 2 bytes a bucket, and a little. One read of the keys.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/key_tile.cuh>
#include <ballot/detail/radix_sort/leading_bits_arguments.cuh>
#include <ballot/detail/radix_sort/leading_bits_decision.cuh>
#include <ballot/detail/radix_sort/leading_bits_sample.cuh>
#include <ballot/device/last_block.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// The bucket of a key. Also checks whether some key lacks the bits in front of the leading ones
// that the sample shares. That takes two shifts, and one operation on the upper word. The kernel's
// time is that of its instructions.
template <class U>
class bucket_finder {
 public:
  __device__ __forceinline__ bucket_finder(const found_leading_bits<U>& found, int leading_bits)
      : left_(bits - leading_bits - found.shift),
        right_(bits - leading_bits),
        shared_bits_(upper(found.base)),
        front_(upper(static_cast<U>(left_ == 0 ? U{0} : static_cast<U>(static_cast<U>(~U{0}) << (bits - left_))))) {}

  __device__ __forceinline__ unsigned operator()(U code) const {
    return static_cast<unsigned>(static_cast<U>(code << left_) >> right_);
  }
  __device__ __forceinline__ void check(U code) { differing_ |= upper(code) ^ shared_bits_; }
  __device__ __forceinline__ bool lacks_common_bits() const { return (differing_ & front_) != 0; }

 private:
  static constexpr int bits = 8 * static_cast<int>(sizeof(U));
  // Common bits are few, and at the front of whole keys: the upper word has them.
  static __device__ __forceinline__ std::uint32_t upper(U code) {
    return static_cast<std::uint32_t>(code >> (bits - 32));
  }

  int left_, right_;
  std::uint32_t shared_bits_, front_, differing_ = 0;
};

// Counts the keys of a tile in their buckets, and checks their common bits.
template <class U, class Shape>
__device__ __forceinline__ void count_in_buckets(bucket_finder<U>& bucket_of, std::uint32_t* counts,
                                                 const typename block::tile<U, Shape>::items& key, unsigned valid) {
  using tile = block::tile<U, Shape>;
  const unsigned lane = simt::lane_id();
  // Relaxed: read after the kernel's barrier.
  const auto add = [&](unsigned bucket, std::uint32_t keys) {
    const std::uint32_t one = bucket % 2 * 0xffffu + 1u;  // in its half of the word
    simt::atomic_add<simt::order::relaxed, simt::scope::block>(&counts[bucket / 2], keys * one);
  };
  if (valid == Shape::items) {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = bucket_of(key[c][0]);
      bool same = first == simt::shuffle(first, 0);
#pragma unroll
      for (int j = 1; j < Shape::width; ++j) same &= bucket_of(key[c][j]) == first;
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) bucket_of.check(key[c][j]);
      if (simt::all(same)) {
        if (lane == 0) add(first, Shape::chunk_items);
        simt::sync_warp();  // tells the compiler that lanes meet: without it every shuffle is prepared for lanes apart
      } else {
#pragma unroll
        for (int j = 0; j < Shape::width; ++j) add(bucket_of(key[c][j]), 1);
      }
    }
  } else {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        if (tile::first_item(c) + static_cast<unsigned>(j) >= valid) continue;
        bucket_of.check(key[c][j]);
        add(bucket_of(key[c][j]), 1);
      }
  }
}

template <class U, class Shape>
__global__ void __launch_bounds__(Shape::threads) leading_bits_histogram_kernel(leading_bits_histogram_arguments<U> a) {
  using tile = block::tile<U, Shape>;
  auto& shared = simt::shared_storage<leading_bits_histogram_storage<Shape>>();
  std::uint32_t* const counts = shared.counts();
  const unsigned thread = simt::thread_rank();
  const std::uint64_t n = a.n.get();
  if (n == 0) return;
  const found_leading_bits<U> found = find_leading_bits<U, Shape>(a, shared, n);
  if (!found.spread) return;  // all blocks leave
  const unsigned words = 1u << (a.leading.count - 1);
  for (unsigned i = thread; i < words; i += Shape::threads) counts[i] = 0;
  simt::sync_block();

  bool ordered = true;     // the same in all lanes
  std::uint32_t seen = 0;  // keys of this block
  bucket_finder<U> bucket_of(found, a.leading.count);
  for (std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items; begin < n;
       begin += static_cast<std::uint64_t>(gridDim.x) * Shape::items) {
    const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
    seen += valid;
    typename tile::items key;
    load_keys<U, Shape>(a.keys + begin, valid, a.vector_aligned, key);
    encode_keys(a.codec, key);
    if (ordered) {
      const std::uint64_t after_warp = begin + (simt::warp_id() + 1u) * Shape::warp_items;
      const bool follows = simt::lane_id() == simt::warp_size - 1 && after_warp < n;
      const U following = follows ? a.codec.encode(a.keys[after_warp]) : U{};
      ordered = in_order_in_warp<U, Shape>(key, tile::first_item(0), valid, following, follows);
    }
    count_in_buckets<U, Shape>(bucket_of, counts, key, valid);
  }
  const bool unordered = simt::sync_block_any(!ordered);
  const bool lacks_common_bits = simt::sync_block_any(bucket_of.lacks_common_bits());
  std::uint32_t counted = 0;
  for (unsigned i = thread; i < words; i += Shape::threads) {
    const std::uint32_t two = counts[i], even = two & 0xffffu, odd = two >> 16;
    if (even != 0) simt::atomic_add(a.bucket_offsets + 2 * i, even);
    if (odd != 0) simt::atomic_add(a.bucket_offsets + 2 * i + 1, odd);
    counted += even + odd;
  }
  std::uint32_t all_counted;
  (void)block::scan<std::uint32_t, Shape::threads>::exclusive(shared.scan, counted, 0u, all_counted);
  const std::uint32_t findings = (unordered ? leading_bits_finding::unordered : 0u) |
                                 (all_counted != seen || lacks_common_bits ? leading_bits_finding::overflow : 0u);
  if (findings != 0 && thread == 0) simt::atomic_or(a.findings, findings);  // relaxed: released by is_last_block
  if (!device::is_last_block(a.finished_blocks, shared.last_block)) return;
  decide_leading_bits_sort<U, Shape>(a, shared, found, n);
}

}  // namespace ballot::detail
