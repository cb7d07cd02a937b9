// SPDX-License-Identifier: Apache-2.0
// Finds how many leading digits leave buckets that a block can hold. One block takes a sample for
// this, while the others count digits.
//
//     whole keys of the sample          how often does each occur?
//     one leading digit, two, ...       how often does each value of the leading digits occur?
//
// A key's companions are the other keys with the same leading digits. Equal keys need no sort among
// themselves, so only companions make a bucket too large. Of n keys, the bucket of a key holds n /
// samples times its companions in the sample, and n / samples times its equals. A number of digits
// is enough if all of this holds:
//
// - The companions of an average key are a twelfth of what a block holds.
// - No key has more companions than chance gives it, as where keys lie in clusters. Nor has it so
//   many that its bucket is probably larger.
// - No key that occurs too often for a block has companions at all, not even rare ones that the
//   sample does not show.
//
// The sample may be wrong. Then the sort takes longer, but no harm is done (plan.hpp).
//
//     slot of the table     tag | count     open addressing by a hash; the tag has those bits of
//                                           the hash that the slot's number does not have
//
// Shared memory: 4 bytes a slot. There are many slots, so that a key finds its own at once.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>

#include <bit>
#include <cmath>
#include <cstdint>

namespace ballot::detail {

// The facts about the local sort by tiles that the decision needs.
struct leading_digits_limits {
  std::uint32_t bucket_items = 0;                     // that a block holds; 0: no such sort
  int max_remaining_bits = 0;                         // below the leading digits, where words have positions
  std::uint64_t least_items = 0;                      // fewer are not worth it
  std::uint64_t many_items = 0;                       // fewer are few
  std::uint64_t very_many_items = ~std::uint64_t{0};  // from so many on, two passes saved are worth it

  // How many passes n keys have to save, and how many digits they need at the least: one leading
  // digit leaves few buckets.
  BALLOT_HOST_DEVICE constexpr int passes_saved(std::uint64_t n) const {
    return n < many_items         ? leading_digits_plan::least_saved_of_few
           : n >= very_many_items ? leading_digits_plan::least_saved_of_very_many
                                  : leading_digits_plan::least_saved;
  }
  BALLOT_HOST_DEVICE constexpr int least_digits(std::uint64_t n) const { return 2 + passes_saved(n); }
};

template <int Threads, int Samples, int Slots>
struct leading_digits_sample {
  static constexpr int of_thread = Samples;
  static constexpr unsigned all = Threads * Samples, slots = Slots;
  static constexpr int count_bits = std::bit_width(all);
  // The result also says how many different keys the sample has, if there were no companions: 255
  // for more, 0 otherwise.
  static constexpr int distinct_shift = 8, most_distinct = 255;
  // So few different keys are left to determined_digits.cuh: one or two of their digits need a
  // pass.
  static constexpr unsigned few_distinct = 16;
  static_assert((all & (all - 1)) == 0 && (slots & (slots - 1)) == 0 && slots > all);
  struct totals {
    std::uint32_t largest;     // companions of a key
    std::uint32_t companions;  // of all keys, up to all^2: no more than 2^28
    std::uint32_t rare;        // keys that occur once
    std::uint32_t heavy;       // different keys that occur too often for a block, in 1/256
    std::uint32_t distinct;    // different keys
  };
  struct storage {
    std::uint32_t slot[slots];
    totals sum;
    std::uint64_t first_key;
    std::uint32_t differing_bits[2];  // lower and upper: in which a key differs from the first one
  };

