// SPDX-License-Identifier: Apache-2.0
// The C library's selections of several columns, of flags counted and copied, and as positions.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/selections.hpp"

namespace ballot::test::c {
namespace selected_columns {

TEST_CASE("selections of several columns") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{500}, std::size_t{9001}}) {
    const auto keys = random_items<i32>(n, 1, 10);
    const auto points = random_items<point>(n, 2);
    const auto bytes = random_items<u8>(n, 3);
    guarded<i32> from_keys(keys);
    guarded<point> from_points(points);
    guarded<u8> from_bytes(bytes);
    const guarded<i32> to_keys(n), rejected_keys(n);
    const guarded<point> to_points(n), rejected_points(n);
    const guarded<u8> to_bytes(n), rejected_bytes(n);
    const guarded<u32> to_positions(n), rejected_positions(n), count(1);
    const ballot_array sources[] = {in(from_keys), in(from_points), in(from_bytes),
                                    ballot_input(nullptr, n, BALLOT_POSITIONS_U32)};
    const ballot_array targets[] = {out(to_keys), out(to_points), out(to_bytes), out(to_positions)};
    const ballot_array rejects[] = {out(rejected_keys), out(rejected_points), out(rejected_bytes),
                                    out(rejected_positions)};
    const std::vector<ballot_type> types{BALLOT_I32, code<point>, BALLOT_U8, BALLOT_POSITIONS_U32};
    const i32 limit = 4;
    const ballot_selector select = ballot_where(BALLOT_LESS, &limit);
    std::vector<bool> flags(n);
    std::vector<u32> positions(n);
    for (std::size_t i = 0; i < n; ++i) {
      flags[i] = keys[i] < limit;
      positions[i] = static_cast<u32>(i);
    }
    const auto expected_keys = serial_split(keys, flags, n);
    const auto expected_points = serial_split(points, flags, n);
    const auto expected_bytes = serial_split(bytes, flags, n);
    const auto expected_positions = serial_split(positions, flags, n);
    const std::size_t kept = expected_keys.selected.size(), rest = n - kept;

    run(selection_size(ballot_compact_scratch_bytes, types, n),
        [&](ballot_exec gpu) { return ballot_compact(gpu, 4, sources, select, targets, out(count)); });
    CHECK(value_at(count) == kept);
    CHECK(first_of(to_keys.read(), kept) == expected_keys.selected);
    CHECK(same_bits(first_of(to_points.read(), kept), expected_points.selected));
    CHECK(first_of(to_bytes.read(), kept) == expected_bytes.selected);
    CHECK(first_of(to_positions.read(), kept) == expected_positions.selected);

    run(selection_size(ballot_split_scratch_bytes, types, n),
        [&](ballot_exec gpu) { return ballot_split(gpu, 4, sources, select, targets, out(count)); });
    CHECK(to_keys.read() == joined_halves(expected_keys));
    CHECK(same_bits(to_points.read(), joined_halves(expected_points)));
    CHECK(to_bytes.read() == joined_halves(expected_bytes));
    CHECK(to_positions.read() == joined_halves(expected_positions));

    run(selection_size(ballot_split_scratch_bytes, types, n),
        [&](ballot_exec gpu) { return ballot_split_in_two(gpu, 4, sources, select, targets, rejects, out(count)); });
    CHECK(first_of(rejected_keys.read(), rest) == expected_keys.rejected);
    CHECK(same_bits(first_of(rejected_points.read(), rest), expected_points.rejected));
    CHECK(first_of(rejected_bytes.read(), rest) == expected_bytes.rejected);
    CHECK(first_of(rejected_positions.read(), rest) == expected_positions.rejected);
    CHECK(same_bits(first_of(to_points.read(), kept), expected_points.selected));

    run(selection_size(ballot_compact_in_place_scratch_bytes, {BALLOT_I32, code<point>, BALLOT_U8}, n),
        [&](ballot_exec) { return BALLOT_OK; });
    const guarded<std::byte> scratch(
        selection_size(ballot_compact_in_place_scratch_bytes, {BALLOT_I32, code<point>, BALLOT_U8}, n));
    ok(ballot_compact_in_place(ballot_on(test_stream(), scratch.data(), scratch.size()), 3, sources, select,
                               out(count)));
    CHECK(first_of(from_keys.read(), kept) == expected_keys.selected);
    CHECK(same_bits(first_of(from_points.read(), kept), expected_points.selected));
    CHECK(first_of(from_bytes.read(), kept) == expected_bytes.selected);

    from_keys.write(keys), from_points.write(points), from_bytes.write(bytes);
    const guarded<std::byte> scratch_of_split(
        selection_size(ballot_split_in_place_scratch_bytes, {BALLOT_I32, code<point>, BALLOT_U8}, n));
    ok(ballot_split_in_place(ballot_on(test_stream(), scratch_of_split.data(), scratch_of_split.size()), 3, sources,
                             select, out(count)));
    CHECK(value_at(count) == kept);
    CHECK(from_keys.read() == joined_halves(expected_keys));
    CHECK(same_bits(from_points.read(), joined_halves(expected_points)));
    CHECK(from_bytes.read() == joined_halves(expected_bytes));
  }
}

TEST_CASE("flags counted, copied and as positions") {
  const std::size_t n = 4001;
  std::vector<u8> bytes(n);
  std::vector<u32> bits((n + 31) / 32);
  for (std::size_t i = 0; i < n; ++i) {
    bytes[i] = i % 7 == 2 || i % 5 == 1 ? 9 : 0;
    bits[i / 32] |= u32{bytes[i] != 0} << (i % 32);
  }
  const guarded<u8> byte_array(bytes);
  const guarded<u32> bit_array(bits), words(bits.size());
  const ballot_array positions = ballot_input(nullptr, n, BALLOT_POSITIONS_U32);
  const guarded<i64> count(1), indices(n);
  for (const bool by_bits : {false, true})
    for (const bool invert : {false, true}) {
      ballot_selector select = by_bits ? ballot_by_bits(in(bit_array)) : ballot_by_bytes(in(byte_array));
      select.invert = invert;
      std::vector<i64> expected;
      for (std::size_t i = 0; i < n; ++i)
        if ((bytes[i] != 0) != invert) expected.push_back(static_cast<i64>(i));
      const ballot_exec gpu = ballot_on(test_stream(), nullptr, 0);
      ok(ballot_count_if(gpu, positions, select, out(count)));
      CHECK(value_at(count) == static_cast<i64>(expected.size()));
      ok(ballot_flag_bits(gpu, positions, select, out(words)));
      const auto copied = words.read();
      for (std::size_t i = 0; i < n; ++i) REQUIRE((copied[i / 32] >> (i % 32) & 1u) == u32{(bytes[i] != 0) != invert});
      run(bytes_of([&](std::size_t* b) { return ballot_compact_indices_scratch_bytes(BALLOT_I64, n, b); }),
          [&](ballot_exec where) {
            return ballot_compact_indices(where, positions, select, out(indices), out(count));
          });
      CHECK(first_of(indices.read(), expected.size()) == expected);
    }
}

}  // namespace selected_columns
}  // namespace ballot::test::c
