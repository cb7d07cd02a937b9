// SPDX-License-Identifier: Apache-2.0
// Sorts of which nearly all keys are the same (majority_sort.cuh), in small shapes, into every kind of
// buffer; and keys of which just too many are others.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/leading_bits.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#include <random>
#include <string>

using namespace ballot;
using detail::no_value;

namespace algorithms_radix_majority {

using namespace test::leading_bits;
using detail::sort_mode;
using of_one_digit = small_local_sort<8>;
using of_two_digits = small_local_sort<9>;

constexpr u32 most = of_one_digit::most_others;

// So many keys other than the majority's, which differ from it in all digits, spread evenly from `first` on.
template <class U>
std::vector<U> with_others(std::size_t n, U majority, std::size_t others, std::size_t first = 3) {
  std::mt19937_64 random(17);
  std::vector<U> keys(n, majority);
  for (std::size_t i = 0; i < others; ++i) {
    U& key = keys[first + i * ((n - first) / others)];
    for (std::size_t digit = 0; digit < sizeof(U); ++digit)
      key = static_cast<U>(key ^ static_cast<U>(1 + random() % 255) << (8 * digit));
  }
  return keys;
}

template <class U>
struct named_keys {
  std::string name;
  std::vector<U> keys;
  expected action;
};
template <class U>
std::vector<named_keys<U>> named_cases() {
  const std::size_t n = 3003;
  const U middle = static_cast<U>(static_cast<U>(~U{0}) / 2 - 5);
  const std::size_t few = most;                     // all digits of so many may differ
  auto alike = with_others<U>(n, middle, few - 3);  // others that are equal, next to each other and far apart
  alike[4] = alike[5] = alike[n - 1] = alike[3];
  auto neighbours = std::vector<U>(n, middle);  // others at both ends, and one digit away
  neighbours[0] = static_cast<U>(middle + 256), neighbours[1] = static_cast<U>(middle - 1);
  neighbours[n - 1] = static_cast<U>(middle - 256), neighbours[n - 2] = static_cast<U>(middle + 1);
  auto one_digit = std::vector<U>(n, middle);  // a pass takes no longer
  one_digit[7] = static_cast<U>(middle ^ 1), one_digit[9] = static_cast<U>(middle ^ 2);
  auto of_pass = std::vector<U>(n, middle);  // two digits, one of them in as many keys as a pass may have
  for (std::size_t i = 0; i < most; ++i) of_pass[5 + 11 * i] = static_cast<U>(middle ^ (i + 1));
  of_pass[1] = static_cast<U>(middle ^ 0x300);
  auto too_many_of_pass = of_pass;
  too_many_of_pass[2] = static_cast<U>(middle ^ 0x31);
  auto of_list = std::vector<U>(n, middle);  // as many as the list has room for, more than there are warps
  for (std::size_t i = 0; i < most * sizeof(U); ++i)
    of_list[9 + 20 * i] = static_cast<U>(middle ^ static_cast<U>(i + 1) << (8 * (i % sizeof(U))));
  auto sorted = std::vector<U>(n, middle);
  sorted[0] = 0, sorted[n - 1] = static_cast<U>(~U{0});
  return {{"others less and greater", with_others<U>(n, middle, few), expected::majority_sort},
          {"the smallest key", with_others<U>(n, 0, few, 0), expected::majority_sort},
          {"the largest key", with_others<U>(n, static_cast<U>(~U{0}), few), expected::majority_sort},
          {"equal others", alike, expected::majority_sort},
          {"at both ends", neighbours, expected::majority_sort},
          {"as many as a pass may have", of_pass, expected::majority_sort},
          {"one too many for a pass", too_many_of_pass, expected::all_digits},
          {"one too many in all digits", with_others<U>(n, middle, few + 1), expected::all_digits},
          {"as many as the list may have", of_list, expected::majority_sort},
          {"of one digit", one_digit, expected::all_digits},
          {"in order", sorted, expected::nothing}};
}

template <class U, class LocalSort>
void check_keys(const std::vector<U>& keys, expected action, std::size_t length, const sort_options& options = {}) {
  const std::size_t n = keys.size();
  const auto codec = detail::codec_of<U>(options);
  const auto head = std::vector<U>(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(length));
  const auto want = test::serial_sort(head, options);
  const test::guarded<U> in(keys, 1);
  const test::guarded<u64> count(std::vector<u64>{length});
  {
    auto scratch = scratch_for<U, no_value, LocalSort>(n, sort_mode::out_of_place);
    test::guarded<U> out(keys);
    sort_by_leading_bits<U, no_value, LocalSort>(scratch.data(),
                                                 {{in.data(), {n, count.data()}}, out.data(), nullptr, nullptr}, codec);
    const auto got = out.read();
    CHECK(std::equal(want.begin(), want.end(), got.begin()));
    CHECK(std::equal(keys.begin() + static_cast<std::ptrdiff_t>(length), keys.end(),
                     got.begin() + static_cast<std::ptrdiff_t>(length)));
    CHECK(decided<U, no_value, LocalSort>(scratch, n, sort_mode::out_of_place) == action);
  }
  {
    test::guarded<U> both(keys);
    auto scratch = scratch_for<U, no_value, LocalSort>(n, sort_mode::in_place);
    sort_by_leading_bits<U, no_value, LocalSort>(scratch.data(),
                                                 {{both.data(), {n, nullptr}}, both.data(), nullptr, nullptr}, codec);
    CHECK(both.read() == test::serial_sort(keys, options));
  }
  for (const bool from_spare : {false, true}) {  // between two buffers: the list may not lie in the input
    test::guarded<U> a(keys), b(keys);
    auto scratch = scratch_for<U, no_value, LocalSort>(n, sort_mode::double_buffer);
    U* const input = from_spare ? b.data() : a.data();
    sort_by_leading_bits<U, no_value, LocalSort>(
        scratch.data(), {{input, {n, nullptr}}, a.data(), nullptr, nullptr, b.data(), nullptr}, codec);
    CHECK(a.read() == test::serial_sort(keys, options));
    if (action == expected::majority_sort && length == n)
      CHECK((decided<U, no_value, LocalSort>(scratch, n, sort_mode::double_buffer) == action) == !from_spare);
  }
  CHECK(in.read() == keys);
}

template <class U, class V, class LocalSort>
void check_pairs(const std::vector<U>& keys, expected action) {
  const std::size_t n = keys.size();
  const auto order = test::serial_argsort(keys, {});
  const auto want = test::serial_sort(keys, {});
  std::vector<V> values_of(n), want_values;
  for (std::size_t i = 0; i < n; ++i) values_of[i] = static_cast<V>(3 * i + 7);
  for (const auto i : order) want_values.push_back(values_of[i]);
  const std::vector<V> want_order(order.begin(), order.end());
  const test::guarded<U> in(keys);
  const test::guarded<V> values(values_of);
  {
    test::guarded<U> out(n);
    test::guarded<V> values_out(n);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::out_of_place);
    sort_by_leading_bits<U, V, LocalSort>(
        scratch.data(), {{in.data(), {n, nullptr}}, out.data(), values.data(), values_out.data()}, {});
    CHECK(values_out.read() == want_values);
    CHECK(out.read() == want);
    CHECK(decided<U, V, LocalSort>(scratch, n, sort_mode::out_of_place) == action);
  }
  {
    test::guarded<V> order_out(n);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::values_only);
    sort_by_leading_bits<U, V, LocalSort>(scratch.data(),
                                          {{in.data(), {n, nullptr}}, nullptr, nullptr, order_out.data()}, {});
    CHECK(order_out.read() == want_order);
    CHECK(decided<U, V, LocalSort>(scratch, n, sort_mode::values_only) == action);
  }
  {
    test::guarded<V> both_values(values_of);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::values_only_in_place);
    sort_by_leading_bits<U, V, LocalSort>(
        scratch.data(), {{in.data(), {n, nullptr}}, nullptr, both_values.data(), both_values.data()}, {});
    CHECK(both_values.read() == want_values);
  }
  // What is still read when outputs are written may not lie in their place.
  const expected if_in_place = action == expected::majority_sort ? expected::all_digits : action;
  {
    test::guarded<U> both(keys);
    test::guarded<V> both_values(values_of), from(values_of), to(n);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::in_place);
    sort_by_leading_bits<U, V, LocalSort>(
        scratch.data(), {{both.data(), {n, nullptr}}, both.data(), both_values.data(), both_values.data()}, {});
    CHECK(both.read() == want);
    CHECK(both_values.read() == want_values);
    CHECK(decided<U, V, LocalSort>(scratch, n, sort_mode::in_place) == if_in_place);
    both.write(keys);
    sort_by_leading_bits<U, V, LocalSort>(scratch.data(),
                                          {{both.data(), {n, nullptr}}, both.data(), from.data(), to.data()}, {});
    CHECK(both.read() == want);
    CHECK(to.read() == want_values);
    CHECK(decided<U, V, LocalSort>(scratch, n, sort_mode::in_place) == if_in_place);
  }
  CHECK(in.read() == keys);
}

