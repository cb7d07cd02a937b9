// SPDX-License-Identifier: Apache-2.0
// Counts the digits of all passes in one read of the keys. The counts give the offset of each digit
// in the output, and the action of each launch of the sort.
//
//     load a tile of keys -> check their order -> count the digits of all passes in shared memory
//     -> add the counts to the device's
//     -> the last block: exclusive scan of each pass's 256 counts, actions (histogram_plan.cuh)
//
// The counts of a digit do not change when the keys move, so one histogram serves every pass. A
// digit that all keys share needs no pass. Keys that are in order need no pass at all.
//
//     count[pass][digit][column]    lane l adds to column l % columns
//
// Every lane adds 1 for each digit of each of its keys. With one column, the atomics of a warp
// would collide: equal digits in the same word, others in the same bank of shared memory. On
// average 3.5 lanes would take turns. With 16 columns at most two lanes collide, whatever the
// distribution of the keys. Small arrays use one column: few of their keys collide, and many
// columns would have to be cleared and added up.
//
// The compared bits are shifted down first, so that every digit is at a constant position.
//
// A warp stops checking the order when it has seen a key smaller than the one before it. In
// unordered keys that happens within the first tile. In the same way, blocks check whether there
// are only few different keys, so that some digits need no pass (determined_digits.cuh).
//
// Shared memory: 1 KiB for each pass and column. For long keys at least the table of a sample,
// 32 KiB with one column (leading_digits.cuh). Five barriers, and in the last block one more.
// Source: Adinets and Merrill, Onesweep, 2022 (one upfront histogram).
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/determined_digits.cuh>
#include <ballot/detail/radix_sort/histogram_arguments.cuh>
#include <ballot/detail/radix_sort/histogram_plan.cuh>
#include <ballot/detail/radix_sort/key_tile.cuh>
#include <ballot/detail/radix_sort/leading_bits_histogram_kernel.cuh>
#include <ballot/device/grids.cuh>
#include <ballot/device/last_block.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// Counts the digits of a tile's keys, of all passes. key: their compared bits.
template <class U, class Shape>
__device__ __forceinline__ void count_digits(radix_histogram_storage<U, Shape>& shared,
                                             const typename block::tile<U, Shape>::items& key, unsigned valid,
                                             int passes) {
  using tile = block::tile<U, Shape>;
  const unsigned lane = simt::lane_id();
  const auto add = [&](int pass, unsigned digit) {
    // Relaxed: read after the kernel's barrier.
    simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.count[pass][digit][lane % Shape::columns], 1u);
  };
  const auto digit_of = [](U compared, int pass) {
    return static_cast<unsigned>(compared >> (pass * radix_bits)) & (radix_digits - 1u);
  };
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    if (valid == Shape::items) {
#pragma unroll
      for (int p = 0; p < shared.max_passes; ++p) {
        if (p >= passes) continue;
#pragma unroll
        for (int j = 0; j < Shape::width; ++j) add(p, digit_of(key[c][j], p));
      }
    } else {
#pragma unroll
      for (int j = 0; j < Shape::width; ++j)
#pragma unroll 1  // saves compile time: there is one such tile
        for (int p = 0; p < passes; ++p)
          if (tile::first_item(c) + j < valid) add(p, digit_of(key[c][j], p));
    }
  }
}

// Adds the block's counts to the device's.
template <class U, class Shape>
__device__ __forceinline__ void add_counts(const radix_histogram_arguments<U>& a,
                                           const radix_histogram_storage<U, Shape>& shared, int passes) {
  const unsigned thread = simt::thread_rank();
  for (unsigned i = thread; i < static_cast<unsigned>(passes) * radix_digits; i += Shape::threads) {
    std::uint32_t count = 0;
#pragma unroll
    for (int column = 0; column < Shape::columns; ++column)
      count += (&shared.count[0][0][0])[i * Shape::columns + (thread + column) % Shape::columns];
    if (count != 0) simt::atomic_add(&a.digit_offsets[i], static_cast<std::uint64_t>(count));
  }
}

// Clears the counts and the table of a block. Ends with a barrier.
template <class U, class Shape>
__device__ __forceinline__ void clear_histogram(radix_histogram_storage<U, Shape>& shared) {
  const unsigned thread = simt::thread_rank();
  for (unsigned i = thread; i < sizeof(shared.count) / sizeof(std::uint32_t); i += Shape::threads)
    (&shared.count[0][0][0])[i] = 0;
  if constexpr (finds_determined_digits<U, Shape>) {
    auto* const words = shared.determined.of[0].word;
    for (unsigned i = thread; i < 2 * (determined_digits<U>::buckets + 1); i += Shape::threads) words[i] = 0;
    if (thread == 0) shared.determined.used = shared.determined.findings = 0;
  }
  simt::sync_block();
}

