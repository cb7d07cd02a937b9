// SPDX-License-Identifier: Apache-2.0
// Decides whether keys can be sorted by leading bits, and then counts the keys of each bucket.
//
//     every block checks the same sample -> counts the keys of its tiles by bucket
//     -> adds the counts to the device's
//     -> the last block: are all buckets small enough?
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
// 2. The leading bits are those behind the bits that all keys of the sample share. Whether all keys
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
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/key_tile.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/sample_position.hpp>
#include <ballot/device/grids.cuh>
#include <ballot/device/last_block.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/match.cuh>
#include <ballot/warp/scan.cuh>

namespace ballot::detail {

// Chunks: vectors a thread. Width: items a vector. Blocks: how many at most (device/grids.cuh).
// Samples: sampled keys a thread, of many keys.
template <int Threads, int Chunks, int Width, class Blocks, int Samples>
struct leading_bits_histogram_shape : block::tile_shape<Threads, Chunks, Width> {
  using blocks = Blocks;
  static constexpr int samples = Samples;
  // A sample of few keys is smaller: it takes 0.7 us for each key of a thread (H200), and less is
  // lost if it misleads.
  static constexpr std::uint64_t many_items = std::uint64_t{1} << 24;
  BALLOT_HOST_DEVICE static constexpr int samples_of(std::uint64_t n) {
    return n >= many_items || Samples == 1 ? Samples : Samples / 2;
  }
  static constexpr unsigned all_samples_of(std::uint64_t n) { return static_cast<unsigned>(Threads * samples_of(n)); }
  static_assert(Threads >= radix_digits, "one thread a digit");
};

template <class U>
struct leading_bits_histogram_arguments {
  const U* keys;
  length n;  // less than 2^32
  key_codec<U> codec;
  leading_bits leading;            // of two passes
  std::uint32_t max_bucket_items;  // the most keys that the local sort takes
  radix_step_rule rule;
  int max_common_bits;   // in front of the leading ones, at most
  int passes;            // of the sort by all digits
  bool may_be_unstable;  // the first pass need not be stable (leading_bits_plan)
  bool vector_aligned;
  // Zero at launch:
  std::uint32_t* bucket_offsets;   // [bucket], and one more; written if approved
  std::uint32_t* finished_blocks;  // blocks
  std::uint32_t* findings;         // leading_bits_finding
  std::uint32_t* approved;         // becomes 1
  // Written if approved:
  std::uint64_t* digit_offsets;  // [pass][digit], those of the last two passes
  launch_action* actions;        // [launch]
  launch_action* local_sort;
};

struct leading_bits_finding {
  enum bit : std::uint32_t { unordered = 1, overflow = 2 };
};

template <class Shape>
struct leading_bits_histogram_storage {
  std::uint32_t digit[2][radix_digits];  // counts of the sample, and then of the lower digit
  std::uint32_t differing_bits[2];       // of the sample, lower and upper: in which a key differs from the first one
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
  bool last_block;
  // After it: std::uint32_t count[buckets / 2].