TEST_CASE_TEMPLATE("keys with a majority", U, u32, u64) {
  const auto cases = named_cases<U>();
  for (const auto& c : cases) {
    CAPTURE(c.name);
    check_keys<U, of_one_digit>(c.keys, c.action, c.keys.size());
    if (test::left_to_checked_run()) return;  // after one case
  }
  check_keys<U, of_two_digits>(cases[0].keys, cases[0].action, cases[0].keys.size());
  check_keys<U, of_one_digit>(cases[0].keys, cases[0].action, cases[0].keys.size(),
                              {.direction = direction::descending});
}

TEST_CASE("keys with a majority under all schedules") {
  const auto keys = with_others<u32>(1801, 1u << 20, most);
  test::for_each_schedule([&] { check_keys<u32, of_one_digit>(keys, expected::majority_sort, keys.size()); });
}

// The length on the device decides: of so few keys, as many others are no minority.
TEST_CASE("a majority among the first keys, and too few keys for one") {
  auto keys = with_others<u32>(1801, 1u << 20, most, 0);
  check_keys<u32, of_one_digit>(keys, expected::majority_sort, 1500);
  check_keys<u32, of_one_digit>(keys, expected::nothing, 0);
  for (std::size_t i = 0; i < 8; ++i) keys[i] = static_cast<u32>(7919 * (8 - i));
  check_keys<u32, of_one_digit>(keys, expected::local_sort, 40);
}

