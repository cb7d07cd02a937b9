// SPDX-License-Identifier: Apache-2.0
// The C library's sorts, against std::stable_sort.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/sort_reference.hpp"
#include "c/support.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace ballot::test::c {
namespace sorts {

template <class T, class V>
void check_sorts(std::size_t n, const ballot_sort_options& options, std::size_t shift = 0, bool is_counted = false) {
  CAPTURE(code<T>);
  CAPTURE(sizeof(V));
  CAPTURE(n);
  CAPTURE(options.low_bit);
  CAPTURE(options.high_bit);
  const auto keys = sort_keys<T>(n);
  const auto values = random_items<V>(n, 5);
  const std::size_t used = is_counted ? n / 2 : n;
  auto order = order_of(keys, options, 0, used);
  const guarded<T> from(keys), to(n);
  const guarded<V> from_values(values, shift), to_values(n, shift);
  const guarded<u32> length(std::vector<u32>{static_cast<u32>(used)});
  const ballot_array source = is_counted ? counted(from, length) : in(from);
  const auto part = [&](const auto& items) { return first_of(items, used); };
  const auto sorted = gathered(keys, order);
  const auto moved = gathered(values, order);

  run(bytes_of([&](std::size_t* b) { return ballot_sort_scratch_bytes(code<T>, n, b); }),
      [&](ballot_exec gpu) { return ballot_sort(gpu, source, out(to), &options); });
  CHECK(same_bits(part(to.read()), part(sorted)));
  const std::size_t pair_bytes =
      bytes_of([&](std::size_t* b) { return ballot_sort_pairs_scratch_bytes(code<T>, code<V>, n, b); });
  run(pair_bytes, [&](ballot_exec gpu) {
    return ballot_sort_pairs(gpu, source, in(from_values), out(to), out(to_values), &options);
  });
  CHECK(same_bits(part(to.read()), part(sorted)));
  CHECK(same_bits(part(to_values.read()), part(moved)));
  {
    guarded<T> data(keys);
    const guarded<std::byte> scratch(
        bytes_of([&](std::size_t* b) { return ballot_sort_scratch_bytes(code<T>, n, b); }));
    const ballot_array changed = is_counted ? counted(data, length) : in(data);
    ok(ballot_sort_in_place(ballot_on(test_stream(), scratch.data(), scratch.size()), changed, &options));
    CHECK(same_bits(data.read(), sorted));
    scratch.read();
  }
  {
    guarded<T> data(keys);
    guarded<V> moving(values, shift);
    const guarded<std::byte> scratch(pair_bytes);
    const ballot_array changed = is_counted ? counted(data, length) : in(data);
    ok(ballot_sort_pairs_in_place(ballot_on(test_stream(), scratch.data(), scratch.size()), changed, in(moving),
                                  &options));
    CHECK(same_bits(data.read(), sorted));
    CHECK(same_bits(part(moving.read()), part(moved)));
    scratch.read();
  }
  for (const bool wants_keys : {false, true}) {
    const guarded<u32> narrow(n);
    const guarded<i64> wide(n);
    for (const bool is_wide : {false, true}) {
      const ballot_array indices = is_wide ? out(wide) : out(narrow);
      run(bytes_of([&](std::size_t* b) { return ballot_argsort_scratch_bytes(code<T>, indices.type, n, b); }),
          [&](ballot_exec gpu) {
            return ballot_argsort(gpu, source, wants_keys ? out(to) : ballot_nothing(), indices, &options);
          });
      if (wants_keys) CHECK(same_bits(part(to.read()), part(sorted)));
      const auto one = narrow.read();
      const auto two = wide.read();
      bool is_right = true;
      for (std::size_t i = 0; i < used; ++i)
        is_right &= (is_wide ? static_cast<std::size_t>(two[i]) : one[i]) == order[i];
      CHECK(is_right);
    }
  }
}

// Between two buffers; used: the counted keys, of n.
template <class T, class V>
void check_ping_pong(std::size_t n, const ballot_sort_options& options, std::size_t used) {
  CAPTURE(code<T>);
  CAPTURE(n);
  CAPTURE(options.low_bit);
  CAPTURE(options.high_bit);
  const auto keys = sort_keys<T>(n);
  const auto values = random_items<V>(n, 6);
  const auto order = order_of(keys, options, 0, used);
  const auto part = [&](const auto& items) { return first_of(items, used); };
  const guarded<u32> length(std::vector<u32>{static_cast<u32>(used)});
  guarded<T> a(keys);
  const guarded<T> b(n);
  const guarded<V> values_a(values), values_b(n);
  const ballot_array first = used == n ? in(a) : counted(a, length);
  const int bits = (options.high_bit == 0 ? static_cast<int>(8 * sizeof(T)) : options.high_bit) - options.low_bit;
  const int expected = (bits + 7) / 8 % 2;
  std::int32_t at = -1;
  const auto scratch_of = [&](ballot_type of_values) {
    return bytes_of(
        [&](std::size_t* bytes) { return ballot_sort_ping_pong_scratch_bytes(code<T>, of_values, n, bytes); });
  };
  const auto whole = [&](std::size_t bytes, const auto& call) {  // once: the sort changes its input
    const guarded<std::byte> scratch(bytes);
    ok(call(ballot_on(test_stream(), scratch.data(), scratch.size())));
    scratch.read();
  };
  whole(scratch_of(BALLOT_NONE),
        [&](ballot_exec gpu) { return ballot_sort_ping_pong(gpu, first, out(b), &at, &options); });
  CHECK(at == expected);
  CHECK(same_bits(part((at == 0 ? a : b).read()), part(gathered(keys, order))));
  a.write(keys);
  whole(scratch_of(code<V>), [&](ballot_exec gpu) {
    return ballot_sort_pairs_ping_pong(gpu, first, in(values_a), out(b), out(values_b), &at, &options);
  });
  CHECK(at == expected);
  CHECK(same_bits(part((at == 0 ? a : b).read()), part(gathered(keys, order))));
  CHECK(same_bits(part((at == 0 ? values_a : values_b).read()), part(gathered(values, order))));
}

TEST_CASE("sorts between two buffers: the result is where the number of digits says") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{900}, std::size_t{6001}}) {
    check_ping_pong<i32, u32>(n, options_of(BALLOT_ASCENDING), n);
    check_ping_pong<u8, double>(n, options_of(BALLOT_DESCENDING), n);
    check_ping_pong<double, float>(n, options_of(BALLOT_DESCENDING, BALLOT_NANS_FIRST), n);
    check_ping_pong<i128, u64>(n, options_of(BALLOT_ASCENDING), n);
  }
  check_ping_pong<u32, u32>(40'000, options_of(BALLOT_ASCENDING), 40'000);
  check_ping_pong<u32, u64>(6000, options_of(BALLOT_ASCENDING, 0, 2, 20), 6000);  // three digits
  check_ping_pong<u32, u32>(6000, options_of(BALLOT_ASCENDING, 0, 7, 7), 6000);   // nothing is compared
  check_ping_pong<u32, u32>(6000, options_of(BALLOT_DESCENDING, 0, 0, 24), 2500);
  check_ping_pong<float, u32>(6000, options_of(BALLOT_ASCENDING, 0, 0, 0, BALLOT_ZEROS_EQUAL), 6000);
}

