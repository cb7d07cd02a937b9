// SPDX-License-Identifier: Apache-2.0
// Sorts by leading digits in small shapes, with their answers and the way that each took.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/sort.cuh>

#include "device_data.hpp"
#include "leading_bits.hpp"
#include "leading_digits.hpp"
#include "sort_reference.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace ballot::test::leading_digits {

using namespace test::leading_bits;
using detail::no_value, detail::sort_mode;

// Blocks of 1024 keys, tiles of 960, and no sort by leading bits.
struct by_digits : small_local_sort<9> {
  static constexpr u64 least_items = detail::any_number;  // of a sort by leading bits
  static constexpr u64 least_items_by_leading_digits = 3000;
  static constexpr u64 most_items_in_rounds = detail::any_number;
};
using shape = by_digits::narrow;
constexpr unsigned room = shape::items;
// Only the keys of large buckets are sorted again.
struct large_alone : by_digits {
  static constexpr u64 most_items_in_rounds = 0;
};

// The way a sort went. tiles: by tiles. again: then all keys by all digits. large_again: then those
// of large buckets. other: not by leading digits.
enum class way { tiles, again, large_again, other };
struct digits_case {
  std::string name;
  std::vector<u64> keys;
  way expected;
  bit_range bits = {};
};

template <class V>
detail::radix_scratch<u64, V> scratch_parts(const test::guarded<std::byte>& scratch, std::size_t n, sort_mode mode) {
  detail::scratch_carver measure(const_cast<std::byte*>(scratch.data()));
  return {measure, n, detail::radix_portions(n, passes::items, detail::radix_portion_items), mode,
          detail::bucket_offset_words<u64, V, by_digits>(n)};
}
template <class V>
launch_action tile_sort_of(const test::guarded<std::byte>& scratch, std::size_t n, sort_mode mode) {
  const auto at = scratch_parts<V>(scratch, n, mode);
  launch_action action;
  std::memcpy(&action, scratch.read().data() + (reinterpret_cast<const std::byte*>(at.tile_sort) - scratch.data()),
              sizeof(action));
  return action;
}
template <class V>
way way_of(const test::guarded<std::byte>& scratch, std::size_t n, sort_mode mode) {
  const auto at = scratch_parts<V>(scratch, n, mode);
  const auto bytes = scratch.read();
  const auto word_at = [&](const void* p) {
    u32 word;
    std::memcpy(&word, bytes.data() + (static_cast<const std::byte*>(p) - scratch.data()), sizeof(word));
    return word;
  };
  if (word_at(at.tile_sort) == 0) return way::other;
  const bool again = word_at(at.failed) != 0, fit = word_at(at.large.fit) != 0;
  for (int round = 0; round < detail::max_radix_rounds; ++round)
    if (!again) CHECK(word_at(at.round_tickets + round) == 0);
  if (!again) CHECK(!fit);
  return fit ? way::large_again : again ? way::again : way::tiles;
}

template <class V, class LocalSort>
void sort_so(std::byte* scratch, const detail::sort_operands<u64, V>& operands, const key_codec<u64>& codec,
             bit_range bits) {
  detail::launch_radix_sort_in_shape<u64, V, passes, histogram, LocalSort>(
      test::test_stream(), scratch, operands, codec, {bits.low, bits.high == bit_range::full ? 64 : bits.high});
}

template <class LocalSort = by_digits>
void check_keys(const digits_case& c, std::size_t length, direction direct = direction::ascending) {
  CAPTURE(c.name);
  const std::size_t n = c.keys.size();
  const sort_options options{.direction = direct, .bits = c.bits};
  const auto codec = detail::codec_of<u64>(options);
  const auto head = std::vector<u64>(c.keys.begin(), c.keys.begin() + static_cast<std::ptrdiff_t>(length));
  const auto want = test::serial_sort(head, options);
  const test::guarded<u64> in(c.keys, 1);
  const test::guarded<u64> count(std::vector<u64>{length});
  {
    auto scratch = scratch_for<u64, no_value, by_digits>(n, sort_mode::out_of_place);
    test::guarded<u64> out(c.keys);
    sort_so<no_value, LocalSort>(scratch.data(), {{in.data(), {n, count.data()}}, out.data(), nullptr, nullptr}, codec,
                                 c.bits);
    const auto got = out.read();
    CHECK(std::equal(want.begin(), want.end(), got.begin()));
    CHECK(std::equal(c.keys.begin() + static_cast<std::ptrdiff_t>(length), c.keys.end(),
                     got.begin() + static_cast<std::ptrdiff_t>(length)));
    if (length == n && direct == direction::ascending)
      CHECK(way_of<no_value>(scratch, n, sort_mode::out_of_place) == c.expected);
  }
  {
    auto scratch = scratch_for<u64, no_value, by_digits>(n, sort_mode::in_place);
    test::guarded<u64> both(c.keys);
    sort_so<no_value, LocalSort>(scratch.data(), {{both.data(), {n, nullptr}}, both.data(), nullptr, nullptr}, codec,
                                 c.bits);
    CHECK(both.read() == test::serial_sort(c.keys, options));
  }
  CHECK(in.read() == c.keys);
}