TEST_CASE_TEMPLATE("pairs with a majority: stable", U, u32, u64) {
  for (const auto& c : named_cases<U>()) {
    CAPTURE(c.name);
    check_pairs<U, u32, of_two_digits>(c.keys, c.action);
    if (test::left_to_checked_run()) return;  // after one case
  }
}

// So many that a warp has several rows.
TEST_CASE("many pairs with a majority") {
  if (BALLOT_EMULATED && test::left_to_checked_run()) return;
  std::vector<u32> keys(40003, 1u << 20);
  for (std::size_t i = 0; i < 4 * most; ++i) keys[7 + 601 * i] ^= static_cast<u32>(i + 1) << (8 * (i % 4));
  check_pairs<u32, u32, of_two_digits>(keys, expected::majority_sort);
}

// Keys between bounds, all of which have a bit above them: the histogram does not see it. A rank of a
// distributed sort has such keys if another one has failed. Their order is unspecified.
template <class U, class V>
void check_above_bounds(int bits) {
  const std::size_t n = 3003;
  auto keys = std::vector<U>(n, U{1} << (8 * sizeof(U) - 1) | 77);
  for (std::size_t i = 0; i < most; ++i) keys[5 + 11 * i] ^= static_cast<U>(i + 1) << (8 * (i % 2));
  for (const bool has_others_less : {false, true}) {
    if (has_others_less) keys[0] = 1, keys[9] = 0;
    const test::guarded<U> in(keys);
    test::guarded<U> out(n);
    detail::sort_operands<U, V> operands{{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr};
    constexpr bool has_values = !std::is_same_v<V, no_value>;
    using word = std::conditional_t<has_values, V, u32>;
    const test::guarded<word> values(has_values ? n : 0);
    const test::guarded<word> values_out(has_values ? n : 0);
    if constexpr (has_values) operands.values = values.data(), operands.values_out = values_out.data();
    auto scratch = scratch_for<U, V, of_two_digits>(n, sort_mode::out_of_place);
    detail::launch_radix_sort_in_shape<U, V, passes, void, of_two_digits>(
        test::test_stream(), scratch.data(), operands, {}, {0, bits}, detail::radix_portion_items, 0, n);
    CHECK(decided<U, V, of_two_digits>(scratch, n, sort_mode::out_of_place) == expected::majority_sort);
    out.read(), values_out.read(), scratch.read();  // also the guards
    CHECK(in.read() == keys);
  }
}
TEST_CASE("a majority of keys above their bounds: nothing else is written") {
  check_above_bounds<u32, no_value>(24);
  check_above_bounds<u32, u32>(24);
  check_above_bounds<u64, u32>(40);
}

TEST_CASE("pairs with a majority under some schedules") {
  const auto keys = with_others<u32>(1801, 1u << 20, most);
  test::for_some_schedules([&] { check_pairs<u32, u64, small_local_sort<8, true>>(keys, expected::majority_sort); });
}

}  // namespace algorithms_radix_majority
