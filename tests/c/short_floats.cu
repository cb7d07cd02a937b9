// SPDX-License-Identifier: Apache-2.0
// The C library's 16-bit floats: their conversions, scans and reductions.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/serial_scans.hpp"
#include "c/support.hpp"

#include <ballot/c/operators.cuh>

#include <cmath>
#include <limits>
#include <utility>

namespace ballot::test::c {
namespace short_floats {

// A conversion that is written differently, through all values.
double float_of_bits(u16 bits, int mantissa_bits) {
  const int exponent_bits = 15 - mantissa_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits & 0x7fff) >> mantissa_bits, mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

template <class Short, int MantissaBits>
void check_conversions() {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    Short value;
    value.bits = static_cast<u16>(bits);
    const double exact = float_of_bits(value.bits, MantissaBits);
    const float as_float = static_cast<float>(value);
    if (std::isnan(exact)) {
      REQUIRE(std::isnan(as_float));
      REQUIRE(std::isnan(float_of_bits(Short(as_float).bits, MantissaBits)));
      continue;
    }
    REQUIRE(static_cast<double>(as_float) == exact);
    REQUIRE(std::signbit(as_float) == std::signbit(exact));
    REQUIRE(Short(as_float).bits == bits);
    // Between this value and the next one: to the nearer one, from the middle to the even one.
    if ((bits & 0x7fff) == 0x7fff || std::isinf(exact)) continue;
    const double next = float_of_bits(static_cast<u16>(bits + 1), MantissaBits);
    if (!std::isfinite(next)) continue;
    const auto middle = static_cast<float>((exact + next) / 2);
    REQUIRE(Short(middle).bits == (bits % 2 == 0 ? bits : bits + 1));
    REQUIRE(Short(std::nextafter(middle, as_float)).bits == bits);
    REQUIRE(Short(std::nextafter(middle, static_cast<float>(next))).bits == bits + 1);
  }
  CHECK(std::isinf(float_of_bits(Short(std::numeric_limits<float>::max()).bits, MantissaBits)));
}

// An exclusive scan from a value of the host's rounds each sum once, as ballot_exclusive_scan does.
TEST_CASE("sums of 16-bit floats from an initial value") {
  const auto half = [](float value) { return ballot_c::float16(value).bits; };
  const std::vector<u16> items{half(40000), half(40000), half(1)};
  const guarded<u16> from(items), to(3), total(1);
  const u16 initial = half(-60000);
  ballot_scan_options options{sizeof(options), total.data(), BALLOT_FORWARD, 0};
  run(bytes_of([&](std::size_t* b) { return ballot_scan_scratch_bytes(BALLOT_F16, 3, b); }), [&](ballot_exec gpu) {
    return ballot_exclusive_scan_from(gpu, in(from, BALLOT_F16), &initial, 0, BALLOT_PLUS, out(to, BALLOT_F16),
                                      &options);
  });
  CHECK(to.read() == std::vector<u16>{half(-60000), half(-20000), half(20000)});
  CHECK(value_at(total) == half(20001));
}

TEST_CASE("16-bit floats") {
  check_conversions<ballot_c::float16, 10>();
  check_conversions<ballot_c::bfloat16, 7>();
}

template <class Short, int MantissaBits>
void check_short_floats(ballot_type type, std::size_t n) {
  std::vector<u16> items(n);
  std::vector<float> as_floats(n);
  for (std::size_t i = 0; i < n; ++i) {
    as_floats[i] = static_cast<float>(static_cast<int>(i * 7 % 5) - 2);
    items[i] = Short(as_floats[i]).bits;
  }
  const guarded<u16> from(items), to(n), smallest(1);
  const guarded<float> sums(n), total(1);
  run(bytes_of([&](std::size_t* b) { return ballot_scan_scratch_bytes(type, n, b); }),
      [&](ballot_exec gpu) { return ballot_inclusive_scan(gpu, in(from, type), BALLOT_PLUS, out(to, type), nullptr); });
  run(bytes_of([&](std::size_t* b) { return ballot_scan_scratch_bytes(BALLOT_F32, n, b); }),
      [&](ballot_exec gpu) { return ballot_inclusive_scan(gpu, in(from, type), BALLOT_PLUS, out(sums), nullptr); });
  const auto found = to.read();
  const auto expected = serial_scan<float>(as_floats, nullptr, BALLOT_PLUS, false);
  CHECK(same_bits(sums.read(), expected));
  for (std::size_t i = 0; i < n; ++i) REQUIRE(float_of_bits(found[i], MantissaBits) == double{expected[i]});
  run(bytes_of([&](std::size_t* b) { return ballot_reduce_scratch_bytes(type, n, b); }), [&](ballot_exec gpu) {
    return ballot_reduce(gpu, in(from, type), nullptr, BALLOT_MINIMUM, out(smallest, type));
  });
  CHECK(float_of_bits(value_at(smallest), MantissaBits) == -2);
  run(bytes_of([&](std::size_t* b) { return ballot_reduce_scratch_bytes(BALLOT_F32, n, b); }),
      [&](ballot_exec gpu) { return ballot_reduce(gpu, in(from, type), nullptr, BALLOT_PLUS, out(total)); });
  CHECK(value_at(total) == expected.back());
}

TEST_CASE("scans and reductions of 16-bit floats") {
  check_short_floats<ballot_c::float16, 10>(BALLOT_F16, 4097);
  check_short_floats<ballot_c::bfloat16, 7>(BALLOT_BF16, 4097);
}

// Sums in float, rounded once: in 16 bits a sum of ones would stay where the next number is 2 more.
template <class Short, int MantissaBits>
void check_rounded_sums(ballot_type type, std::size_t n) {
  std::vector<u16> items(n);
  std::vector<float> as_floats(n);
  for (std::size_t i = 0; i < n; ++i) {
    as_floats[i] = i % 3 == 0 ? 1.0f : i % 7 == 0 ? -0.5f : 0.25f;
    items[i] = Short(as_floats[i]).bits;
  }
  const auto rounded = [](const std::vector<float>& sums) {
    std::vector<u16> bits;
    for (const float sum : sums) bits.push_back(Short(sum).bits);
    return bits;
  };
  const std::size_t bytes = bytes_of([&](std::size_t* b) { return ballot_scan_scratch_bytes(type, n, b); });
  const float from = -3;
  const u16 initial = Short(from).bits;
  for (const bool backward : {false, true}) {
    const auto inclusive = serial_scan<float>(as_floats, nullptr, BALLOT_PLUS, backward);
    const auto exclusive = serial_scan<float>(as_floats, &from, BALLOT_PLUS, backward);
    const float all = backward ? inclusive.front() : inclusive.back();
    for (const bool reproducible : {false, true}) {
      const guarded<u16> to(n), total(1), in_place(items), source(items);
      const ballot_scan_options options{sizeof(ballot_scan_options), total.data(),
                                        backward ? BALLOT_BACKWARD : BALLOT_FORWARD, reproducible ? 1 : 0};
      const guarded<std::byte> scratch(bytes);  // of one call: `run` may make two
      ok(ballot_inclusive_scan(ballot_on(test_stream(), scratch.data(), scratch.size()), in(in_place, type),
                               BALLOT_PLUS, out(in_place, type), &options));
      CHECK(in_place.read() == rounded(inclusive));
      CHECK(value_at(total) == Short(all).bits);
      run(bytes, [&](ballot_exec gpu) {
        return ballot_exclusive_scan(gpu, in(source, type), &initial, BALLOT_PLUS, out(to, type), &options);
      });
      CHECK(to.read() == rounded(exclusive));
      CHECK(value_at(total) == Short(from + all).bits);
    }
  }
}

// The same of reductions: of all items, of rows and of segments by offsets.
template <class Short>
void check_rounded_reductions(ballot_type type, std::size_t rows, std::size_t length) {
  const std::size_t n = rows * length;
  std::vector<u16> items(n), of_row(rows);
  std::vector<u64> begins;
  float all = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    float sum = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const float item = (row + i) % 3 == 0 ? 1.0f : 0.25f;
      items[row * length + i] = Short(item).bits;
      sum += item;
    }
    begins.push_back(row * length);
    of_row[row] = Short(sum).bits;
    all += sum;
  }
  begins.push_back(n);
  const guarded<u16> from(items), total(1), sums(rows);
  const guarded<u64> offsets(begins);
  const u16 initial = Short(-3.0f).bits;
  run(bytes_of([&](std::size_t* b) { return ballot_reduce_scratch_bytes(type, n, b); }),
      [&](ballot_exec gpu) { return ballot_reduce(gpu, in(from, type), &initial, BALLOT_PLUS, out(total, type)); });
  CHECK(value_at(total) == Short(all - 3).bits);
  for (const ballot_segments& segments :
       {ballot_segments_of(length), ballot_segments_by(BALLOT_SEGMENT_OFFSETS, in(offsets))}) {
    run(bytes_of([&](std::size_t* b) { return ballot_segmented_reduce_scratch_bytes(type, segments.kind, n, b); }),
        [&](ballot_exec gpu) {
          return ballot_segmented_reduce(gpu, in(from, type), segments, nullptr, BALLOT_PLUS, out(sums, type),
                                         ballot_nothing());
        });
    CHECK(sums.read() == of_row);
  }
}

