// SPDX-License-Identifier: Apache-2.0
// The C library's histograms, merges, searches, gathers and scatters, against loops.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/support.hpp"

#include <ballot/c/operators.cuh>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ballot::test::c {
namespace tables {

using point = std::array<u8, 6>;

// ---- histograms ----

template <class T, class BinOf>
void check_counts(const char* what, const std::vector<T>& items, std::size_t used, std::size_t bins,
                  const ballot_bins& how, const BinOf& bin_of, ballot_type type = code<T>) {
  CAPTURE(what);
  CAPTURE(type);
  CAPTURE(items.size());
  const guarded<T> from(items);
  const guarded<u32> length(std::vector<u32>{static_cast<u32>(used)}), counts(bins);
  const guarded<u64> outside(1);
  const bool is_counted = used != items.size();
  run(0, [&](ballot_exec gpu) {
    return ballot_histogram(gpu, is_counted ? counted(from, length, type) : in(from, type), how, out(counts),
                            out(outside));
  });
  std::vector<u32> expected(bins);
  u64 none = 0;
  for (std::size_t i = 0; i < used; ++i) {
    const i64 bin = bin_of(items[i]);
    if (bin >= 0 && static_cast<std::size_t>(bin) < bins) ++expected[static_cast<std::size_t>(bin)];
    else ++none;
  }
  CHECK(counts.read() == expected);
  CHECK(value_at(outside) == none);
}

template <class T>
void check_histogram(std::size_t n, bool is_counted) {
  const auto items = special_items<T>(n);
  const std::size_t used = is_counted ? n / 2 : n;
  const T lower = std::is_signed_v<T> ? T(-2) : T(1), upper = T(7);
  check_counts("even", items, used, 3, ballot_even_bins(&lower, &upper), [&](T x) -> i64 {
    if (!(x >= lower && x < upper)) return -1;
    return static_cast<i64>(std::floor((static_cast<double>(x) - static_cast<double>(lower)) * 3 /
                                       (static_cast<double>(upper) - static_cast<double>(lower))));
  });
  const std::vector<T> levels{T(0), T(1), T(3), T(3), T(6)};
  const guarded<T> device_levels(levels);
  check_counts("levels", items, used, 4, ballot_level_bins(in(device_levels)), [&](T x) -> i64 {
    for (std::size_t b = 0; b < 4; ++b)
      if (levels[b] <= x && x < levels[b + 1]) return static_cast<i64>(b);
    return -1;
  });
  constexpr int low = 8 * static_cast<int>(sizeof(T)) - 4;
  check_counts("digit", items, used, 16, ballot_digit_bins(low, 4),
               [&](T x) -> i64 { return static_cast<i64>(ordered_bits(x) >> low & 15u); });
}

TEST_CASE("histograms") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{3000}})
    for (const bool is_counted : {false, true}) {
      check_histogram<u8>(n, is_counted);
      check_histogram<i8>(n, is_counted);
      check_histogram<u16>(n, is_counted);
      check_histogram<i32>(n, is_counted);
      check_histogram<u64>(n, is_counted);
      check_histogram<float>(n, is_counted);
      check_histogram<double>(n, is_counted);
    }
  // 16-bit floats, many bins, and a wide range of integers.
  const auto short_floats = [&]<class F>(ballot_type type) {
    std::vector<u16> items;
    for (int i = 0; i < 600; ++i) items.push_back(F(static_cast<float>(i % 40) / 4.0f - 1.0f).bits);
    const u16 lower = F(0.0f).bits, upper = F(8.0f).bits;
    check_counts(
        "16-bit floats", items, items.size(), 16, ballot_even_bins(&lower, &upper),
        [&](u16 x) -> i64 {
          const float real = static_cast<float>(__builtin_bit_cast(F, x));
          return real < 0 || real >= 8 ? -1 : static_cast<i64>(real * 2);
        },
        type);
  };
  short_floats.operator()<ballot_c::float16>(BALLOT_F16);
  short_floats.operator()<ballot_c::bfloat16>(BALLOT_BF16);
  const auto items = random_items<i32>(5000, 6);
  const i32 lower = std::numeric_limits<i32>::min(), upper = std::numeric_limits<i32>::max();
  check_counts("many bins", items, items.size(), 40'000, ballot_even_bins(&lower, &upper), [&](i32 x) -> i64 {
    return x == upper ? -1 : static_cast<i64>((static_cast<u64>(i64{x} - lower) * 40'000) / 0xffffffffu);
  });
  const auto keys = random_items<u32>(5000, 7);
  check_counts("one bin", keys, keys.size(), 1, ballot_digit_bins(31, 1),
               [](u32 x) { return static_cast<i64>(x >> 31); });
}

