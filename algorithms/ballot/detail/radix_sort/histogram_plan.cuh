// SPDX-License-Identifier: Apache-2.0
// The end of a radix sort's histogram: its last block has all counts. It replaces them by offsets,
// and decides the action of each launch of the sort (plan.hpp).
//
//     counts of a pass -> exclusive scan -> offsets
//                      -> does a digit need no pass, which digit is frequent, do buckets fit a block
//     sample, findings -> how many leading digits, are the keys in order
//                      -> actions
//
// The sample of a sort by leading digits is taken by one block of the histogram
// (leading_digits.cuh).
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/determined_digits.cuh>
#include <ballot/detail/radix_sort/histogram_arguments.cuh>
#include <ballot/detail/radix_sort/leading_digits.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/sample_position.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// The number of leading digits to use: it may be more than `asked`, which the sample gave. A bucket
// that is a few times as large as others has too few keys in the sample to be noticed. So this
// multiplies the shares of the most frequent values of the leading digits, as if the digits were
// independent. If the product says that a bucket is too large, it takes another digit. 0: no sort
// by leading digits. All threads get the same, after a barrier.
template <class U, class Shape>
__device__ __forceinline__ int enough_digits(const radix_histogram_arguments<U>& a,
                                             const radix_histogram_storage<U, Shape>& shared, int asked, int passes,
                                             std::uint64_t n) {
  using sample = typename radix_histogram_storage<U, Shape>::sample;
  // With few different keys a digit has no more values than there are keys. If it has more, there
  // are keys that the sample does not show.
  if (const int distinct = asked >> sample::distinct_shift; distinct != 0)
    return distinct == sample::most_distinct || static_cast<int>(shared.most_used) <= distinct
               ? asked & ((1 << sample::distinct_shift) - 1)
               : 0;
  const auto all = static_cast<float>(n), enough = static_cast<float>(a.leading_limits.bucket_items) * 0.75f;
  float bucket = all;
  for (int leading = 1; leading + a.leading_limits.passes_saved(n) <= passes; ++leading) {
    bucket *= static_cast<float>(shared.largest[passes - leading]) / all;
    if (leading >= asked && bucket <= enough) return leading;
  }
  return 0;
}

// The actions of all launches, by threads of the last block. Bit p of `trivial`: digit p needs no
// pass.
template <class U, class Shape>
__device__ __forceinline__ void write_radix_actions(const radix_histogram_arguments<U>& a,
                                                    const radix_histogram_storage<U, Shape>& shared, std::uint64_t n,
                                                    int passes, std::uint32_t trivial, bool sorts_locally,
                                                    int leading_digits, bool in_order) {
  const unsigned thread = simt::thread_rank();
  if (const int launch = static_cast<int>(thread); launch < a.rule.launches) {
    const std::uint32_t frequent_digit = shared.frequent[launch < passes ? launch : 0];
    if (sorts_locally && !in_order) {
      const leading_bits_plan plan(passes, 1, a.rule, a.may_be_unstable);
      a.actions[launch].bits = plan.action(launch, frequent_digit).bits;
      if (launch == 0) a.local_sort->bits = plan.local_sort().bits;
    } else if (const leading_digits_plan by_digits(trivial, passes, in_order ? 0 : leading_digits, a.rule,
                                                   a.may_be_unstable, a.leading_limits.passes_saved(n));
               by_digits.pays()) {
      a.actions[launch].bits = by_digits.action(launch, frequent_digit).bits;
      if (launch == 0) a.tile_sort->bits = by_digits.tile_sort().bits;
    } else {
      const all_digits_plan plan(in_order ? ~std::uint32_t{0} : trivial, a.rule, a.may_be_unstable);
      a.actions[launch].bits = plan.action(launch, frequent_digit).bits;
    }
  }
  if constexpr (radix_passes_in_rounds<U>) {
    if (const int round = static_cast<int>(thread); leading_digits != 0 && round <= passes) {
      const leading_digits_plan plan(trivial, passes, leading_digits, a.rule, a.may_be_unstable);
      const std::uint32_t frequent_digit = shared.frequent[leading_digits_plan::digit_of_round(round)];
      a.rounds[round].bits = plan.round(round, frequent_digit).bits;
    }
  }
}

