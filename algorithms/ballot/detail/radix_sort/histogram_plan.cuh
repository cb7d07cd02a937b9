// SPDX-License-Identifier: Apache-2.0
// The end of a radix sort's histogram: its last block has all counts. It replaces them by offsets,
// and decides the action of each launch of the sort (plan.hpp).
//
//     counts of a pass -> exclusive scan -> offsets
//                      -> does a digit need no pass, which digit is frequent, do buckets fit a
//                      block
//     sample, findings -> how many leading digits, are the keys in order
//                      -> actions
//
// The sample of a sort by leading digits is taken by one block of the histogram
// (leading_digits.cuh).
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/determined_digits.cuh>
#include <ballot/detail/radix_sort/histogram_arguments.cuh>
#include <ballot/detail/radix_sort/leading_digits.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/sample_position.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

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
  if (const int distinct = asked >> sample::distinct_shift; distinct != 0) {
    std::uint32_t most_used = 0;
    for (int p = 0; p < passes; ++p) most_used = larger(most_used, shared.counted[p].used);
    return distinct == sample::most_distinct || static_cast<int>(most_used) <= distinct
               ? asked & ((1 << sample::distinct_shift) - 1)
               : 0;
  }
  const auto all = static_cast<float>(n), enough = static_cast<float>(a.leading_limits.bucket_items) * 0.75f;
  float bucket = all;
  for (int leading = 1; leading + a.leading_limits.passes_saved(n) <= passes; ++leading) {
    bucket *= static_cast<float>(shared.counted[passes - leading].largest) / all;
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
    const std::uint32_t frequent_digit = shared.counted[launch < passes ? launch : 0].frequent;
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
      const std::uint32_t frequent_digit = shared.counted[leading_digits_plan::digit_of_round(round)].frequent;
      a.rounds[round].bits = plan.round(round, frequent_digit).bits;
    }
  }
}

// Replaces the counts of a pass by offsets, and says what the plan has to know of them. One warp;
// each lane takes consecutive digits. bucket_offsets: gets the offsets, too; null: there is none.
__device__ __forceinline__ counted_digits scan_counts_of_pass(std::uint64_t* digit_offsets,
                                                              std::uint32_t* bucket_offsets, std::uint64_t n) {
  constexpr unsigned of_lane = radix_digits / simt::warp_size;
  const unsigned first = simt::lane_id() * of_lane;
  std::uint64_t count[of_lane], sum = 0;
  // Pairs with the relaxed additions of all blocks, ordered by `finished_blocks`.
#pragma unroll
  for (unsigned k = 0; k < of_lane; ++k) count[k] = simt::load_relaxed(digit_offsets + first + k);
#pragma unroll
  for (unsigned k = 0; k < of_lane; ++k) sum += count[k];
  std::uint64_t before = warp::inclusive_scan(sum) - sum;

  std::uint32_t used = 0, digit = 0;
  std::uint64_t most = 0;  // the lane's largest count, and its digit
#pragma unroll
  for (unsigned k = 0; k < of_lane; ++k) {
    digit_offsets[first + k] = before;
    if (bucket_offsets != nullptr) bucket_offsets[first + k] = static_cast<std::uint32_t>(before);
    before += count[k];
    used += count[k] != 0 ? 1u : 0u;
    if (count[k] > most) most = count[k], digit = first + k;
  }
  const std::uint32_t largest = simt::reduce_max(static_cast<std::uint32_t>(smaller(most, ~std::uint32_t{0})));
  // Of several frequent digits, the one with the most keys counts. Counts are scaled to 24 bits, so
  // that count and digit fit one word.
  const int scale = n >> 24 == 0 ? 0 : 40 - simt::leading_zeros(n);
  const std::uint32_t scaled = static_cast<std::uint32_t>(most >> scale) << radix_bits | digit;
  const std::uint32_t frequent = simt::reduce_max(most > n / 4 ? scaled : 0u);
  return {frequent == 0 ? radix_digits : frequent % radix_digits, simt::reduce_add(used), largest};
}