// Pairs may take one digit more than keys alone.
template <class V, class LocalSort = by_digits>
void check_pairs(const digits_case& c, bool as_keys = true) {
  CAPTURE(c.name);
  const std::size_t n = c.keys.size();
  const sort_options options{.bits = c.bits};
  const auto order = test::serial_argsort(c.keys, options);
  const auto want = test::serial_sort(c.keys, options);
  const std::vector<V> want_values(order.begin(), order.end());
  std::vector<V> positions(n);
  std::iota(positions.begin(), positions.end(), V{0});
  const test::guarded<u64> in(c.keys);
  {
    const test::guarded<V> values(positions, 1);
    test::guarded<u64> out(n);
    test::guarded<V> values_out(positions, 3);
    auto scratch = scratch_for<u64, V, by_digits>(n, sort_mode::out_of_place);
    sort_so<V, LocalSort>(scratch.data(), {{in.data(), {n, nullptr}}, out.data(), values.data(), values_out.data()}, {},
                          c.bits);
    CHECK(values_out.read() == want_values);
    CHECK(out.read() == want);
    if (as_keys) CHECK(way_of<V>(scratch, n, sort_mode::out_of_place) == c.expected);
  }
  {
    test::guarded<u64> both(c.keys);
    test::guarded<V> values(positions);
    auto scratch = scratch_for<u64, V, by_digits>(n, sort_mode::in_place);
    sort_so<V, LocalSort>(scratch.data(), {{both.data(), {n, nullptr}}, both.data(), values.data(), values.data()}, {},
                          c.bits);
    CHECK(both.read() == want);
    CHECK(values.read() == want_values);
  }
  {
    test::guarded<V> values_out(n);
    auto scratch = scratch_for<u64, V, by_digits>(n, sort_mode::values_only);
    sort_so<V, LocalSort>(scratch.data(), {{in.data(), {n, nullptr}}, nullptr, nullptr, values_out.data()}, {}, c.bits);
    CHECK(values_out.read() == want_values);
  }
  {
    test::guarded<u64> a(c.keys), b(n);
    test::guarded<V> values_a(positions), values_b(n);
    auto scratch = scratch_for<u64, V, by_digits>(n, sort_mode::double_buffer);
    sort_so<V, LocalSort>(
        scratch.data(),
        {{a.data(), {n, nullptr}}, b.data(), values_a.data(), values_b.data(), a.data(), values_a.data()}, {}, c.bits);
    CHECK(b.read() == want);
    CHECK(values_b.read() == want_values);
  }
  CHECK(in.read() == c.keys);
}

// One sort of each case, by whole keys or by some of the bits. digits: the leading ones that are
// taken; 0: any.
template <class LocalSort = by_digits>
void check_once(const digits_case& c, int digits = 0) {
  CAPTURE(c.name);
  const std::size_t n = c.keys.size();
  const test::guarded<u64> in(c.keys);
  test::guarded<u64> out(n);
  auto scratch = scratch_for<u64, no_value, LocalSort>(n, sort_mode::out_of_place);
  sort_so<no_value, LocalSort>(scratch.data(), {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, {}, c.bits);
  CHECK(out.read() == test::serial_sort(c.keys, {.bits = c.bits}));
  CHECK(way_of<no_value>(scratch, n, sort_mode::out_of_place) == c.expected);
  const launch_action tile_sort = tile_sort_of<no_value>(scratch, n, sort_mode::out_of_place);
  if (digits != 0) CHECK(tile_sort.leading_digits() == digits);
}

}  // namespace ballot::test::leading_digits
