// SPDX-License-Identifier: Apache-2.0
// The last block of leading_bits_histogram_kernel.cuh, which has the counts of all buckets: whether
// the keys are sorted by leading bits. If so, it replaces the counts by offsets and writes the
// actions of all launches.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/leading_bits_arguments.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>

namespace ballot::detail {

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

}  // namespace ballot::detail
