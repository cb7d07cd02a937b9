// SPDX-License-Identifier: Apache-2.0
// merge against std::merge: sizes around a tile, types, comparisons, stability, lengths on the
// device, ranges that are not sorted.
#include <ballot/merge.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <cmath>

using namespace ballot;

namespace algorithms_merge {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct wide {
  u32 key, of;
  u64 rest[6];
  bool operator==(const wide&) const = default;
};
struct by_key {
  BALLOT_HOST_DEVICE bool operator()(const wide& a, const wide& b) const { return a.key < b.key; }
};

template <class T, class Before>
std::vector<T> sorted(std::vector<T> items, const Before& before) {
  std::stable_sort(items.begin(), items.end(), before);
  return items;
}

// The first items of each range are there. call(where, first, second, values.., outputs..)
template <class K, class Before, class Call>
void check(const std::vector<K>& first, const std::vector<K>& second, std::size_t first_there, std::size_t second_there,
           const Before& before, const Call& call, std::size_t shift = 0) {
  const std::size_t n = first.size() + second.size(), there = first_there + second_there;
  CAPTURE(first.size());
  CAPTURE(second.size());
  CAPTURE(there);
  std::vector<u32> first_values(first.size()), second_values(second.size()), order(there);
  for (std::size_t i = 0; i < first.size(); ++i) first_values[i] = static_cast<u32>(2 * i);
  for (std::size_t i = 0; i < second.size(); ++i) second_values[i] = static_cast<u32>(2 * i + 1);
  const auto key_of = [&](u32 value) { return value % 2 == 0 ? first[value / 2] : second[value / 2]; };
  std::merge(first_values.begin(), first_values.begin() + static_cast<std::ptrdiff_t>(first_there),
             second_values.begin(), second_values.begin() + static_cast<std::ptrdiff_t>(second_there), order.begin(),
             [&](u32 a, u32 b) { return before(key_of(a), key_of(b)); });
  test::for_some_schedules([&] {
    // Arguments of many shapes: addresses of 16 bytes, and others.
    const test::guarded<K> a(first, (n + shift) % 5), b(second, (n + 2 * shift) % 3);
    const test::guarded<u32> a_values(first_values, (n + shift) % 4), b_values(second_values, n % 2);
    const test::guarded<u64> lengths(std::vector<u64>{first_there, second_there});
    test::guarded<K> out(n, (n + shift) % 2), keys_out(n, (n + shift + 1) % 2);
    test::guarded<u32> values_out(n, n / 2 % 2);
    const test::unaligned_scratch scratch(merge_scratch_bytes<K>(n));
    test::directly_and_captured(
        [&] { out.fill_dirt(), keys_out.fill_dirt(), values_out.fill_dirt(); },
        [&] {
          call(scratch.where(), counted{a, lengths.data()}, a_values, counted{b, lengths.data() + 1}, b_values, out,
               keys_out, values_out);
        },
        [&] {
          const auto got = out.read(), got_keys = keys_out.read();
          const auto got_values = values_out.read();
          bool same = true, clean = true;
          for (std::size_t i = 0; i < there; ++i) {
            const K want = key_of(order[i]);
            same &= std::memcmp(&got[i], &want, sizeof(K)) == 0 && std::memcmp(&got_keys[i], &want, sizeof(K)) == 0;
            same &= got_values[i] == order[i];
          }
          for (std::size_t i = there; i < n; ++i)
            clean &= test::is_dirt(got[i]) && test::is_dirt(got_keys[i]) && test::is_dirt(got_values[i]);
          CHECK(same);
          CHECK(clean);
        });
    scratch.check_guards();
  });
}

template <class K>
void check_keys(std::vector<K> first, std::vector<K> second, const order_options& order = {}, std::size_t missing = 0) {
  const auto before = detail::before_in<K>(order);
  const std::size_t first_there = first.size() - std::min(first.size(), missing),
                    second_there = second.size() - std::min(second.size(), 2 * missing);
  check(sorted(std::move(first), before), sorted(std::move(second), before), first_there, second_there, before,
        [&](const exec& where, const auto& a, const auto& a_values, const auto& b, const auto& b_values, auto& out,
            auto& keys_out, auto& values_out) {
          merge(where, a, b, out, order);
          merge_pairs(where, a, a_values, b, b_values, keys_out, values_out, order);
        });
}

template <class T>
std::vector<T> few_distinct(std::size_t n, unsigned seed) {
  auto items = test::random_items<T>(n, seed);
  for (T& item : items) item = static_cast<T>(item % 7);
  return items;
}

TEST_CASE("merge: more items than are searched for") {
  const std::size_t n = detail::most_merged_by_search + 1;
  check_keys(few_distinct<u32>(n / 3, 3), test::random_items<u32>(n - n / 3, 2));
}

// Sees whether items outside the range are looked at. (No lambdas: nvcc refuses a host lambda in a
// host and device template.)
struct position_within {
  u32 items;
  bool* within;
  BALLOT_HOST_DEVICE u32 operator()(u32 i) const {
    *within &= i < items;
    return i;
  }
};
struct is_among_first {
  u32 first_items;
  BALLOT_HOST_DEVICE bool operator()(u32 i) const { return i < first_items; }
};
struct has_even_answer {
  const u32* answers;
  BALLOT_HOST_DEVICE bool operator()(u32 i) const { return answers[i] % 2 == 0; }
};

TEST_CASE("merge: how many items come before, by quarters") {
  for (u32 items = 0; items < 300; ++items)
    for (u32 before = 0; before <= items; ++before) {
      bool within = true;
      const u32 found =
          detail::count_before_by_quarters(items, position_within{items, &within}, is_among_first{before});
      CHECK_MESSAGE((within && found == before), items, " items, ", before, " before");
    }
  // Items that are not sorted: none outside is looked at, and the place is one of the output's.
  const auto answers = test::random_items<u32>(300, 9);
  for (u32 items = 0; items < 300; ++items) {
    bool within = true;
    const u32 found =
        detail::count_before_by_quarters(items, position_within{items, &within}, has_even_answer{answers.data()});
    CHECK_MESSAGE((within && found <= items), items, " items");
  }
}

TEST_CASE("merge: sizes around a tile") {
  const std::size_t tile = detail::merge_shape_of_few<u32>::items;
  for (const std::size_t n : test::lengths_around(tile))
    for (const std::size_t part : {std::size_t{0}, n / 3, n}) {
      check_keys(test::random_items<u32>(part, 1), test::random_items<u32>(n - part, 2));
      check_keys(few_distinct<u32>(n - part, 3), few_distinct<u32>(part, 4));
    }
}

TEST_CASE("merge: one range before the other, all items equal") {
  const std::size_t n = 2 * detail::merge_shape_of_few<u32>::items + 5;
  std::vector<u32> low(n), high(n), equal(n, 9);
  for (std::size_t i = 0; i < n; ++i) low[i] = static_cast<u32>(i), high[i] = static_cast<u32>(n + i);
  check_keys(low, high);
  check_keys(high, low);
  check_keys(equal, equal);
  check_keys(equal, low);
}

TEST_CASE("merge: types, orders, lengths on the device") {
  check_keys(test::random_items<std::int8_t>(5'000, 1), test::random_items<std::int8_t>(7'000, 2), {}, 100);
  check_keys(test::random_items<std::int64_t>(5'000, 3), test::random_items<std::int64_t>(7'000, 4),
             {.direction = direction::descending}, 3'500);
  check_keys(test::random_items<detail::uint128>(900, 5), test::random_items<detail::uint128>(2'000, 6), {}, 1);
  check_keys(test::random_items<u32>(5'000, 3), test::random_items<u32>(7'000, 4), {}, 9'000);
  auto floats = test::random_items<float>(4'000, 7), more = test::random_items<float>(4'000, 8);
  for (std::size_t i = 0; i < 4'000; i += 3) floats[i] = i % 2 == 0 ? 0.0f : -0.0f, more[i] = std::nanf("1");
  for (const nan_order nans : {nan_order::last, nan_order::first, nan_order::by_bits})
    for (const direction d : {direction::ascending, direction::descending}) check_keys(floats, more, {d, nans});
}

TEST_CASE("merge: bool") {
  const std::size_t ones = 700, n = 3'000;  // of each; vectors of bool have no memory of their own
  std::vector<std::uint8_t> one(n, 0), other(n, 0), both(2 * n, 0);
  std::fill(one.end() - ones, one.end(), std::uint8_t{1});
  std::fill(other.end() - 2 * ones, other.end(), std::uint8_t{1});
  std::fill(both.end() - 3 * ones, both.end(), std::uint8_t{1});
  test::for_some_schedules([&] {
    const test::guarded<std::uint8_t> a(one), b(other);
    test::guarded<std::uint8_t> out(2 * n);
    merge(allocating(test::test_stream()), device_span(reinterpret_cast<const bool*>(a.data()), n),
          device_span(reinterpret_cast<const bool*>(b.data()), n),
          device_span(reinterpret_cast<bool*>(out.data()), 2 * n));
    CHECK(out.read() == both);
  });
}

TEST_CASE("merge: a comparison, of large items") {
  std::vector<wide> first(1'000), second(700);
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = {static_cast<u32>(i * 7 % 30), static_cast<u32>(i), {i}};
  for (std::size_t i = 0; i < second.size(); ++i)
    second[i] = {static_cast<u32>(i * 11 % 30), ~static_cast<u32>(i), {i}};
  check(sorted(first, by_key{}), sorted(second, by_key{}), 1'000, 690, by_key{},
        [&](const exec& where, const auto& a, const auto& a_values, const auto& b, const auto& b_values, auto& out,
            auto& keys_out, auto& values_out) {
          merge(where, a, b, by_key{}, out);
          merge_pairs(where, a, a_values, b, b_values, by_key{}, keys_out, values_out);
        });
}

template <bool Searches, class K, class Shape>
void check_shape(std::size_t n, std::size_t part, std::uint64_t kinds, std::size_t shift,
                 direction way = direction::ascending) {
  const auto before = [way](K a, K b) { return way == direction::ascending ? a < b : b < a; };
  const auto keys = [&](std::size_t items, unsigned seed) {
    auto made = test::random_items<K>(items, seed);
    for (K& key : made) key = static_cast<K>(key % kinds);
    return sorted(std::move(made), before);
  };
  const auto first = keys(part, 11), second = keys(n - part, 12);
  CAPTURE(n);
  CAPTURE(part);
  test::guarded<u64> path(n / Shape::items + 64);
  REQUIRE(detail::merge_bytes_in<Shape>(n) <= path.size() * sizeof(u64));
  check(
      first, second, first.size(), second.size(), before,
      [&](const exec& where, const auto& a, const auto& a_values, const auto& b, const auto& b_values, auto& out,
          auto& keys_out, auto& values_out) {
        using namespace detail;
        using V = u32;
        const auto codec = merge_codec<K>(way, nan_order::last);
        const auto in = as_input(a), in_second = as_input(b);
        auto* const scratch = reinterpret_cast<std::byte*>(path.data());
        merge_arguments<K, no_value> keys{in.data, in_second.data, in.length, in_second.length, nullptr,
                                          nullptr, out.data(),     nullptr,   nullptr};
        launch_merge_in<Searches, Shape>(where.stream(), scratch, keys, codec, smaller_bits{}, "merge");
        merge_arguments<K, V> pairs{in.data,          in_second.data,          in.length,
                                    in_second.length, as_input(a_values).data, as_input(b_values).data,
                                    keys_out.data(),  values_out.data(),       nullptr};
        launch_merge_in<Searches, Shape>(where.stream(), scratch, pairs, codec, smaller_bits{}, "merge");
      },
      shift);
}

// With a launch that searches the path, and without; small tiles, so that there are many.
TEST_CASE("merge: shapes, and who searches") {
  using small = detail::merge_shape<64, 3>;
  using other = detail::merge_shape<64, 5>;
  for (std::size_t shift = 0; shift < 5; ++shift)
    for (const std::size_t n : {1, 191, 192, 193, 320, 640, 1'000}) {
      check_shape<false, u32, small>(n, n / 2, 1u << 30, shift);
      check_shape<true, u32, other>(n, n / 3, 5, shift, shift % 2 == 0 ? direction::ascending : direction::descending);
      check_shape<true, u64, small>(n, n / 4, 100, shift);
      check_shape<false, std::uint8_t, other>(n, n - n / 5, 20, shift);
    }
  check_shape<false, u32, small>(70'000, 30'000, 1u << 31, 0);
  check_shape<true, u32, small>(70'000, 30'000, 1u << 31, 0);
  for (const std::size_t n : test::lengths_around(detail::merge_shape_of<u32>::items))
    check_shape<false, u32, detail::merge_shape_of<u32>>(n, n / 3, 1u << 30, n);
  using keys_alone = detail::merge_shape_of_many<u64, detail::no_value>;
  for (const std::size_t n : test::lengths_around(keys_alone::items))
    check_shape<false, u64, keys_alone>(n, n / 3, 1u << 30, n);
}

#if !BALLOT_EMULATED
TEST_CASE("merge: where tiles become larger") {
  for (const std::size_t n : {detail::most_in_small_tiles, detail::most_in_small_tiles + 1})
    check_keys(test::random_items<u64>(n / 3, 1), test::random_items<u64>(n - n / 3, 2));
}
#endif

// Nothing outside the ranges is accessed. (Of fewer items, threads may write the same place: a
// race, by the contract.)
TEST_CASE("merge: ranges that are not sorted") {
  const auto first = test::random_items<u32>(80'000, 1), second = test::random_items<u32>(60'000, 2);
  const std::size_t n = first.size() + second.size();
  REQUIRE(n > detail::most_merged_by_search);
  test::for_some_schedules([&] {
    const test::guarded<u32> a(first), b(second), a_values(first), b_values(second);
    test::guarded<u32> out(n), values_out(n);
    merge_pairs(allocating(test::test_stream()), a, a_values, b, b_values, out, values_out);
    (void)out.read(), (void)values_out.read();
  });
}

// The same of many small ranges, so that stretches end where the ranges do, and the memory, too.
TEST_CASE("merge: small ranges that are not sorted") {
  using namespace detail;
  using shape = merge_shape<64, 3>;
  const auto codec = merge_codec<u32>(direction::ascending, nan_order::last);
  const stream_t stream = test::test_stream();
  for (unsigned seed = 1; seed < 60; ++seed) {
    const std::size_t of_first = 64 * (1 + seed % 4), of_second = 64 * (1 + seed % 3);
    auto keys = test::random_items<u32>(of_first + of_second, seed);
    std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / (1 + seed % 5)));
    const device_array<u32> a(of_first, stream), b(of_second, stream), a_values(of_first, stream),
        b_values(of_second, stream), out(keys.size(), stream), values_out(keys.size(), stream);
    for (const auto& to : {&a, &a_values}) simt::copy_bytes(stream, to->data(), keys.data(), of_first * sizeof(u32));
    for (const auto& to : {&b, &b_values})
      simt::copy_bytes(stream, to->data(), keys.data() + of_first, of_second * sizeof(u32));
    test::depth_first([&] {
      const merge_arguments<u32, u32> pairs{a.data(),    b.data(),          {of_first},
                                            {of_second}, a_values.data(),   b_values.data(),
                                            out.data(),  values_out.data(), nullptr};
      launch_merge_in<true, shape>(stream, nullptr, pairs, codec, smaller_bits{}, "merge");
    });
    simt::synchronize(stream);
  }
}

}  // namespace algorithms_merge
