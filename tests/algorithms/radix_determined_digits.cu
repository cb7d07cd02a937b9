// SPDX-License-Identifier: Apache-2.0
// Digits that the digits above them determine: which passes the histogram plans, and that the sort
// is right without the others.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#include <algorithm>
#include <bit>
#include <string>

using namespace ballot;

namespace algorithms_radix_determined_digits {

template <class U>
struct key_case {
  std::string name;
  std::vector<U> keys;
  bool few;                        // so few that the digits are looked at
  bool is_for_whole_keys = false;  // of some of their bits it would be another case
};

// The digits in which keys are told apart: neighbours in order have one first digit that differs.
template <class U>
std::uint32_t serial_needed(std::vector<U> compared) {
  std::sort(compared.begin(), compared.end());
  std::uint32_t needed = 0;
  for (std::size_t i = 1; i < compared.size(); ++i)
    if (const U differing = compared[i - 1] ^ compared[i]; differing != 0)
      needed |= 1u << (std::bit_width(differing) - 1) / detail::radix_bits;
  return needed;
}

template <class U>
std::vector<key_case<U>> key_cases(std::size_t n) {
  const auto drawn = test::random_items<std::uint32_t>(n, 61);
  const auto values = test::random_items<U>(64, 62);
  constexpr int width = 8 * sizeof(U);
  const auto of = [&](std::size_t count, auto key_of) {
    std::vector<U> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<U>(key_of(drawn[i] % count, i));
    return keys;
  };
  std::vector<key_case<U>> cases;
  for (const std::size_t count : {1u, 2u, 4u, 16u, 20u})
    cases.push_back({std::to_string(count) + " keys", of(count, [&](auto v, auto) { return values[v]; }), true});
  cases.push_back(
      {"some beside them",
       of(16, [&](auto v, std::size_t i) { return values[v] ^ (i % 97 == 0 ? static_cast<U>(1 + i % 255) : U{0}); }),
       true});
  cases.push_back({"numbers", of(16, [](auto v, auto) { return v; }), true});
  cases.push_back({"equal leading digits", of(12, [&](auto v, auto) { return values[v] >> 8; }), true});
  // Each digit tells two of the keys apart.
  cases.push_back({"every digit",
                   of(width / 8 + 1,
                      [](auto v, auto) {
                        U key = 0;
                        for (unsigned p = 0; p < v; ++p) key |= U{1} << (width - 8 - 8 * static_cast<int>(p));
                        return key;
                      }),
                   true});
  // The blocks' keys differ, and only all of them together show it.
  cases.push_back(
      {"a key a tile",
       of(2,
          [&](auto v, std::size_t i) { return (i / 512 % 3 + 1) * (U{1} << 20) | static_cast<U>(v) << (width - 8); }),
       true});
  cases.push_back({"other lowest digits a tile",
                   of(2, [&](auto v, std::size_t i) { return (i / 512 % 3 + 1) | static_cast<U>(v) << (width - 8); }),
                   true});
  auto last = of(4, [&](auto v, auto) { return values[v] | U{0xff00}; });
  last.back() = values[0] & ~U{0xff00};
  cases.push_back({"a later tile has another key", last, false});
  auto first = last;
  std::swap(first.front(), first.back());
  cases.push_back({"the first key differs", first, true});
  // Seen late, when the table has the key's upper digits, or at once, when it has not.
  auto low = of(4, [&](auto v, auto) { return values[v]; });
  low.back() ^= U{3};
  cases.push_back({"the last key differs in its lowest digit", low, true});
  low.back() ^= U{3}, low[5] ^= U{3};
  cases.push_back({"an early key differs in its lowest digit", low, true});
  // The key of compared bits: the histogram's codec flips the first one.
  const U flip = U{1} << (width - 1);
  auto small = of(3, [&](auto v, auto) { return v == 0 ? flip | U{5} : values[v]; });
  small.back() = flip | U{7};
  cases.push_back({"upper digits of zero", small, true});
  cases.push_back(
      {"upper digits of zero and one", of(2, [&](auto v, auto) { return flip | (v == 0 ? U{5} : U{0x105}); }), true});
  // Three keys whose bucket has room for two.
  const auto bucket_of = [](U key) { return detail::determined_digits<U>::template hash_of<8>(key); };
  U crowded[3]{};
  for (U v = 1; v < 256 && crowded[2] == 0; ++v)
    for (U w = v + 1; w < 256 && crowded[2] == 0; ++w)
      for (U x = 1; x < 256 && crowded[2] == 0; ++x)
        if (bucket_of(v << 8) == bucket_of(w << 8) && bucket_of(v << 8) == bucket_of(x << 16))
          crowded[0] = v << 8, crowded[1] = w << 8, crowded[2] = x << 16;
  REQUIRE(crowded[2] != 0);
  cases.push_back({"more than a bucket holds", of(3, [&](auto v, auto) { return flip | crowded[v]; }), false, true});
  // Equal in most warps, and so few in each block that its table has room, but not in all together.
  std::vector<U> stretches(n);
  for (std::size_t i = 0; i < n; ++i) stretches[i] = flip | U{i / 700 % 2 == 0 ? 0x30000u : 0x50007u};
  stretches[n - 9] ^= U{1};
  cases.push_back({"stretches of equal keys", stretches, true});
  cases.push_back({"more than the device's table holds",
                   of(29,
                      [&](auto v, std::size_t i) {
                        const std::size_t block = i / 512 % 3;
                        const U key = static_cast<U>(1 + block * 30 + v) << (width - 8);
                        return v == 0 && block != 0 && i % 2 == 0 ? key | U{1} << (8 * block) : key;
                      }),
                   false, true});
  const auto many = test::random_items<U>(n, 63);
  cases.push_back({"many", many, false});
  auto skewed = many;
  for (std::size_t i = 0; i < n; ++i)
    if (drawn[i] % 2 == 0) skewed[i] = values[3];
  cases.push_back({"half of them equal", skewed, false});
  // More keys than a table has room for, half of them equal; and one that differs in another digit.
  auto full = of(200, [&](auto v, std::size_t i) { return static_cast<U>(i % 2 == 0 ? 3 : v) << (width - 8); });
  full.back() |= U{1} << 9;
  cases.push_back({"more than a table holds", full, false});
  // In one block's tile alone.
  auto one_tile = of(4, [&](auto v, auto) { return static_cast<U>(v) << (width - 8); });
  if (n > 1024) std::copy_n(many.begin(), 512, one_tile.begin() + 512);
  cases.push_back({"many in one tile", one_tile, false});
  auto later = of(4, [&](auto v, auto) { return values[v]; });
  std::copy_n(many.begin(), n / 3, later.begin() + static_cast<std::ptrdiff_t>(n - n / 3));
  cases.push_back({"many in the last third", later, false});
  return cases;
}

TEST_CASE_TEMPLATE("passes that a histogram plans for few keys", U, std::uint32_t, std::uint64_t) {
  using shape = detail::radix_histogram_shape<detail::radix_digits, 1, 2, 4, detail::blocks_on_every_gpu<3>>;
  constexpr int width = 8 * sizeof(U);
  const std::size_t capacity = shape::items * 7 + 3;
  key_codec<U> codec;
  codec.flip = static_cast<U>(U{1} << (width - 1));
  for (const auto& [name, keys, few, is_for_whole_keys] : key_cases<U>(capacity))
    for (detail::radix_digit_plan digits : {detail::radix_digit_plan{0, width}, detail::radix_digit_plan{3, width - 2}})
      for (std::size_t n : {std::size_t{0}, std::size_t{1000}, capacity}) {
        if (is_for_whole_keys && digits.low != 0) continue;
        CAPTURE(name);
        CAPTURE(digits.low);
        CAPTURE(n);
        std::vector<U> compared(n);
        const U mask = static_cast<U>(static_cast<U>(~U{0}) >> (width - (digits.high - digits.low)));
        for (std::size_t i = 0; i < n; ++i) compared[i] = (codec.encode(keys[i]) >> digits.low) & mask;
        const bool is_sorted = std::is_sorted(compared.begin(), compared.end());
        std::uint32_t needed = is_sorted ? 0 : serial_needed(compared);
        if (!few && (n == capacity || name == "more than a bucket holds")) {  // all digits in which any keys differ
          U differing = 0;
          for (const U key : compared) differing |= key ^ compared[0];
          needed = 0;
          for (int p = 0; p < digits.passes(); ++p)
            if ((differing >> (8 * p) & 0xffu) != 0) needed |= 1u << p;
        }
        test::for_some_schedules([&] {
          const test::guarded<U> in(keys);
          const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{n});
          test::guarded<std::uint64_t> digit_offsets(
              std::vector<std::uint64_t>(static_cast<std::size_t>(digits.passes()) * detail::radix_digits, 0));
          test::guarded<std::uint32_t> flags(std::vector<std::uint32_t>{0, 0});
          test::guarded<detail::launch_action> actions(detail::max_radix_launches);
          test::guarded<U> merged(std::vector<U>(detail::determined_digits<U>::merged_words, 0));
          detail::radix_histogram_arguments<U> a{in.data(),
                                                 {capacity, length.data()},
                                                 codec,
                                                 digits,
                                                 {digits.passes(), 1, detail::radix_step_rule::any_parity},
                                                 true,
                                                 block::is_vector_aligned<U, shape::width>(in.data()),
                                                 digit_offsets.data(),
                                                 flags.data(),
                                                 flags.data() + 1,
                                                 actions.data()};
          a.merged_keys = merged.data();
          simt::launch(detail::radix_histogram_kernel<U, shape>,
                       simt::launch_config{dim3(3), dim3(shape::threads),
                                           sizeof(detail::radix_histogram_storage<U, shape>), test::test_stream()},
                       a);
          const auto planned = actions.read();
          std::uint32_t passes = 0;
          for (int p = 0; p < digits.passes(); ++p)
            if (planned[static_cast<std::size_t>(p)].has(detail::launch_action::pass)) passes |= 1u << p;
          // A part of many different keys may have few.
          if (few || n != 1000 || name == "more than a bucket holds") CHECK(passes == needed);
          CHECK(merged.read() == std::vector<U>(detail::determined_digits<U>::merged_words, 0));
        });
      }
}