// ---- sorted arrays ----

template <class T>
bool before(T a, T b, bool descending) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return descending ? b < a : a < b;
}
template <class T>
std::vector<T> sorted_items(std::size_t n, u64 seed, bool descending) {
  auto items = random_items<T>(n, seed, 30);
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 0; i < n; i += 9) items[i] = std::numeric_limits<T>::quiet_NaN();
  std::stable_sort(items.begin(), items.end(), [&](T a, T b) { return before(a, b, descending); });
  return items;
}

template <class T>
void check_merge(std::size_t a, std::size_t b, bool descending, bool is_counted) {
  CAPTURE(code<T>);
  CAPTURE(a);
  CAPTURE(b);
  const auto first = sorted_items<T>(a, 1, descending), second = sorted_items<T>(b, 2, descending);
  const std::size_t used_a = is_counted ? a - a / 3 : a, used_b = is_counted ? b / 2 : b, n = a + b;
  std::vector<std::pair<bool, std::size_t>> order;  // whether of the second, and where
  for (std::size_t i = 0, j = 0; i < used_a || j < used_b;) {
    const bool takes_second = i == used_a || (j < used_b && before(second[j], first[i], descending));
    order.emplace_back(takes_second, takes_second ? j++ : i++);
  }
  const guarded<T> from_a(first), from_b(second), keys_out(n);
  const guarded<u32> length_a(std::vector<u32>{static_cast<u32>(used_a)}),
      length_b(std::vector<u32>{static_cast<u32>(used_b)});
  const ballot_array in_a = is_counted ? counted(from_a, length_a) : in(from_a),
                     in_b = is_counted ? counted(from_b, length_b) : in(from_b);
  const ballot_order_options options{sizeof(options), descending, BALLOT_NANS_LAST};
  const auto check_keys = [&] {
    const auto found = keys_out.read();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const T expected = order[i].first ? second[order[i].second] : first[order[i].second];
      REQUIRE(std::memcmp(&found[i], &expected, sizeof(T)) == 0);
    }
  };
  run(bytes_of([&](std::size_t* bytes) { return ballot_merge_scratch_bytes(code<T>, BALLOT_NONE, n, bytes); }),
      [&](ballot_exec gpu) { return ballot_merge(gpu, in_a, in_b, out(keys_out), &options); });
  check_keys();
  const auto pairs = [&]<class V>(V) {
    const auto values_a = random_items<V>(a, 3), values_b = random_items<V>(b, 4);
    const guarded<V> from_values_a(values_a), from_values_b(values_b), values_out(n);
    run(bytes_of([&](std::size_t* bytes) { return ballot_merge_scratch_bytes(code<T>, code<V>, n, bytes); }),
        [&](ballot_exec gpu) {
          return ballot_merge_pairs(gpu, in_a, in(from_values_a), in_b, in(from_values_b), out(keys_out),
                                    out(values_out), &options);
        });
    check_keys();
    const auto found = values_out.read();
    for (std::size_t i = 0; i < order.size(); ++i)
      REQUIRE(found[i] == (order[i].first ? values_b[order[i].second] : values_a[order[i].second]));
  };
  pairs(u32{});
  pairs(u64{});
  pairs(u8{});
  pairs(point{});
}

TEST_CASE("merges") {
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 0}, {0, 33}, {700, 1000}})
    for (const bool descending : {false, true})
      for (const bool is_counted : {false, true}) {
        check_merge<i32>(a, b, descending, is_counted);
        check_merge<float>(a, b, descending, is_counted);
        check_merge<u8>(a, b, descending, is_counted);
        check_merge<i16>(a, b, descending, is_counted);
        check_merge<double>(a, b, descending, is_counted);
        check_merge<i128>(a, b, descending, is_counted);
      }
  check_merge<u32>(20'000, 9'001, false, true);
}

