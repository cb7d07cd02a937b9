// SPDX-License-Identifier: Apache-2.0
// Random compactions and splits within one array, of a length on the device.
#include <ballot/compact.cuh>
#include <ballot/flag_bits.cuh>
#include <ballot/split_in_place.cuh>

#include "stress/checks.hpp"
#include "stress/flag_draws.cuh"

namespace ballot::test {
namespace {

template <class T>
void check_in_place_of(draws& draw, const exec& where, u64 n) {
  const placed<T> in = drawn_items<T>(draw, n);
  const u64 there = draw.yes() ? n : draw.below(n + 1);
  CAPTURE(there);
  placed<T> items(n, draw.shift()), want(n), want_rest(n);
  peer::copy(in.data(), n, items.data());
  const keeps keep(draw);
  placed<u8> flags(n, draw.shift());
  peer::make_items(flags.data(), n, flag_of<T>{in.data(), keep});
  const u64 kept = peer::stable_partition(in.data(), there, flags.data(), want.data(), want_rest.data());
  device_value<u64> count(test_stream()), length(test_stream());
  length.write(test_stream(), there);

  const auto way = draw.below(4);
  CAPTURE(way);
  const byte_flags by_bytes{{flags.data(), flags.size()}};
  const counted now{items, length};
  if (way == 0) compact_in_place(where, now, keep, count);
  else if (way == 1) compact_in_place(where, now, by_bytes, count);
  else if (way == 2) split_in_place(where, now, keep, count);
  else {
    device_array<u32> words((n + 31) / 32, test_stream());
    flag_bits(where, in, keep, words);
    split_in_place(where, now, bit_flags{{words.data(), words.size()}}, count);
  }
  REQUIRE(count.read(test_stream()) == kept);
  CHECK(equal_items(items.data(), want.data(), kept));
  if (way >= 2) CHECK(equal_items(items.data() + kept, want_rest.data(), there - kept));
  CHECK(equal_items(items.data() + there, in.data() + there, n - there));
}

}  // namespace

void check_in_place(draws& draw, const exec& where, u64 n) {
  with_drawn_word(draw, [&]<class T>(std::type_identity<T>) { check_in_place_of<T>(draw, where, n); });
}

}  // namespace ballot::test