  // The slot of a value: its hash is the finaliser of MurmurHash3 for 64 bits.
  static __device__ __forceinline__ std::uint64_t hash_of(std::uint64_t value) {
    value = (value ^ value >> 33) * 0xff51afd7ed558ccdull;
    value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53ull;
    return value ^ value >> 33;
  }
  static __device__ __forceinline__ std::uint32_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32) << count_bits;
  }
  // Counts a thread's values, and finds their slots. Most of them find a free slot or their own at
  // once. The others search on at the same time, so that latencies overlap.
  static __device__ __forceinline__ void count(storage& shared, const std::uint64_t (&key)[Samples], int shift,
                                               unsigned (&at)[Samples]) {
    std::uint32_t tag[Samples], found[Samples];
    const auto try_slot = [&shared](unsigned slot, std::uint32_t own_tag) {
      // Relaxed: the counts are read after the next barrier.
      return simt::atomic_cas<simt::order::relaxed, simt::scope::block>(&shared.slot[slot], 0u, own_tag | 1u);
    };
#pragma unroll
    for (int i = 0; i < Samples; ++i) {
      const std::uint64_t hash = hash_of(key[i] >> shift);
      tag[i] = tag_of(hash), at[i] = static_cast<unsigned>(hash) & (slots - 1u);
      found[i] = try_slot(at[i], tag[i]);
    }
    const auto has_another = [&](int i) { return found[i] != 0 && (found[i] ^ tag[i]) >> count_bits != 0; };
    for (bool searches = true; searches;) {
      searches = false;
#pragma unroll
      for (int i = 0; i < Samples; ++i) {
        if (!has_another(i)) continue;
        at[i] = (at[i] + 1u) & (slots - 1u);
        found[i] = try_slot(at[i], tag[i]);
        searches = true;
      }
    }
#pragma unroll
    for (int i = 0; i < Samples; ++i)
      if (found[i] != 0) simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.slot[at[i]], 1u);
  }
  // How often the value of that slot occurs.
  static __device__ __forceinline__ std::uint32_t counted(const storage& shared, unsigned slot) {
    return shared.slot[slot] & ((1u << count_bits) - 1u);
  }

  // All threads; ends with a barrier.
  static __device__ __forceinline__ void count_distinct(storage& shared) {
    std::uint32_t used = 0;
    for (unsigned i = simt::thread_rank(); i < slots; i += Threads) used += shared.slot[i] != 0 ? 1u : 0u;
    used = simt::reduce_add(used);
    // Relaxed: read after the barrier.
    if (simt::lane_id() == 0) simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.sum.distinct, used);
    simt::sync_block();
  }
  static __device__ __forceinline__ int number_of(std::uint32_t distinct) {
    return distinct < most_distinct ? static_cast<int>(distinct) : most_distinct;
  }

  // Whether this many digits will do. of_sample: how many keys of the sample a block holds. Any
  // thread.
  static __device__ __forceinline__ bool will_do(const totals& sum, float of_sample, float n, float agreeing) {
    const float deviation = ::sqrtf(of_sample);
    const float mean = static_cast<float>(sum.companions) / all, largest = static_cast<float>(sum.largest);
    if (mean > of_sample / 12) return false;
    if (largest > of_sample / 2 + 3 * deviation + 4 || largest > mean + 3 * ::sqrtf(mean) + 3) return false;
    // The rare keys of all. Each of them shares its digits with a heavy one with that chance.
    const float rare = n / all * static_cast<float>(sum.rare);
    return static_cast<float>(sum.heavy) / 256 * rare * agreeing < 1.0f / 64;
  }

  // How many leading digits all keys of the sample share. All threads.
  static __device__ __forceinline__ int digits_in_common(storage& shared, radix_digit_plan digits,
                                                         const std::uint64_t (&key)[Samples]) {
    if (simt::thread_rank() == 0) {
      shared.first_key = key[0];
      shared.differing_bits[0] = shared.differing_bits[1] = 0;
    }
    simt::sync_block();
    std::uint64_t differing = 0;
#pragma unroll
    for (int i = 0; i < Samples; ++i) differing |= key[i] ^ shared.first_key;
    const std::uint32_t lower = simt::reduce_or(static_cast<std::uint32_t>(differing)),
                        upper = simt::reduce_or(static_cast<std::uint32_t>(differing >> 32));
    if (simt::lane_id() == 0) {
      // Relaxed: read after the barrier.
      simt::atomic_or<simt::order::relaxed, simt::scope::block>(&shared.differing_bits[0], lower);
      simt::atomic_or<simt::order::relaxed, simt::scope::block>(&shared.differing_bits[1], upper);
    }
    simt::sync_block();
    differing = static_cast<std::uint64_t>(shared.differing_bits[1]) << 32 | shared.differing_bits[0];
    const int bits = differing == 0 ? 0 : 64 - static_cast<int>(simt::leading_zeros(differing));
    return digits.passes() - (bits + radix_bits - 1) / radix_bits;
  }

  // Whether no value of the last digit is much more frequent than others. All threads; ends with a
  // barrier.
  static __device__ __forceinline__ bool is_spread(storage& shared, radix_digit_plan digits,
                                                   const std::uint64_t (&key)[Samples]) {
    if (simt::thread_rank() < radix_digits) shared.slot[simt::thread_rank()] = 0;
    simt::sync_block();
    std::uint32_t largest = 0;
#pragma unroll
    for (int i = 0; i < Samples; ++i) {
      const auto digit = static_cast<unsigned>(key[i] >> (radix_bits * (digits.passes() - 1)));
      // Relaxed: the last addition to a count returns the largest.
      const std::uint32_t before =
          simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.slot[digit & (radix_digits - 1u)], 1u);
      largest = largest < before ? before : largest;
    }
    return !simt::sync_block_any(largest > 2 * all / radix_digits + 16);
  }

  // Whether no two neighbours in the sample are out of order. position: of each key. All threads.
  static __device__ __forceinline__ bool is_in_order(const std::uint64_t (&key)[Samples],
                                                     const std::uint64_t (&position)[Samples]) {
    bool is_unordered = false;
#pragma unroll
    for (int i = 0; i < Samples; ++i) {
      const std::uint64_t other = simt::shuffle_up(key[i], 1), at = simt::shuffle_up(position[i], 1);
      is_unordered |= at < position[i] ? other > key[i] : at > position[i] && other < key[i];
    }
    return !simt::sync_block_any(is_unordered);  // lane 0 compares its keys with themselves
  }

  // By all threads of a block. key: the compared bits of the thread's part of the sample. The
  // result is the same in all threads, and 0 if no number of digits will do. Its upper bits have
  // the number of different keys (distinct_shift).
  static __device__ __forceinline__ int choose(storage& shared, std::uint64_t n, radix_digit_plan digits,
                                               const leading_digits_limits& limits,
                                               const std::uint64_t (&key)[Samples]) {
    const float of_sample = static_cast<float>(limits.bucket_items) * all / static_cast<float>(n);
    const unsigned thread = simt::thread_rank();
    const int shared_digits = digits_in_common(shared, digits, key);
    std::uint16_t equal[Samples];
    float agreeing = 1;  // how probably two different keys agree in the leading digits
    const int saved = limits.passes_saved(n), differing = digits.passes() - shared_digits;

    // 0: whole keys. More digits would not pay (plan.hpp). The search goes on with two digits in
    // which keys differ, and more.
#pragma unroll 1
    for (int leading = 0; leading + saved <= digits.passes() && differing >= limits.least_digits(n);
         leading = leading == 0 ? shared_digits + 2 : leading + 1) {
      const int shift = leading == 0 ? 0 : radix_bits * (digits.passes() - leading);
      for (unsigned i = thread; i < slots; i += Threads) shared.slot[i] = 0;
      if (thread == 0) shared.sum.largest = shared.sum.companions = 0;
      if (thread == 0 && leading == 0) shared.sum.rare = shared.sum.heavy = shared.sum.distinct = 0;
      simt::sync_block();
      unsigned slot[Samples];
      count(shared, key, shift, slot);
      simt::sync_block();
      std::uint32_t largest = 0, companions = 0, rare = 0, heavy = 0;
#pragma unroll
      for (int i = 0; i < Samples; ++i) {
        const std::uint32_t same = counted(shared, slot[i]);
        if (leading == 0) {
          equal[i] = static_cast<std::uint16_t>(same);
          rare += same == 1 ? 1u : 0u;
          heavy += static_cast<float>(same) > of_sample + 2 ? 256u / same + 1u : 0u;
        } else {
          const std::uint32_t others = same > equal[i] ? same - equal[i] : 0u;
          companions += others;
          largest = largest < others ? others : largest;
        }
      }
      companions = simt::reduce_add(companions), largest = simt::reduce_max(largest);
      rare = simt::reduce_add(rare), heavy = simt::reduce_add(heavy);
      if (simt::lane_id() == 0) {
        // Relaxed: read after the barrier.
        simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.sum.companions, companions);
        simt::atomic_max<simt::order::relaxed, simt::scope::block>(&shared.sum.largest, largest);
        simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.sum.rare, rare);
        simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.sum.heavy, heavy);
      }
      simt::sync_block();
      if (leading == 0) count_distinct(shared);
      const totals sum = shared.sum;
      simt::sync_block();  // read before the next round clears it
      if (leading == 0 && sum.distinct <= few_distinct) return 0;
      if (leading == 0) continue;
      // It is measured if there are pairs enough. One more digit divides it by so many.
      const float measured = static_cast<float>(sum.companions) / (static_cast<float>(all) * all);
      agreeing = sum.companions >= 32 ? measured : agreeing / radix_digits;
      if (shift <= limits.max_remaining_bits && will_do(sum, of_sample, static_cast<float>(n), agreeing))
        return leading | (sum.companions == 0 ? number_of(sum.distinct) << distinct_shift : 0);
    }
    return 0;
  }
};

}  // namespace ballot::detail