// Adds the findings of a block to those of all, after its last tile. One barrier.
template <class U, class Shape>
__device__ __forceinline__ void add_findings(const radix_histogram_arguments<U>& a,
                                             radix_histogram_storage<U, Shape>& shared, bool ordered,
                                             [[maybe_unused]] bool lowest_undetermined) {
  const unsigned thread = simt::thread_rank();
  if constexpr (finds_determined_digits<U, Shape>) {
    // Relaxed: read after the barrier.
    if (simt::any(lowest_undetermined) && simt::lane_id() == 0)
      simt::atomic_or<simt::order::relaxed, simt::scope::block>(
          &shared.determined.findings, std::uint32_t{radix_histogram_finding::lowest_digit_undetermined});
  }
  const bool unordered = simt::sync_block_any(!ordered);
  std::uint32_t findings = unordered && thread == 0 ? radix_histogram_finding::unordered : 0u;
  if constexpr (finds_determined_digits<U, Shape>) {
    if (a.merged_keys != nullptr) {
      const std::uint32_t of_block = shared.determined.findings;
      if (thread == 0) findings |= of_block;
      if ((of_block & radix_histogram_finding::many_keys) == 0)
        findings |= determined_digits<U>::merge(shared.determined, a.merged_keys, Shape::threads);
    }
  }
  if (findings != 0) simt::atomic_or(a.findings, findings);  // relaxed: released by is_last_block
}

// The host chooses the grid so that no block takes 2^32 keys or more. So 32 bits suffice for the
// counts in shared memory.
template <class U, class Shape>
__global__ void __launch_bounds__(Shape::threads) radix_histogram_kernel(radix_histogram_arguments<U> a) {
  using tile = block::tile<U, Shape>;
  auto& shared = simt::shared_storage<radix_histogram_storage<U, Shape>>();
  const int passes = a.digits.passes();
  if (a.may_be_empty) simt::let_next_launch_begin();
  simt::wait_for_previous_launch();  // which may have approved
  if (a.approved != nullptr && *a.approved != 0) return;
  const std::uint64_t n = a.n.get();
  if (n == 0 && a.may_be_empty) {
    if (blockIdx.x == 0 && simt::thread_rank() < max_radix_launches) a.actions[simt::thread_rank()].bits = 0;
    return;
  }
  unsigned blocks = gridDim.x;  // that count
  bool samples = false;
  if constexpr (radix_passes_in_rounds<U>) {
    if (a.leading_digits != nullptr && n >= a.leading_limits.least_items && blocks > 1) {
      --blocks;
      samples = blockIdx.x == blocks;
    }
  }
  clear_histogram<U, Shape>(shared);

  const U compared_mask =
      static_cast<U>(static_cast<U>(~U{0}) >> (8 * static_cast<int>(sizeof(U)) - (a.digits.high - a.digits.low)));
  const auto compared_of = [&](U code) {
    return static_cast<U>(static_cast<U>(a.codec.compared(code) >> a.digits.low) & compared_mask);
  };

  bool ordered = true;  // the same in all lanes
  // Whether there have been few different keys so far, the same in all lanes; and whether their
  // lowest digit is not determined.
  [[maybe_unused]] bool few = a.merged_keys != nullptr, lowest_undetermined = false;
  for (std::uint64_t begin = samples ? n : static_cast<std::uint64_t>(blockIdx.x) * Shape::items; begin < n;
       begin += static_cast<std::uint64_t>(blocks) * Shape::items) {
    const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
    typename tile::items key;
    load_keys<U, Shape>(a.keys + begin, valid, a.vector_aligned, key);
    encode_keys(a.codec, key);
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) key[c][j] = compared_of(key[c][j]);

    if (ordered) {
      const std::uint64_t after_warp = begin + (simt::warp_id() + 1u) * Shape::warp_items;
      const bool follows = simt::lane_id() == simt::warp_size - 1 && after_warp < n;
      const U following = follows ? compared_of(a.codec.encode(a.keys[after_warp])) : U{};
      ordered = in_order_in_warp<U, Shape>(key, tile::first_item(0), valid, following, follows);
    }
    if constexpr (finds_determined_digits<U, Shape>) {
      using determined = determined_digits<U>;
      const std::uint64_t first_begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items;
      if (begin == first_begin) {
        if (few)
          few = determined::template enter_tile<tile, Shape>(
              shared.determined, key, valid,
              [&](unsigned at) { return compared_of(a.codec.encode(a.keys[begin + at])); }, lowest_undetermined);
      } else {
        if (begin == first_begin + static_cast<std::uint64_t>(blocks) * Shape::items && a.merged_keys != nullptr) {
          simt::sync_block();  // all keys of the first tile are in the table
          few = few && !simt::any(determined::are_many(shared.determined));
        }
        if (few) few = determined::template look_up_tile<tile, Shape>(shared.determined, key, lowest_undetermined);
      }
    }
    count_digits<U, Shape>(shared, key, valid, passes);
  }
  add_findings<U, Shape>(a, shared, ordered, lowest_undetermined);
  if constexpr (radix_passes_in_rounds<U>)
    if (samples) choose_leading_digits(a, shared, n, compared_of);
  if (!samples) add_counts<U, Shape>(a, shared, passes);
  if (device::is_last_block(a.finished_blocks, shared.last_block)) plan_radix_sort<U, Shape>(a, shared, n, passes);
}

}  // namespace ballot::detail