using colour = std::array<u8, 3>;
using point = std::array<float, 3>;
using pair = std::array<u8, 8>;
using record = std::array<u64, 5>;

TEST_CASE("sorts of all widths, with values of all sizes") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{900}, std::size_t{6001}}) {
    check_sorts<i32, u32>(n, options_of(BALLOT_ASCENDING));
    check_sorts<float, u64>(n, options_of(BALLOT_DESCENDING));
    check_sorts<u8, point>(n, options_of(BALLOT_DESCENDING));
    check_sorts<i16, u16>(n, options_of(BALLOT_ASCENDING));
    check_sorts<double, colour>(n, options_of(BALLOT_ASCENDING, BALLOT_NANS_FIRST));
    check_sorts<i64, record>(n, options_of(BALLOT_DESCENDING));
    check_sorts<i128, u8>(n, options_of(BALLOT_ASCENDING));
    check_sorts<float, double>(n, options_of(BALLOT_ASCENDING, BALLOT_NANS_BY_BITS));
  }
  check_sorts<u32, u32>(40'000, options_of(BALLOT_ASCENDING));  // by leading bits
}

TEST_CASE("sorts by bits, of counted keys, and of values anywhere") {
  check_sorts<u32, u32>(6000, options_of(BALLOT_ASCENDING, 0, 2, 9));
  check_sorts<u32, u32>(6000, options_of(BALLOT_ASCENDING, 0, 5));
  check_sorts<i32, point>(6000, options_of(BALLOT_ASCENDING, 0, 7, 7));  // nothing is compared
  check_sorts<u64, colour>(6000, options_of(BALLOT_DESCENDING, 0, 0, 10));
  check_sorts<i32, u32>(5000, options_of(BALLOT_ASCENDING), 0, true);
  check_sorts<u8, record>(5000, options_of(BALLOT_ASCENDING), 0, true);
  check_sorts<u16, colour>(12'000, options_of(BALLOT_ASCENDING), 0, true);
  check_sorts<i32, point>(5000, options_of(BALLOT_ASCENDING, 0, 7, 7), 0, true);
  check_sorts<i32, pair>(5000, options_of(BALLOT_ASCENDING), 1);  // at a word's address and elsewhere
  check_sorts<i32, pair>(5000, options_of(BALLOT_ASCENDING));
}

TEST_CASE("sorts to which -0 and +0 are equal") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{900}, std::size_t{6001}}) {
    check_sorts<float, u32>(n, options_of(BALLOT_ASCENDING, 0, 0, 0, BALLOT_ZEROS_EQUAL));
    check_sorts<double, u64>(n, options_of(BALLOT_DESCENDING, 0, 0, 0, BALLOT_ZEROS_EQUAL));
    check_sorts<float, point>(n, options_of(BALLOT_DESCENDING, BALLOT_NANS_FIRST, 0, 0, BALLOT_ZEROS_EQUAL));
  }
  check_sorts<float, u64>(6000, options_of(BALLOT_ASCENDING, BALLOT_NANS_BY_BITS, 3, 31, BALLOT_ZEROS_EQUAL));
  check_sorts<float, u32>(40'000, options_of(BALLOT_ASCENDING, 0, 0, 0, BALLOT_ZEROS_EQUAL));
  check_sorts<double, colour>(5000, options_of(BALLOT_ASCENDING, 0, 0, 0, BALLOT_ZEROS_EQUAL), 0, true);
  check_sorts<i32, u32>(6000, options_of(BALLOT_ASCENDING, 0, 0, 0, BALLOT_ZEROS_EQUAL));  // changes nothing
}