// Which items arrive is unspecified, but they are items of the call's.
TEST_CASE("merges of keys that are not in order read nothing else") {
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 33}, {200, 0}, {700, 1000}, {100'000, 40'000}}) {
    const std::size_t n = a + b;
    const auto backwards = [](std::size_t items) {
      std::vector<u32> keys(items);
      for (std::size_t i = 0; i < items; ++i) keys[i] = static_cast<u32>(items - i);
      return keys;
    };
    const guarded<u32> first(backwards(a)), second(backwards(b)), keys_out(n);
    const guarded<u8> first_values(std::vector<u8>(a, 1)), second_values(std::vector<u8>(b, 2)), values_out(n);
    run(bytes_of([&](std::size_t* bytes) { return ballot_merge_scratch_bytes(code<u32>, code<u8>, n, bytes); }),
        [&](ballot_exec gpu) {
          return ballot_merge_pairs(gpu, in(first), in(first_values), in(second), in(second_values), out(keys_out),
                                    out(values_out), nullptr);
        });
    for (const u8 value : values_out.read()) REQUIRE((value == 1 || value == 2));
  }
}

template <class T, class Position>
void check_search(std::size_t n, std::size_t m, bool descending, bool is_counted) {
  CAPTURE(code<T>);
  CAPTURE(n);
  const auto sorted = sorted_items<T>(n, 5, descending);
  const auto keys = random_items<T>(m, 6, 33);
  const std::size_t used = is_counted ? n / 2 : n;
  const guarded<T> from(sorted), wanted(keys);
  const guarded<Position> places(m);
  const guarded<u32> length(std::vector<u32>{static_cast<u32>(used)});
  const ballot_array source = is_counted ? counted(from, length) : in(from);
  const ballot_order_options options{sizeof(options), descending, BALLOT_NANS_LAST};
  for (const bool upper : {false, true}) {
    const auto call = upper ? ballot_upper_bound : ballot_lower_bound;
    run(0, [&](ballot_exec gpu) { return call(gpu, source, in(wanted), out(places), &options); });
    const auto found = places.read();
    for (std::size_t i = 0; i < m; ++i) {
      std::size_t expected = 0;
      while (expected < used &&
             (upper ? !before(keys[i], sorted[expected], descending) : before(sorted[expected], keys[i], descending)))
        ++expected;
      REQUIRE(static_cast<std::size_t>(found[i]) == expected);
    }
  }
  // The begin of each number: the keys are positions.
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4) {
    if (descending) return;
    const guarded<u32> begins(40);
    run(0, [&](ballot_exec gpu) {
      return ballot_lower_bound(gpu, source, ballot_input(nullptr, 40, BALLOT_POSITIONS_U32), out(begins), nullptr);
    });
    const auto found = begins.read();
    for (std::size_t i = 0; i < 40; ++i)
      REQUIRE(found[i] == static_cast<u32>(std::lower_bound(sorted.begin(), sorted.begin() + static_cast<long>(used),
                                                            static_cast<T>(i)) -
                                           sorted.begin()));
  }
}

template <class T>
void check_order(std::size_t n, bool descending) {
  auto items = sorted_items<T>(n, 8, descending);
  const ballot_order_options options{sizeof(options), descending, BALLOT_NANS_LAST};
  const std::size_t bytes = bytes_of([&](std::size_t* b) { return ballot_is_sorted_scratch_bytes(b); });
  const guarded<u32> answer(1);
  const guarded<i64> in_order(1);
  const auto check = [&](u32 sorted, std::size_t first) {
    const guarded<T> from(items);
    run(bytes, [&](ballot_exec gpu) { return ballot_is_sorted(gpu, in(from), out(answer), &options); });
    CHECK(value_at(answer) == sorted);
    run(bytes, [&](ballot_exec gpu) { return ballot_is_sorted_until(gpu, in(from), out(in_order), &options); });
    CHECK(static_cast<std::size_t>(value_at(in_order)) == first);
  };
  check(1, n);
  if (n < 10) return;
  items[n - 2] = descending ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
  check(0, n - 2);
}

