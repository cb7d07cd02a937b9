// SPDX-License-Identifier: Apache-2.0
// Sorts by leading bits in small shapes: the shapes, keys for each way that such a sort can go, and
// which way it went.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/sort.cuh>

#include "support/device_data.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace ballot::test::leading_bits {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using detail::launch_action;
using detail::no_value;

// Of two passes where LeastBits is more than 8; in wide words where Wide.
template <int LeastBits, bool Wide = false>
struct small_local_sort {
  using histogram = detail::leading_bits_histogram_shape<256, 2, 2, detail::blocks_on_every_gpu<3>, 1>;
  using narrow = detail::block_sort_shape<8, 5, 10>;
  using wide = detail::block_sort_shape<8, 5, 10, 0, true>;
  static constexpr u64 least_items = 2;
  static constexpr u64 wide_items = Wide ? detail::any_number : 0;
  static constexpr u64 aim = 940;
  static constexpr int min_leading_bits = LeastBits, max_leading_bits = 12;
  static constexpr u64 blocks = 100;
  static constexpr u32 most_others = 16;
  static constexpr u64 least_items_by_leading_digits = detail::any_number;
  static constexpr u64 many_items_by_leading_digits = 0;
  static constexpr u64 very_many_items_by_leading_digits = detail::any_number;
  static constexpr u64 most_items_in_rounds = detail::any_number;
};
struct local_sort_in_use : small_local_sort<8> {
  using narrow = detail::local_sort_tuning<u32, no_value>::narrow;
  using wide = narrow;
};
struct one_block : small_local_sort<9> {
  using histogram =
      detail::leading_bits_histogram_shape<256, 2, 2, detail::blocks_on_every_gpu<1>, 1>;  // that counts all
};
using passes = detail::radix_shape<256, 3>;

enum class expected { local_sort, all_digits, nothing, majority_sort };

template <class U>
struct key_case {
  std::string name;
  std::vector<U> keys;
  expected action;
};

// Random keys of which the eight leading bits have `leading` different values.
template <class U>
std::vector<U> spread_keys(std::size_t n, unsigned leading) {
  std::mt19937_64 random(91);
  std::vector<U> keys(n);
  for (U& key : keys) {
    const U rest = static_cast<U>(static_cast<U>(random()) >> 8);
    key = static_cast<U>(rest | static_cast<U>(random() % leading * 256 / leading) << (8 * sizeof(U) - 8));
  }
  return keys;
}

// For 8 leading bits, and for 9, where a sample is looked at first.
template <class U>
std::vector<key_case<U>> key_cases(bool two_passes) {
  const std::size_t n = two_passes ? 5003 : 3003;
  const auto spread = spread_keys<U>(n, two_passes ? 40 : 4);
  std::vector<U> alike(spread), constant(spread), upper(spread), crowded(spread), sorted(spread), reversed(spread);
  const auto below = [](int bits) {
    return static_cast<U>((U{1} << (8 * sizeof(U) - static_cast<unsigned>(bits))) - 1);
  };
  for (std::size_t i = 0; i < n; ++i) {
    alike[i] = static_cast<U>((spread[i] & ~below(18)) | (spread[i] & below(18)) % 3);
    upper[i] = static_cast<U>(spread[i] & ~below(16));
    constant[i] = static_cast<U>((spread[i] & ~below(9)) | (spread[i] & 0xff));
    if (i % 2 == 0) crowded[i] = static_cast<U>(spread[i] & below(9));
  }
  std::sort(sorted.begin(), sorted.end());
  std::sort(reversed.rbegin(), reversed.rend());
  auto nearly_sorted = sorted;
  std::swap(nearly_sorted[n / 2], nearly_sorted[n / 2 + 300]);
  // Behind bits that all keys share: of one digit, these are not looked for.
  const auto behind = [&](unsigned prefix, int bits) {
    std::vector<U> keys(spread);
    for (U& key : keys)
      key = static_cast<U>(static_cast<U>(prefix) << (8 * static_cast<int>(sizeof(U)) - bits) | key >> bits);
    return keys;
  };
  std::vector<U> lacking = behind(1, 1);
  std::size_t unseen = 0;  // by the sample of any histogram
  const auto is_sampled = [&](std::size_t at) {
    for (u32 i = 0; i < 1024; ++i)
      if (detail::radix_sample_position(i, n) == at) return true;
    return false;
  };
  while (is_sampled(unseen)) ++unseen;
  lacking[unseen] = 5;
  const expected if_behind = two_passes ? expected::local_sort : expected::all_digits;
  return {{"spread", spread, expected::local_sort},
          {"behind a bit", behind(1, 1), expected::local_sort},
          {"behind 4 bits", behind(9, 4), expected::local_sort},
          {"behind 7 bits", behind(0x5b, 7), if_behind},
          {"behind 14 bits, which are too many", behind(0x2101, 14), expected::all_digits},
          {"behind a bit that one key lacks", lacking, two_passes ? expected::all_digits : expected::local_sort},
          {"equal, out of a sample's sight", alike, expected::local_sort},
          {"constant below the leading bits", constant, two_passes ? expected::all_digits : expected::local_sort},
          {"of two digits, the others are zero", upper, two_passes ? expected::all_digits : expected::local_sort},
          {"one bucket with too many", crowded, expected::all_digits},
          {"in order", sorted, expected::nothing},
          {"in order except two", nearly_sorted, expected::local_sort},
          {"reversed", reversed, expected::local_sort}};
}

// The device's decision, from the scratch of a sort.
template <class U, class V, class LocalSort>
expected decided(const test::guarded<std::byte>& scratch, std::size_t n, detail::sort_mode target) {
  detail::scratch_carver measure(const_cast<std::byte*>(scratch.data()));
  const detail::radix_scratch<U, V> at(measure, n,
                                       detail::radix_portions(n, passes::items, detail::radix_portion_items), target,
                                       detail::bucket_offset_words<U, V, LocalSort>(n));
  const auto bytes = scratch.read();
  const auto action_at = [&](const launch_action* action) {
    launch_action r;
    std::memcpy(&r, bytes.data() + (reinterpret_cast<const std::byte*>(action) - scratch.data()), sizeof(r));
    return r;
  };
  if (action_at(at.local_sort).has(launch_action::local_sort)) return expected::local_sort;
  if (action_at(at.local_sort).has(launch_action::majority_sort)) return expected::majority_sort;
  for (std::size_t l = 0; l < sizeof(U); ++l)
    if (action_at(at.actions + l).has(launch_action::pass)) return expected::all_digits;
  return expected::nothing;
}

template <class U, class V, class LocalSort>
void sort_by_leading_bits(std::byte* scratch, const detail::sort_operands<U, V>& operands, const key_codec<U>& codec) {
  detail::launch_radix_sort_in_shape<U, V, passes, void, LocalSort>(test::test_stream(), scratch, operands, codec,
                                                                    {0, 8 * sizeof(U)});
}
template <class U, class V, class LocalSort>
test::guarded<std::byte> scratch_for(std::size_t n, detail::sort_mode target) {
  return test::guarded<std::byte>(detail::radix_scratch_bytes_in_shape<U, V, passes, LocalSort>(n, target));
}

}  // namespace ballot::test::leading_bits