TEST_CASE("of 16-bit floats, too, -0 and +0 may be equal") {
  const std::size_t n = 3000;
  for (const ballot_type type : {BALLOT_F16, BALLOT_BF16}) {
    std::vector<u16> keys(n);
    for (std::size_t i = 0; i < n; ++i)
      keys[i] = static_cast<u16>(i % 3 == 0 ? 0x8000 : i % 3 == 1 ? 0 : 0x3c00 + i % 5);
    const guarded<u16> from(keys), to(n);
    const guarded<u32> indices(n);
    const ballot_sort_options options = options_of(BALLOT_DESCENDING, 0, 0, 0, BALLOT_ZEROS_EQUAL);
    run(bytes_of([&](std::size_t* b) { return ballot_argsort_scratch_bytes(type, BALLOT_U32, n, b); }),
        [&](ballot_exec gpu) { return ballot_argsort(gpu, in(from, type), out(to, type), out(indices), &options); });
    std::vector<u32> order(n);
    std::iota(order.begin(), order.end(), 0u);
    const auto magnitude = [&](u32 i) { return keys[i] & 0x7fff; };  // no number is negative
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return magnitude(a) > magnitude(b); });
    CHECK(indices.read() == order);
    const auto found = to.read();
    for (std::size_t i = 0; i < n; ++i) REQUIRE(found[i] == keys[order[i]]);
  }
}

TEST_CASE("keys of 16-bit floats") {
  const std::size_t n = 5000;
  for (const auto& [type, mantissa_bits] : {std::pair{BALLOT_F16, 10}, std::pair{BALLOT_BF16, 7}}) {
    const auto keys = random_items<u16>(n, 1);
    const guarded<u16> from(keys), to(n);
    run(bytes_of([&](std::size_t* b) { return ballot_sort_scratch_bytes(type, n, b); }), [&](ballot_exec gpu) {
      return ballot_sort(gpu, in(from, static_cast<ballot_type>(type)), out(to, static_cast<ballot_type>(type)),
                         nullptr);
    });
    const u16 infinity = static_cast<u16>(0x7fff & ~((1 << mantissa_bits) - 1));
    // NaNs last; else negative numbers by falling bits, then the others.
    const auto rank = [infinity](u16 bits) {
      const int magnitude = bits & 0x7fff;
      if (magnitude > infinity) return 0x10000;
      return bits >> 15 != 0 ? -magnitude - 1 : magnitude;
    };
    const auto found = to.read();
    CHECK(std::is_sorted(found.begin(), found.end(), [&](u16 a, u16 b) { return rank(a) < rank(b); }));
    auto one = keys, two = found;
    std::sort(one.begin(), one.end());
    std::sort(two.begin(), two.end());
    CHECK(one == two);
  }
}

