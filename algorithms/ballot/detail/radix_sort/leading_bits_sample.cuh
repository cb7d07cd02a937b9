// SPDX-License-Identifier: Apache-2.0
// The sample of the keys that says whether a sort by leading bits is worth a try. Every block of
// leading_bits_histogram_kernel.cuh takes it.
//
//     differing bits of the sample -> how many digits differ, where the leading bits are the first
//     key of each thread -> does a vote find a value of the leading eight bits that many hold?
//     counts of both digits        -> is a value too frequent?
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/leading_bits_arguments.cuh>
#include <ballot/detail/radix_sort/sample_position.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/match.cuh>

#include <cstdint>

namespace ballot::detail {

// Whether a sample of the keys is spread over their leading eight bits, and over the eight bits
// below the leading ones. It is if no value has more than twice its share, plus some for chance,
// and if keys differ in more digits than there are passes.
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
  // Passes by the digits in which keys differ need no local sort. If these are so few, keys may
  // have the same remaining bits, which would fill bins of the local sort.
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

}  // namespace ballot::detail