// The same within segments, whose lengths go up to `longest`.
template <class Short>
void check_rounded_segments(ballot_type type, std::size_t n, std::size_t longest) {
  std::vector<u16> items(n);
  std::vector<u64> begins;
  std::vector<u8> heads(n);
  const float from = -3;
  const u16 initial = Short(from).bits;
  for (std::size_t begin = 0, length = 1; begin < n; begin += length, length = length * 3 % longest + 1)
    begins.push_back(begin), heads[begin] = 1;
  for (std::size_t i = 0; i < n; ++i) items[i] = Short(i % 3 == 0 ? 1.0f : i % 7 == 0 ? -0.5f : 0.25f).bits;
  const guarded<u64> offsets(begins);
  const guarded<u8> bytes_of_heads(heads);
  for (const bool backward : {false, true}) {
    std::vector<u16> inclusive(n), exclusive(n);
    for (std::size_t s = 0; s < begins.size(); ++s) {
      const std::size_t begin = begins[s], length = (s + 1 < begins.size() ? begins[s + 1] : n) - begin;
      float sum = 0;
      for (std::size_t i = 0; i < length; ++i) {
        const std::size_t at = begin + (backward ? length - 1 - i : i);
        Short item;
        item.bits = items[at];
        exclusive[at] = Short(from + sum).bits;
        inclusive[at] = Short(sum += static_cast<float>(item)).bits;
      }
    }
    for (const ballot_segments& segments : {ballot_segments_by(BALLOT_SEGMENT_OFFSETS, in(offsets)),
                                            ballot_segments_by(BALLOT_HEAD_BYTES, in(bytes_of_heads))}) {
      const std::size_t bytes =
          bytes_of([&](std::size_t* b) { return ballot_segmented_scan_scratch_bytes(type, segments.kind, n, b); });
      const guarded<u16> in_place(items), source(items), to(n);
      const guarded<std::byte> scratch(bytes);  // of one call: `run` may make two
      ok(ballot_segmented_inclusive_scan(ballot_on(test_stream(), scratch.data(), scratch.size()), in(in_place, type),
                                         segments, BALLOT_PLUS, out(in_place, type), backward));
      CHECK(in_place.read() == inclusive);
      run(bytes, [&](ballot_exec gpu) {
        return ballot_segmented_exclusive_scan(gpu, in(source, type), segments, &initial, BALLOT_PLUS, out(to, type),
                                               backward);
      });
      CHECK(to.read() == exclusive);
    }
  }
}