// Whether nearly all keys are the key of the most frequent digits, so that the others are placed one by
// one (majority_sort.cuh). A key that differs from it does so in a digit. At least two passes would
// have work.
template <class U, class Shape>
__device__ __forceinline__ bool has_majority(const radix_histogram_storage<U, Shape>& shared, std::uint64_t n,
                                             int passes, std::uint32_t most_others) {
  std::uint64_t others = 0;
  int needed = 0;
  for (int p = 0; p < passes; ++p) {
    const std::uint64_t without = n - shared.counted[p].largest;
    if (without > most_others) return false;
    others += without;
    needed += without != 0 ? 1 : 0;
  }
  return needed >= 2 && others <= n / 8;
}

// The last block, which has all counts: replaces them by offsets, and decides the actions of all
// launches. All passes are scanned at once, a warp each: their latencies do not add up.
template <class U, class Shape>
__device__ __forceinline__ void plan_radix_sort(const radix_histogram_arguments<U>& a,
                                                radix_histogram_storage<U, Shape>& shared, std::uint64_t n,
                                                int passes) {
  const unsigned thread = simt::thread_rank();
  const std::uint32_t findings = simt::load_relaxed(a.findings);  // pairs with the relaxed `or`, ordered as the counts
  int leading_digits = 0;
  if constexpr (radix_passes_in_rounds<U>)
    if (a.leading_digits != nullptr) leading_digits = static_cast<int>(simt::load_relaxed(a.leading_digits));
  for (int p = static_cast<int>(simt::warp_id()); p < passes; p += Shape::warps) {
    const bool are_buckets = a.bucket_offsets != nullptr && p == passes - 1;
    const counted_digits counted =
        scan_counts_of_pass(a.digit_offsets + p * radix_digits, are_buckets ? a.bucket_offsets : nullptr, n);
    if (simt::lane_id() == 0) shared.counted[p] = counted;
  }
  if (a.bucket_offsets != nullptr && thread == 0) a.bucket_offsets[radix_digits] = static_cast<std::uint32_t>(n);
  simt::sync_block();

  // Launches after the passes have no digit.
  std::uint32_t trivial = ~std::uint32_t{0} << passes;
  for (int p = 0; p < passes; ++p)
    if (shared.counted[p].used <= 1) trivial |= std::uint32_t{1} << p;
  if (a.majority != nullptr && n - shared.counted[0].largest <= a.most_others &&
      (findings & radix_histogram_finding::unordered) != 0 && has_majority(shared, n, passes, a.most_others))
      [[unlikely]] {
    if (thread < static_cast<unsigned>(a.rule.launches)) a.actions[thread].bits = 0;
    if (thread == 0) {
      std::uint64_t key = 0;
      for (int p = 0; p < passes; ++p) key |= std::uint64_t{shared.counted[p].frequent} << (p * radix_bits);
      a.majority->key = key;
      a.majority_sort->bits = launch_action::majority_sort;
    }
    return;
  }
  bool sorts_locally = a.bucket_offsets != nullptr && shared.counted[passes - 1].largest <= a.max_bucket_items;
  if constexpr (radix_passes_in_rounds<U>)
    if (leading_digits != 0) leading_digits = enough_digits(a, shared, leading_digits, passes, n);
  if constexpr (finds_determined_digits<U, Shape>) {
    if (a.merged_keys != nullptr) {
      if ((findings & radix_histogram_finding::many_keys) == 0) {
        trivial |=
            ~determined_digits<U>::find_needed(shared.determined, a.merged_keys, Shape::threads,
                                               (findings & radix_histogram_finding::lowest_digit_undetermined) != 0);
        // So few passes are quicker than a local sort after other passes.
        const int needed = static_cast<int>(simt::popcount(~trivial));
        if (needed < passes) leading_digits = 0;
        if (needed <= 2 && passes > 2) sorts_locally = false;
      }
      if (thread < determined_digits<U>::merged_words) a.merged_keys[thread] = 0;  // each has been read by its thread
    }
  }
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