template <class T, class V, class Offset>
void check_segmented(std::size_t n, int direction, std::size_t shift = 0, int zeros = BALLOT_ZEROS_APART) {
  CAPTURE(code<T>);
  CAPTURE(sizeof(V));
  CAPTURE(n);
  const auto keys = sort_keys<T>(n);
  const auto values = random_items<V>(n, 5);
  std::vector<Offset> offsets{0};
  std::mt19937 random(static_cast<unsigned>(n) + 1);
  while (static_cast<std::size_t>(offsets.back()) < n)
    offsets.push_back(
        static_cast<Offset>(std::min<std::size_t>(n, static_cast<std::size_t>(offsets.back()) + random() % 700)));
  const ballot_sort_options options = options_of(direction, 0, 0, 0, zeros);
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto one =
        order_of(keys, options, static_cast<std::size_t>(offsets[s]), static_cast<std::size_t>(offsets[s + 1]));
    order.insert(order.end(), one.begin(), one.end());
  }
  const guarded<T> from(keys), to(n);
  const guarded<V> from_values(values, shift), to_values(n, shift);
  const guarded<Offset> begins(offsets);
  const auto bytes = [&](ballot_type values_type) {
    return bytes_of([&](std::size_t* b) { return ballot_segmented_sort_scratch_bytes(code<T>, values_type, n, b); });
  };
  run(bytes(BALLOT_NONE),
      [&](ballot_exec gpu) { return ballot_segmented_sort(gpu, in(from), in(begins), out(to), &options); });
  CHECK(same_bits(to.read(), gathered(keys, order)));
  run(bytes(code<V>), [&](ballot_exec gpu) {
    return ballot_segmented_sort_pairs(gpu, in(from), in(from_values), in(begins), out(to), out(to_values), &options);
  });
  CHECK(same_bits(to.read(), gathered(keys, order)));
  CHECK(same_bits(to_values.read(), gathered(values, order)));
  for (const bool wants_keys : {false, true}) {
    const guarded<i32> indices(n);
    run(bytes(BALLOT_I32), [&](ballot_exec gpu) {
      return ballot_segmented_argsort(gpu, in(from), in(begins), wants_keys ? out(to) : ballot_nothing(), out(indices),
                                      &options);
    });
    const auto found = indices.read();
    for (std::size_t i = 0; i < n; ++i) REQUIRE(static_cast<std::size_t>(found[i]) == order[i]);
  }

  // Between two buffers. The second time nothing is compared, and items stay.
  ballot_sort_options none = options;
  none.low_bit = none.high_bit = 3;
  for (const ballot_sort_options* by : {&options, static_cast<const ballot_sort_options*>(&none)}) {
    const guarded<T> a(keys), b(n);
    const guarded<V> values_a(values, shift), values_b(n, shift);
    const int expected = n == 0 || by == &none ? 0 : 1;
    const auto sorted = expected == 0 ? keys : gathered(keys, order);
    const auto sorted_values = expected == 0 ? values : gathered(values, order);
    std::int32_t at = -1;
    run(bytes(BALLOT_NONE),
        [&](ballot_exec gpu) { return ballot_segmented_sort_ping_pong(gpu, in(a), in(begins), out(b), &at, by); });
    CHECK(at == expected);
    CHECK(same_bits((at == 0 ? a : b).read(), sorted));
    at = -1;
    run(bytes(code<V>), [&](ballot_exec gpu) {
      return ballot_segmented_sort_pairs_ping_pong(gpu, in(a), in(values_a), in(begins), out(b), out(values_b), &at,
                                                   by);
    });
    CHECK(at == expected);
    CHECK(same_bits((at == 0 ? a : b).read(), sorted));
    CHECK(same_bits((at == 0 ? values_a : values_b).read(), sorted_values));
  }
}

TEST_CASE("sorts within segments") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{900}, std::size_t{7001}}) {
    check_segmented<i32, u32, i32>(n, BALLOT_ASCENDING);
    check_segmented<float, u64, i64>(n, BALLOT_DESCENDING);
    check_segmented<u8, colour, u32>(n, BALLOT_ASCENDING);
    check_segmented<i16, u16, u64>(n, BALLOT_DESCENDING);
    check_segmented<double, point, i32>(n, BALLOT_ASCENDING);
    check_segmented<i32, pair, u32>(n, BALLOT_ASCENDING, 1);
    check_segmented<float, u32, u32>(n, BALLOT_ASCENDING, 0, BALLOT_ZEROS_EQUAL);
    check_segmented<double, colour, i64>(n, BALLOT_DESCENDING, 0, BALLOT_ZEROS_EQUAL);
  }
}

}  // namespace sorts
}  // namespace ballot::test::c
