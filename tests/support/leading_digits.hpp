// SPDX-License-Identifier: Apache-2.0
// Keys for sorts by leading digits. They have buckets that fit a block, buckets of equal keys, or
// buckets that a sample does not show.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/sort.cuh>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace ballot::test::leading_digits {

using u64 = std::uint64_t;

// The one for few keys, but with a sample on every GPU.
using histogram =
    detail::radix_histogram_shape<512, 2, block::vector_width<u64>(), 1, detail::blocks_per_multiprocessor<1>>;

inline std::mt19937_64 source(unsigned seed) { return std::mt19937_64(seed); }
inline std::vector<u64> random_keys(std::size_t n, unsigned seed) {
  auto random = source(seed);
  std::vector<u64> keys(n);
  for (u64& key : keys) key = random();
  return keys;
}
inline std::vector<u64> half_in_one_digit(std::size_t n) {
  auto keys = random_keys(n, 1);
  for (std::size_t i = 0; i < n; i += 2) keys[i] = keys[i] >> 8 | u64{0x5a} << 56;
  return keys;
}
inline std::vector<u64> normal(std::size_t n) {
  auto random = source(2);
  std::normal_distribution<double> distribution;
  std::vector<u64> keys(n);
  for (u64& key : keys) key = ordered_bits(distribution(random));
  return keys;
}
// The places at which no sample looks.
inline std::vector<bool> not_sampled(std::size_t n) {
  std::vector<bool> hidden(n, true);
  const auto samples = detail::radix_histogram_storage<u64, histogram>::sample::all;
  for (std::uint32_t i = 0; i < samples; ++i) hidden[detail::radix_sample_position(i, n)] = false;
  return hidden;
}
inline std::vector<u64> few(std::size_t n, unsigned distinct) {
  const auto values = random_keys(distinct, 3);
  auto random = source(4);
  std::vector<u64> keys(n);
  for (u64& key : keys) key = values[random() % distinct];
  return keys;
}
// Random keys, and some keys of one bucket of two digits, where a sample does not look. The first
// `alike` of these are equal; the others are equal, too, if `rest_alike`.
inline std::vector<u64> crowded(std::size_t n, unsigned digits, std::size_t crowd, std::size_t alike, bool rest_alike) {
  auto keys = random_keys(n, 5);
  const auto hidden = not_sampled(n);
  for (u64& key : keys) key |= u64{1} << 60;  // none in the bucket
  for (std::size_t i = 0, left = crowd; left > 0; ++i) {
    if (!hidden[i]) continue;
    const u64 rest = crowd - left < alike ? 77 : rest_alike ? 99 : keys[i] >> 16;
    keys[i] = rest | static_cast<u64>(digits) << 48;
    --left;
  }
  return keys;
}
// Nearly all keys are one of few; where a sample does not look, others share their leading digits.
inline std::vector<u64> nearly_few(std::size_t n, unsigned distinct) {
  auto keys = few(n, distinct);
  const auto hidden = not_sampled(n);
  // No digit has a new value, because the histogram would show it.
  int left = 3;
  for (std::size_t i = n / 2; left > 0; ++i)
    if (hidden[i] && keys[i] != keys[0]) {
      const u64 digit = u64{0xff} << 16 * --left;
      keys[i] = (keys[i] & ~digit) | (keys[0] & digit);
    }
  return keys;
}
// Buckets of two digits, or three, with about `size` keys each, of which three are different.
inline std::vector<u64> few_in_buckets(std::size_t n, unsigned size) {
  auto random = source(11);
  const auto rest = random_keys(3, 12);
  const u64 buckets = n / size, apart = 65536 / buckets;
  std::vector<u64> keys(n);
  for (u64& key : keys) {
    key = random() % buckets * apart << 48;
    key |= rest[random() % 3] >> 24;
  }
  return keys;
}
// Random keys in buckets of two digits with about `size` keys each.
inline std::vector<u64> even_buckets(std::size_t n, unsigned size) {
  auto keys = random_keys(n, 14);
  const u64 buckets = n / size, apart = 65536 / buckets;
  for (u64& key : keys) key = key >> 16 | (key & 0xffff) % buckets * apart << 48;
  return keys;
}
// A bucket of two digits that is too large, and that a sample sees.
inline std::vector<u64> seen_crowd(std::size_t n) {
  auto keys = random_keys(n, 12);
  for (std::size_t i = 0; i < n; i += 10) keys[i] = keys[i] >> 16 | u64{0x4711} << 48;
  return keys;
}
// Two keys that are too many for a block, together `heavy` in 15 keys, and among random ones one
// that the sample does not see, beside one of the two.
inline std::vector<u64> heavy_and_rare(std::size_t n, unsigned heavy) {
  auto keys = random_keys(n, 13);
  const auto two = few(n, 2);
  for (std::size_t i = 0; i < n; ++i)
    if (i % 15 < heavy) keys[i] = two[i];
  const auto hidden = not_sampled(n);
  std::size_t at = 0;
  while (!hidden[at]) ++at;
  keys[at] = two[0] ^ u64 { 1 } << 44;
  return keys;
}
// As few, but of those that a sample does not see each tenth key has other lower digits: so many
// different ones that the histogram does not find which digits need a pass.
inline std::vector<u64> few_and_unseen(std::size_t n, unsigned distinct) {
  auto keys = few(n, distinct);
  const auto hidden = not_sampled(n);
  const auto rest = random_keys(n, 15);
  for (std::size_t i = 0; i < n; i += 10)
    if (hidden[i]) keys[i] = (keys[i] & ~u64{0} << 40) | rest[i] >> 24;
  return keys;
}
inline std::vector<u64> masked(std::vector<u64> keys, u64 mask, u64 others) {
  for (u64& key : keys) key = (key & mask) | (others & ~mask);
  return keys;
}

}  // namespace ballot::test::leading_digits