TEST_CASE("searches and checks of order") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{500}})
    for (const bool descending : {false, true}) {
      for (const bool is_counted : {false, true}) {
        check_search<i32, u32>(n, 300, descending, is_counted);
        check_search<u32, i64>(n, 1, descending, is_counted);
        check_search<float, i32>(n, 100, descending, is_counted);
        check_search<u8, u64>(n, 100, descending, is_counted);
        check_search<i16, u32>(n, 0, descending, is_counted);
        check_search<double, u32>(n, 100, descending, is_counted);
        check_search<i128, u32>(n, 100, descending, is_counted);
      }
      check_order<i32>(n, descending);
      check_order<float>(n, descending);
      check_order<u8>(n, descending);
      check_order<i64>(n, descending);
    }
  check_order<u16>(10'000, false);
}

// ---- gather and scatter ----

template <class T, class Index>
void check_moves(std::size_t n, std::size_t m, bool is_counted, std::size_t shift = 0) {
  CAPTURE(sizeof(T));
  CAPTURE(n);
  std::mt19937 random(static_cast<unsigned>(n) + 2);
  const auto items = random_items<T>(n, 1);
  std::vector<Index> order(m);
  for (Index& index : order) index = static_cast<Index>(random() % (n + 5)) - (std::is_signed_v<Index> ? 2 : 0);
  const std::size_t used = is_counted ? m / 2 : m;
  const guarded<T> from(items, shift);
  const guarded<Index> indices(order);
  const guarded<u32> length(std::vector<u32>{static_cast<u32>(used)}), outside(1);
  const ballot_array places = is_counted ? counted(indices, length) : in(indices);
  const auto is_inside = [&](Index i, std::size_t end) {
    return (!std::is_signed_v<Index> || i >= 0) && static_cast<u64>(i) < end;
  };
  {
    const guarded<T> to(m);
    const auto dirty = to.read();
    run(0, [&](ballot_exec gpu) {
      return ballot_gather(gpu, in(from, BALLOT_BYTES(sizeof(T))), places, out(to, BALLOT_BYTES(sizeof(T))),
                           out(outside));
    });
    const auto found = to.read();
    u32 none = 0;
    for (std::size_t i = 0; i < m; ++i) {
      const bool moves = i < used && is_inside(order[i], n);
      none += i < used && !moves;
      const T& expected = moves ? items[static_cast<std::size_t>(order[i])] : dirty[i];
      REQUIRE(std::memcmp(&found[i], &expected, sizeof(T)) == 0);
    }
    CHECK(value_at(outside) == none);
  }
  // Each place once: back to where they were.
  std::vector<Index> places_of(n);
  for (std::size_t i = 0; i < n; ++i) places_of[i] = static_cast<Index>((i * 7 + 3) % (n == 0 ? 1 : n));
  if (n % 7 == 0) return;
  const guarded<Index> targets(places_of);
  const guarded<T> to(n > 2 ? n - 2 : n);
  const auto dirty = to.read();
  run(0, [&](ballot_exec gpu) {
    return ballot_scatter(gpu, in(from, BALLOT_BYTES(sizeof(T))), in(targets), out(to, BALLOT_BYTES(sizeof(T))),
                          out(outside));
  });
  std::vector<T> expected = dirty;
  u32 none = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (static_cast<std::size_t>(places_of[i]) < expected.size())
      expected[static_cast<std::size_t>(places_of[i])] = items[i];
    else ++none;
  }
  CHECK(same_bits(to.read(), expected));
  CHECK(value_at(outside) == none);
}

TEST_CASE("gather and scatter") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{3001}})
    for (const bool is_counted : {false, true}) {
      check_moves<u8, u32>(n, 100, is_counted);
      check_moves<u16, i32>(n, 2000, is_counted);
      check_moves<u32, u64>(n, 2000, is_counted);
      check_moves<u64, i64>(n, 2000, is_counted);
      check_moves<u128, u32>(n, 0, is_counted);
      check_moves<u128, u32>(n, 500, is_counted);
      check_moves<point, i32>(n, 500, is_counted);
      check_moves<std::array<u32, 3>, u64>(n, 500, is_counted);
      check_moves<std::array<u8, 4>, u32>(n, 500, is_counted, 1);
    }
}

}  // namespace tables
}  // namespace ballot::test::c