  static std::size_t bytes(leading_bits leading) {
    return sizeof(leading_bits_histogram_storage) + (std::size_t{2} << leading.count);
  }
  __device__ __forceinline__ std::uint32_t* counts() { return reinterpret_cast<std::uint32_t*>(this + 1); }
};

// Where the leading bits are: behind the bits that all keys of the sample share. `base` has the
// shared bits.
template <class U>
struct found_leading_bits {
  bool spread;
  int common, shift;
  U base;
};

// Whether a sample of the keys is spread over their leading eight bits, and over the eight bits
// below the leading ones. It is if no value has more than twice its share, plus some for chance, and
// if keys differ in more digits than there are passes.
// The same in all blocks. Four barriers, and one after it.
template <class U, class Shape>
__device__ __forceinline__ found_leading_bits<U> find_leading_bits(const leading_bits_histogram_arguments<U>& a,
                                                                   leading_bits_histogram_storage<Shape>& shared,
                                                                   std::uint64_t n) {
  auto& digit = shared.digit;
  // Keys with fewer bits than their type may use just over half of the values of those bits. Then
  // up to half of the buckets are empty, so the limit is twice as high.
  const int key_bits = a.leading.key_bits;
  const int samples = Shape::samples_of(n);
  const std::uint32_t most = (key_bits < 8 * static_cast<int>(sizeof(U)) ? 4u : 2u) *
                                 static_cast<unsigned>(samples * Shape::threads) / radix_digits +
                             16;
  const unsigned thread = simt::thread_rank();
  if (thread < radix_digits) digit[0][thread] = digit[1][thread] = 0;
  if (thread < 2) shared.differing_bits[thread] = 0;
  simt::sync_block();
  const U first = a.codec.encode(a.keys[radix_sample_position(0, n)]);
  U key[Shape::samples], differing = 0;
#pragma unroll
  for (int i = 0; i < Shape::samples; ++i) {
    if (i >= samples) continue;
    const std::uint32_t sample = thread + static_cast<unsigned>(i) * Shape::threads;
    key[i] = a.codec.encode(a.keys[radix_sample_position(sample, n)]);
    differing |= key[i] ^ first;
  }
  // Relaxed: read after the barrier.
  const auto add = [&](int half, std::uint32_t bits) {
    const std::uint32_t of_warp = simt::reduce_or(bits);
    if (simt::lane_id() == 0)
      simt::atomic_or<simt::order::relaxed, simt::scope::block>(&shared.differing_bits[half], of_warp);
  };
  add(0, static_cast<std::uint32_t>(differing));
  if constexpr (sizeof(U) == 8) add(1, static_cast<std::uint32_t>(differing >> 32));
  simt::sync_block();
  const std::uint64_t all_differing =
      static_cast<std::uint64_t>(shared.differing_bits[1]) << 32 | shared.differing_bits[0];
  const int shared_bits =
      all_differing == 0 ? key_bits : key_bits - 64 + static_cast<int>(simt::leading_zeros(all_differing));
  // Passes by the digits in which keys differ need no local sort. If these are so few, keys may have
  // the same remaining bits, which would fill bins of the local sort.
  int differing_digits = 0;
  for (int bit = 0; bit < key_bits; bit += radix_bits)
    differing_digits += (all_differing >> bit & (radix_digits - 1u)) != 0 ? 1 : 0;
  if (differing_digits <= a.leading.passes()) return {false, 0, 0, U{0}};

  const int common = shared_bits < a.max_common_bits ? shared_bits : a.max_common_bits;
  const int shift = key_bits - common - a.leading.count;
  const U base = common == 0 ? U{0} : static_cast<U>(first >> (key_bits - common) << (key_bits - common));

  const auto leading_of = [&](U code) {
    return static_cast<unsigned>(code >> (key_bits - common - radix_bits)) & (radix_digits - 1u);
  };
  // A digit that so many lanes hold is too frequent. That is seen before their additions collide.
  constexpr int many_lanes = 9;
  if (simt::sync_block_any(simt::popcount(warp::match_digit<radix_bits>(leading_of(key[0]))) >= many_lanes))
    return {false, common, shift, base};

  std::uint32_t met = 0;
#pragma unroll
  for (int i = 0; i < Shape::samples; ++i) {
    if (i >= samples) continue;
    const unsigned leading = leading_of(key[i]);
    const unsigned below = static_cast<unsigned>(key[i] >> (shift - radix_bits)) & (radix_digits - 1u);
    // Relaxed: the last addition to a count that is too large returns such a value.
    const std::uint32_t of_leading = simt::atomic_add<simt::order::relaxed, simt::scope::block>(&digit[0][leading], 1u);
    const std::uint32_t of_below = simt::atomic_add<simt::order::relaxed, simt::scope::block>(&digit[1][below], 1u);
    met = of_leading > met ? of_leading : met;
    met = of_below > met ? of_below : met;
  }
  return {!simt::sync_block_any(met >= most), common, shift, base};
}

// The exclusive scan of the buckets' counts: the offsets of the buckets, and of the digits of the
// last pass. A warp takes consecutive buckets, four a lane.
template <class U, class Shape>
__device__ __forceinline__ void scan_buckets(const leading_bits_histogram_arguments<U>& a,
                                             leading_bits_histogram_storage<Shape>& shared,
                                             const std::uint16_t* count) {
  const unsigned lane = simt::lane_id(), buckets = 1u << a.leading.count;
  const unsigned of_warp = buckets / Shape::warps < 4 * simt::warp_size ? 4 * simt::warp_size : buckets / Shape::warps;
  const unsigned first = simt::warp_id() * of_warp;
  const unsigned end = first + of_warp < buckets ? first + of_warp : buckets;
  const int lower_bits = a.leading.bits_of(0);
  const auto four_sums = [&](unsigned p, std::uint32_t(&up_to)[4]) {
    std::uint32_t sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) up_to[k] = sum += p < end ? count[p + static_cast<unsigned>(k)] : 0u;
    return sum;
  };
  std::uint32_t own = 0;
  for (unsigned p = first + 4 * lane; p < end; p += 4 * simt::warp_size) {
    std::uint32_t up_to[4];
    own += four_sums(p, up_to);
  }
  std::uint32_t total;
  const std::uint32_t before_thread =
      block::scan<std::uint32_t, Shape::threads>::exclusive(shared.scan, own, 0u, total);
  std::uint32_t before = simt::shuffle(before_thread, 0);
  std::uint64_t* const top_starts = a.digit_offsets + (a.passes - 1) * radix_digits;
  for (unsigned row = first; row < end; row += 4 * simt::warp_size) {
    const unsigned p = row + 4 * lane;
    std::uint32_t up_to[4];
    const std::uint32_t sum = four_sums(p, up_to);
    const std::uint32_t up_to_lane = warp::inclusive_scan(sum);
    const std::uint32_t start = before + up_to_lane - sum;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (p >= end) continue;
      const unsigned at = p + static_cast<unsigned>(k);
      const std::uint32_t value = start + (k == 0 ? 0u : up_to[k == 0 ? 0 : k - 1]);
      a.bucket_offsets[at] = value;
      if ((at & ((1u << lower_bits) - 1u)) == 0) top_starts[at >> lower_bits] = value;
    }
    before += simt::shuffle(up_to_lane, simt::warp_size - 1);
  }
}

