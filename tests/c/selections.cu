// SPDX-License-Identifier: Apache-2.0
// The C library's selections of one column, against loops: by flags and by comparisons, of words,
// of other sizes and addresses.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/selections.hpp"

namespace ballot::test::c {
namespace selections {

// Whether a compares so with b.
template <class T>
bool compares(T a, ballot_comparison how, T b) {
  switch (how) {
    case BALLOT_EQUAL:
      return a == b;
    case BALLOT_NOT_EQUAL:
      return a != b;
    case BALLOT_LESS:
      return a < b;
    case BALLOT_LESS_EQUAL:
      return a <= b;
    case BALLOT_GREATER:
      return a > b;
    default:
      return a >= b;
  }
}

// Every selection of one column, n of its items, by one selector. shift: of the addresses.
template <class T>
void check_column(const std::vector<T>& items, const guarded<T>& from, ballot_selector select,
                  const std::vector<bool>& flags, std::size_t n, const guarded<u32>* count_of_items,
                  std::size_t shift) {
  const std::size_t capacity = items.size();
  const auto expected = serial_split(items, flags, n);
  const std::vector<ballot_type> types{code<T>};
  const ballot_array source = count_of_items != nullptr ? counted(from, *count_of_items) : in(from);
  const guarded<u32> count(1);
  const ballot_array count_out = ballot_value(count.data(), BALLOT_U32);

  {
    const guarded<T> to(capacity, shift);
    const ballot_array target = out(to);
    run(selection_size(ballot_compact_scratch_bytes, types, capacity),
        [&](ballot_exec gpu) { return ballot_compact(gpu, 1, &source, select, &target, count_out); });
    CHECK(value_at(count) == expected.selected.size());
    CHECK(same_bits(first_of(to.read(), expected.selected.size()), expected.selected));
  }
  {
    const guarded<T> to(capacity / 3, shift);  // shorter than needed
    const ballot_array target = out(to);
    run(selection_size(ballot_compact_scratch_bytes, types, capacity),
        [&](ballot_exec gpu) { return ballot_compact(gpu, 1, &source, select, &target, count_out); });
    CHECK(value_at(count) == expected.selected.size());
    const std::size_t fits = std::min(to.size(), expected.selected.size());
    CHECK(same_bits(first_of(to.read(), fits), first_of(expected.selected, fits)));
  }
  {
    const guarded<T> to(capacity, shift);
    const ballot_array target = out(to);
    run(selection_size(ballot_split_scratch_bytes, types, capacity),
        [&](ballot_exec gpu) { return ballot_split(gpu, 1, &source, select, &target, count_out); });
    CHECK(value_at(count) == expected.selected.size());
    CHECK(same_bits(first_of(to.read(), n), joined_halves(expected)));
  }
  {
    const guarded<T> kept(capacity, shift), rest(capacity, shift);
    const ballot_array selected = out(kept), rejected = out(rest);
    run(selection_size(ballot_split_scratch_bytes, types, capacity),
        [&](ballot_exec gpu) { return ballot_split_in_two(gpu, 1, &source, select, &selected, &rejected, count_out); });
    CHECK(value_at(count) == expected.selected.size());
    CHECK(same_bits(first_of(kept.read(), expected.selected.size()), expected.selected));
    CHECK(same_bits(first_of(rest.read(), expected.rejected.size()), expected.rejected));
  }
  {
    const std::size_t bytes = selection_size(ballot_compact_in_place_scratch_bytes, types, capacity);
    const guarded<std::byte> scratch(bytes);
    guarded<T> data(items, shift);
    if (select.kind == BALLOT_BY_COMPARISON && select.array.type == BALLOT_NONE) select.array = ballot_nothing();
    const ballot_array changed = count_of_items != nullptr ? counted(data, *count_of_items) : in(data);
    ok(ballot_compact_in_place(ballot_on(test_stream(), scratch.data(), scratch.size()), 1, &changed, select,
                               count_out));
    CHECK(value_at(count) == expected.selected.size());
    CHECK(same_bits(first_of(data.read(), expected.selected.size()), expected.selected));
    scratch.read();
  }
  {
    const std::size_t bytes = selection_size(ballot_split_in_place_scratch_bytes, types, capacity);
    const guarded<std::byte> scratch(bytes);
    guarded<T> data(items, shift);
    if (select.kind == BALLOT_BY_COMPARISON && select.array.type == BALLOT_NONE) select.array = ballot_nothing();
    const ballot_array changed = count_of_items != nullptr ? counted(data, *count_of_items) : in(data);
    ok(ballot_split_in_place(ballot_on(test_stream(), scratch.data(), scratch.size()), 1, &changed, select, count_out));
    CHECK(value_at(count) == expected.selected.size());
    auto split = joined_halves(expected);
    split.insert(split.end(), items.begin() + static_cast<std::ptrdiff_t>(split.size()), items.end());
    CHECK(same_bits(data.read(), split));  // items behind the count as they were
    scratch.read();
  }
}

// By bytes, by bits, inverted, counted; of any items.
template <class T>
void check_by_flags(std::size_t n, std::size_t shift = 0) {
  CAPTURE(sizeof(T));
  CAPTURE(n);
  CAPTURE(shift);
  const auto items = random_items<T>(n, 3);
  std::vector<bool> flags(n);
  std::vector<u8> bytes(n);
  std::vector<u32> bits((n + 31) / 32);
  std::mt19937 random(static_cast<unsigned>(n));
  for (std::size_t i = 0; i < n; ++i) {
    flags[i] = i / 100 % 3 != 1 && random() % 3 == 0;
    bytes[i] = flags[i] ? static_cast<u8>(1 + random() % 255) : u8{0};
    bits[i / 32] |= u32{flags[i]} << (i % 32);
  }
  const guarded<T> from(items, shift);
  const guarded<u8> byte_array(bytes);
  const guarded<u32> bit_array(bits);
  std::vector<bool> others = flags;
  others.flip();
  const std::size_t part = n / 3;
  const guarded<u32> count(std::vector<u32>{static_cast<u32>(part)});
  for (const bool by_bits : {false, true}) {
    ballot_selector select = by_bits ? ballot_by_bits(in(bit_array)) : ballot_by_bytes(in(byte_array));
    check_column(items, from, select, flags, n, nullptr, shift);
    check_column(items, from, select, flags, part, &count, shift);
    select.invert = 1;
    check_column(items, from, select, others, n, nullptr, shift);
  }
}

template <class T>
void check_by_comparison(std::size_t n) {
  CAPTURE(code<T>);
  CAPTURE(n);
  const auto items = std::is_floating_point_v<T> ? special_items<T>(n) : random_items<T>(n, 3, 6);
  const guarded<T> from(items);
  std::vector<T> limits{T(2)};
  if constexpr (std::is_floating_point_v<T>)
    limits.insert(limits.end(), {T(-0.0), std::numeric_limits<T>::quiet_NaN()});
  else if constexpr (T(-1) < T(0)) limits.push_back(T(-1));
  for (const T& limit : limits)
    for (ballot_comparison how = 0; how < 6; ++how) {
      CAPTURE(how);
      std::vector<bool> flags(n), others(n);
      for (std::size_t i = 0; i < n; ++i) flags[i] = compares(items[i], how, limit);
      const guarded<T> on_device(std::vector<T>{limit});
      for (const bool device : {false, true}) {
        ballot_selector select = ballot_where(how, device ? on_device.data() : &limit);
        select.value_on_device = device;
        check_column(items, from, select, flags, n, nullptr, 0);
      }
      others = flags;
      others.flip();
      ballot_selector inverted = ballot_where(how, &limit);
      inverted.invert = 1;
      check_column(items, from, inverted, others, n, nullptr, 0);
      // Another column by a comparison of this one.
      const auto colours = random_items<u16>(n, 8);
      const guarded<u16> coloured(colours);
      check_column(colours, coloured, ballot_where_array(in(from), how, &limit), flags, n, nullptr, 0);

      const guarded<u64> count(1);
      const guarded<u32> words((n + 31) / 32);
      ok(ballot_count_if(ballot_on(test_stream(), nullptr, 0), in(from), ballot_where(how, &limit), out(count)));
      ok(ballot_flag_bits(ballot_on(test_stream(), nullptr, 0), in(from), ballot_where(how, &limit), out(words)));
      const auto bits = words.read();
      u64 set = 0;
      for (std::size_t i = 0; i < n; ++i) {
        REQUIRE((bits[i / 32] >> (i % 32) & 1u) == u32{flags[i]});
        set += flags[i];
      }
      CHECK(value_at(count) == set);
      for (const ballot_type type : {BALLOT_I32, BALLOT_U64}) {
        const guarded<u64> indices(n);  // room for either
        const guarded<i32> selected(1);
        run(bytes_of([&](std::size_t* b) { return ballot_compact_indices_scratch_bytes(type, n, b); }),
            [&](ballot_exec gpu) {
              return ballot_compact_indices(gpu, in(from), ballot_where(how, &limit),
                                            ballot_output(indices.data(), n, type), out(selected));
            });
        const auto found = indices.read();
        std::size_t at = 0;
        for (std::size_t i = 0; i < n; ++i) {
          if (!flags[i]) continue;
          u32 narrow = 0;
          std::memcpy(&narrow, reinterpret_cast<const char*>(found.data()) + 4 * at, 4);
          REQUIRE((type == BALLOT_I32 ? narrow : found[at]) == i);
          ++at;
        }
        CHECK(value_at(selected) == static_cast<i32>(at));
      }
    }
}

TEST_CASE("selections by flags") {
  for (const std::size_t n : sizes) {
    check_by_flags<u32>(n);
    check_by_flags<point>(n);
    if (n > 5000) continue;
    check_by_flags<u8>(n);
    check_by_flags<u16>(n);
    check_by_flags<u64>(n);
    check_by_flags<u128>(n);
    check_by_flags<colour>(n);
    check_by_flags<record>(n);
  }
  using pair = std::array<u8, 4>;  // a word's size, anywhere
  check_by_flags<pair>(1000, 0);
  using bytes8 = std::array<u8, 8>;
  check_by_flags<bytes8>(1000, 1);
}

TEST_CASE("items of a word's size at other addresses") {
  const std::size_t n = 3000;
  std::vector<u8> bytes = random_items<u8>(8 * n + 3, 4), flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = i % 3 == 0;
  const guarded<u8> from(bytes), to(8 * n + 5), set(flags);
  const guarded<u32> count(1);
  const ballot_type type = BALLOT_BYTES(8);
  const ballot_array source = ballot_input(from.data() + 3, n, type), target = ballot_output(to.data() + 5, n, type);
  run(selection_size(ballot_compact_scratch_bytes, {type}, n),
      [&](ballot_exec gpu) { return ballot_compact(gpu, 1, &source, ballot_by_bytes(in(set)), &target, out(count)); });
  const auto found = to.read();
  for (std::size_t i = 0; i < n; i += 3)
    for (std::size_t b = 0; b < 8; ++b) REQUIRE(found[5 + 8 * (i / 3) + b] == bytes[3 + 8 * i + b]);
}

TEST_CASE("selections by comparisons") {
  check_by_comparison<i32>(2000);
  check_by_comparison<float>(2000);
  check_by_comparison<u8>(300);
  check_by_comparison<i16>(300);
  check_by_comparison<double>(300);
  check_by_comparison<i64>(300);
  check_by_comparison<i128>(300);
  check_by_comparison<u32>(0);
}

}  // namespace selections
}  // namespace ballot::test::c