// The last block, which has all counts: replaces them by offsets, and decides the actions of all
// launches.
template <class U, class Shape>
__device__ __forceinline__ void plan_radix_sort(const radix_histogram_arguments<U>& a,
                                                radix_histogram_storage<U, Shape>& shared, std::uint64_t n,
                                                int passes) {
  const unsigned thread = simt::thread_rank();
  if constexpr (radix_passes_in_rounds<U>)
    if (thread <= shared.max_passes) (thread < shared.max_passes ? shared.largest[thread] : shared.most_used) = 0;
  if (thread < max_radix_passes) shared.frequent[thread] = 0;  // the scan's barriers separate this from what follows
  // Counts are scaled to 24 bits, so that count and digit fit one word.
  const int scale = n >> 24 == 0 ? 0 : 40 - simt::leading_zeros(n);
  int leading_digits = 0;
  if constexpr (radix_passes_in_rounds<U>)
    if (a.leading_digits != nullptr)  // as for the counts below
      leading_digits = static_cast<int>(simt::load_relaxed(a.leading_digits));
  // Launches after the passes have no digit.
  std::uint32_t trivial = ~std::uint32_t{0} << passes;
  bool sorts_locally = a.bucket_offsets != nullptr;
  for (int p = 0; p < passes; ++p) {
    // Pairs with the relaxed additions of all blocks, ordered by `finished_blocks`.
    std::uint64_t* const start = &a.digit_offsets[p * radix_digits + static_cast<int>(thread)];
    const std::uint64_t count = thread < radix_digits ? simt::load_relaxed(start) : 0;
    std::uint64_t total;
    const std::uint64_t before =
        block::scan<std::uint64_t, Shape::threads>::exclusive(shared.scan, count, std::uint64_t{0}, total);
    if (thread < radix_digits) *start = before;
    // A digit is frequent if more than a quarter of the keys have it. Of several frequent digits,
    // the one with the most keys counts.
    if (count > n / 4)
      simt::atomic_max(&shared.frequent[p], static_cast<std::uint32_t>(count >> scale) << radix_bits | thread);
    if constexpr (radix_passes_in_rounds<U>)
      if (leading_digits != 0) {
        const std::uint32_t largest = simt::reduce_max(static_cast<std::uint32_t>(count));
        if (simt::lane_id() == 0) simt::atomic_max(&shared.largest[p], largest);
        const auto used = static_cast<std::uint32_t>(simt::sync_block_count(count != 0));
        if (thread == 0 && used > shared.most_used) shared.most_used = used;
      }
    if (simt::sync_block_any(count == n)) trivial |= std::uint32_t{1} << p;
    if (sorts_locally && p == passes - 1) {
      if (thread < radix_digits) a.bucket_offsets[thread] = static_cast<std::uint32_t>(before);
      if (thread == 0) a.bucket_offsets[radix_digits] = static_cast<std::uint32_t>(n);
      sorts_locally = !simt::sync_block_any(count > a.max_bucket_items);
    }
  }
  if constexpr (radix_passes_in_rounds<U>)
    if (leading_digits != 0) leading_digits = enough_digits(a, shared, leading_digits, passes, n);
  const std::uint32_t findings = simt::load_relaxed(a.findings);  // pairs with the relaxed `or`, as above
  if constexpr (finds_determined_digits<U, Shape>) {
    if (a.merged_keys != nullptr) {
      if ((findings & radix_histogram_finding::many_keys) == 0) {
        trivial |= ~determined_digits<U>::find_needed(shared.determined, a.merged_keys, Shape::threads,
                                                      (findings & radix_histogram_finding::lowest_digit_open) != 0);
        // So few passes are quicker than a local sort after other passes.
        const int needed = static_cast<int>(simt::popcount(~trivial));
        if (needed < passes) leading_digits = 0;
        if (needed <= 2 && passes > 2) sorts_locally = false;
      }
      if (thread < determined_digits<U>::merged_words) a.merged_keys[thread] = 0;  // each has been read by its thread
    }
  }
  if (thread < max_radix_passes)
    shared.frequent[thread] = shared.frequent[thread] == 0 ? radix_digits : shared.frequent[thread] % radix_digits;
  simt::sync_block();
  write_radix_actions(a, shared, n, passes, trivial, sorts_locally, leading_digits,
                      (findings & radix_histogram_finding::unordered) == 0);
}

// One block, while the others count: takes a sample of the keys, and decides how many leading
// digits will do.
template <class U, class Shape, class ComparedOf>
__device__ __forceinline__ void choose_leading_digits(const radix_histogram_arguments<U>& a,
                                                      radix_histogram_storage<U, Shape>& shared, std::uint64_t n,
                                                      const ComparedOf& compared_of) {
  using sample = typename radix_histogram_storage<U, Shape>::sample;
  std::uint64_t key[sample::of_thread], position[sample::of_thread];
#pragma unroll
  for (int i = 0; i < sample::of_thread; ++i) {
    position[i] = radix_sample_position(simt::thread_rank() + static_cast<unsigned>(i) * Shape::threads, n);
    key[i] = compared_of(a.codec.encode(a.keys[position[i]]));
  }
  // Such keys most likely need no pass. Of more keys, the others count as long as this block takes.
  if constexpr (requires { Shape::is_for_few_keys; })
    if (sample::is_in_order(key, position)) return;
  // The last digit as leading bits is better, if its buckets are small enough.
  if (a.bucket_offsets != nullptr && sample::is_spread(shared.sampled, a.digits, key)) return;
  const int leading = sample::choose(shared.sampled, n, a.digits, a.leading_limits, key);
  if (simt::thread_rank() == 0) *a.leading_digits = static_cast<std::uint32_t>(leading);  // released by is_last_block
}

}  // namespace ballot::detail