// Keys alone, and with their positions, whose order says whether the sort was stable.
template <class U>
void check_sorts(const std::vector<U>& keys) {
  using shape = detail::radix_shape<256, 3, 0, 3>;
  using histogram = detail::radix_histogram_shape<256, 1, 2, 1, detail::blocks_on_every_gpu<3>>;
  using detail::no_value;
  using detail::sort_mode;
  const test::guarded<U> in(keys);
  test::guarded<U> out(keys.size());
  {
    test::guarded<std::byte> scratch(
        detail::radix_scratch_bytes_in_shape<U, no_value, shape>(keys.size(), sort_mode::out_of_place));
    detail::launch_radix_sort_in_shape<U, no_value, shape, histogram>(
        test::test_stream(), scratch.data(), {detail::as_input(in), out.data(), nullptr, nullptr}, key_codec<U>{},
        {0, 8 * sizeof(U)});
    CHECK(out.read() == test::serial_sort(keys, {}));
    (void)scratch.read();
  }
  const auto order = test::serial_argsort(keys, {});
  test::guarded<std::uint32_t> positions(keys.size());
  test::guarded<std::byte> scratch(
      detail::radix_scratch_bytes_in_shape<U, std::uint32_t, shape>(keys.size(), sort_mode::out_of_place));
  // In portions, too: the states that hold the table are then cleared between launches.
  for (const std::uint64_t portion : {detail::radix_portion_items, std::uint64_t{shape::items} * 2}) {
    if (detail::radix_scratch_bytes_in_shape<U, std::uint32_t, shape>(keys.size(), sort_mode::out_of_place, portion) >
        scratch.size())
      continue;
    detail::launch_radix_sort_in_shape<U, std::uint32_t, shape, histogram>(
        test::test_stream(), scratch.data(), {detail::as_input(in), out.data(), nullptr, positions.data()},
        key_codec<U>{}, {0, 8 * sizeof(U)}, portion);
    CHECK(out.read() == test::serial_sort(keys, {}));
    CHECK(positions.read() == std::vector<std::uint32_t>(order.begin(), order.end()));
  }
  (void)scratch.read();
}

TEST_CASE_TEMPLATE("sorts of few keys", U, std::uint32_t, std::uint64_t) {
  for (const auto& [name, keys, few, is_for_whole_keys] : key_cases<U>(3 * 768 + 77)) {
    CAPTURE(name);
    test::for_some_schedules([&] { check_sorts<U>(keys); });
  }
}

}  // namespace algorithms_radix_determined_digits