TEST_CASE("sums of 16-bit floats are rounded where they are stored") {
  for (const std::size_t n : {1u, 2u, 31u, 5000u, 40'001u}) {
    CAPTURE(n);
    check_rounded_sums<ballot_c::float16, 10>(BALLOT_F16, n);
    check_rounded_sums<ballot_c::bfloat16, 7>(BALLOT_BF16, n);
    check_rounded_segments<ballot_c::float16>(BALLOT_F16, n, 9000);
    check_rounded_segments<ballot_c::bfloat16>(BALLOT_BF16, n, 30);
  }
  for (const auto& [rows, length] : {std::pair<std::size_t, std::size_t>{1, 7}, {300, 100}, {3, 20'000}}) {
    CAPTURE(rows);
    check_rounded_reductions<ballot_c::float16>(BALLOT_F16, rows, length);
    check_rounded_reductions<ballot_c::bfloat16>(BALLOT_BF16, rows, length);
  }
}

// Rows of one item, all values: they come back. Rows of two at random: the sum of the floats,
// rounded.
template <class Short, int MantissaBits>
void check_rows(ballot_type type) {
  std::vector<u16> items(0x10000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<u16>(i);
  const auto scanned = [&](std::uint64_t length, std::int32_t direction) {
    const guarded<u16> from(items), to(items.size());
    run(bytes_of([&](std::size_t* b) {
          return ballot_batched_scan_scratch_bytes(type, BALLOT_ACCUMULATE_ITEMS, items.size() / length, length, b);
        }),
        [&](ballot_exec gpu) {
          return ballot_batched_scan(gpu, in(from, type), out(to, type),
                                     ballot_batch{items.size() / length, length, 0, 0}, direction,
                                     BALLOT_ACCUMULATE_ITEMS);
        });
    return to.read();
  };
  const auto same_number = [](u16 a, u16 b) {
    return a == b || (std::isnan(float_of_bits(a, MantissaBits)) && std::isnan(float_of_bits(b, MantissaBits)));
  };
  const auto each = scanned(1, BALLOT_ROWS_FORWARD);
  for (std::size_t i = 0; i < items.size(); ++i) REQUIRE(same_number(each[i], items[i]));

  const auto value = [](u16 bits) {
    Short x;
    x.bits = bits;
    return static_cast<float>(x);
  };
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<u16>(i * 40503u + (i >> 3));
  const auto pairs = scanned(2, BALLOT_ROWS_BACKWARD);
  for (std::size_t i = 0; i < items.size(); i += 2) {
    REQUIRE(same_number(pairs[i], Short(value(items[i + 1]) + value(items[i])).bits));
    REQUIRE(same_number(pairs[i + 1], items[i + 1]));
  }
  // In 16 bits the sums would not grow beyond 2048, or 256.
  for (u16& item : items) item = Short(1.0f).bits;
  const auto counted = scanned(8192, BALLOT_ROWS_FORWARD);
  for (std::size_t i = 0; i < items.size(); ++i) REQUIRE(counted[i] == Short(static_cast<float>(i % 8192 + 1)).bits);
}

TEST_CASE("rows of 16-bit floats") {
  check_rows<ballot_c::float16, 10>(BALLOT_F16);
  check_rows<ballot_c::bfloat16, 7>(BALLOT_BF16);
}

}  // namespace short_floats
}  // namespace ballot::test::c