// The offsets of the lower digit. Its counts are sums over the values of the upper digit.
// shared.digit[0] is zero.
template <class U, class Shape>
__device__ __forceinline__ void scan_lower_digit(const leading_bits_histogram_arguments<U>& a,
                                                 leading_bits_histogram_storage<Shape>& shared,
                                                 const std::uint16_t* count) {
  const unsigned thread = simt::thread_rank();
  const int lower_bits = a.leading.bits_of(0);
  std::uint32_t total;
  const unsigned lower = 1u << lower_bits, parts = Shape::threads / lower;
  const unsigned low = thread & (lower - 1u), part = thread >> lower_bits;
  std::uint32_t of_low = 0;
  if (part < parts)
    for (unsigned high = part; high < radix_digits; high += parts) of_low += count[high << lower_bits | low];
  // Relaxed: read after the barrier.
  if (of_low != 0) simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.digit[0][low], of_low);
  simt::sync_block();
  const std::uint32_t start_of_low = block::scan<std::uint32_t, Shape::threads>::exclusive(
      shared.scan, thread < radix_digits ? shared.digit[0][thread] : 0u, 0u, total);
  if (thread < radix_digits) a.digit_offsets[(a.passes - 2) * radix_digits + static_cast<int>(thread)] = start_of_low;
}

// The last block, which has all counts. It decides, and writes the decision.
template <class U, class Shape>
__device__ __forceinline__ void decide_leading_bits_sort(const leading_bits_histogram_arguments<U>& a,
                                                         leading_bits_histogram_storage<Shape>& shared,
                                                         const found_leading_bits<U>& found, std::uint64_t n) {
  const unsigned thread = simt::thread_rank();
  const int launch = static_cast<int>(thread);
  const std::uint32_t findings = simt::load_relaxed(a.findings);
  if ((findings & leading_bits_finding::unordered) == 0) {
    if (launch < a.rule.launches)
      a.actions[launch].bits = all_digits_plan(~std::uint32_t{0}, a.rule, false).action(launch, radix_digits).bits;
    if (thread == 0) {
      a.local_sort->bits = 0;
      *a.approved = 1;
    }
    return;
  }
  // 16 bits suffice again, since larger counts are not approved.
  auto* const count = reinterpret_cast<std::uint16_t*>(shared.counts());
  const unsigned buckets = 1u << a.leading.count;
  bool too_many = (findings & leading_bits_finding::overflow) != 0;
#pragma unroll 4
  for (unsigned p = thread; p < buckets; p += Shape::threads) {
    // Pairs with the relaxed additions of all blocks, ordered by `finished_blocks`.
    const std::uint32_t of_bucket = simt::load_relaxed(a.bucket_offsets + p);
    too_many |= of_bucket > a.max_bucket_items;
    count[p] = static_cast<std::uint16_t>(of_bucket);
  }
  if (thread < radix_digits) shared.digit[0][thread] = 0;
  if (simt::sync_block_any(too_many)) return;

  scan_buckets(a, shared, count);
  scan_lower_digit(a, shared, count);
  const leading_bits_plan plan(a.passes, a.leading.passes(), a.rule, a.may_be_unstable);
  const std::uint32_t common = static_cast<std::uint32_t>(found.common) << launch_action::common_bits_shift;
  if (launch < a.rule.launches) {
    const launch_action action = plan.action(launch, radix_digits);
    a.actions[launch].bits = action.bits == 0 ? 0 : action.bits | common;
  }
  if (thread == 0) {
    const std::uint32_t common_bits_value =
        found.common == 0 ? 0u : static_cast<std::uint32_t>(found.base >> (found.shift + a.leading.count));
    a.bucket_offsets[buckets] = static_cast<std::uint32_t>(n);
    a.local_sort->bits = plan.local_sort().bits | common | common_bits_value << launch_action::common_bits_value_shift;
    *a.approved = 1;
  }
}

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
      const std::uint64_t behind = begin + (simt::warp_id() + 1u) * Shape::warp_items;
      const bool follows = simt::lane_id() == simt::warp_size - 1 && behind < n;
      const U following = follows ? a.codec.encode(a.keys[behind]) : U{};
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
