// SPDX-License-Identifier: Apache-2.0
// The C library's scans and reductions, against loops.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/support.hpp"
#include "support/scan_reference.hpp"

#include <ballot/c/operators.cuh>

#include <cmath>
#include <functional>
#include <limits>

namespace ballot::test::c {
namespace scans {

// Operators as ballot.h states them.
template <class T>
std::function<T(T, T)> operation(ballot_operator op) {
  switch (op) {
    case BALLOT_PLUS:
      return [](T a, T b) { return plus{}(a, b); };
    case BALLOT_MINIMUM:
      return [](T a, T b) { return minimum{}(a, b); };
    case BALLOT_MAXIMUM:
      return [](T a, T b) { return maximum{}(a, b); };
    default:
      break;
  }
  if constexpr (!std::is_floating_point_v<T>) {
    switch (op) {
      case BALLOT_BIT_AND:
        return [](T a, T b) { return static_cast<T>(a & b); };
      case BALLOT_BIT_OR:
        return [](T a, T b) { return static_cast<T>(a | b); };
      default:
        return [](T a, T b) { return static_cast<T>(a ^ b); };
    }
  }
  return {};
}
template <class T>
T identity(ballot_operator op) {
  const T ones = static_cast<T>(-1);
  T lowest{}, highest = ones;
  if constexpr (std::is_floating_point_v<T>) {
    lowest = highest = std::numeric_limits<T>::quiet_NaN();
  } else if constexpr (static_cast<T>(-1) < T{}) {
    lowest = static_cast<T>(T{1} << (8 * sizeof(T) - 2));
    lowest = static_cast<T>(lowest * -2);
    highest = static_cast<T>(-1 - lowest);
  }
  switch (op) {
    case BALLOT_MINIMUM:
      return highest;
    case BALLOT_MAXIMUM:
      return lowest;
    case BALLOT_BIT_AND:
      return ones;
    default:
      return T{};
  }
}

template <class T>
std::vector<T> serial_scan(std::vector<T> items, const T* initial, ballot_operator op, bool backward) {
  const auto f = operation<T>(op);
  if (backward) std::reverse(items.begin(), items.end());
  std::vector<T> sums(items.size());
  T sum = initial != nullptr ? *initial : T{};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const T next = i == 0 && initial == nullptr ? items[0] : f(sum, items[i]);
    sums[i] = initial != nullptr ? sum : next;
    sum = next;
  }
  if (backward) std::reverse(sums.begin(), sums.end());
  return sums;
}

template <class T>
std::vector<T> items_for(ballot_operator op, std::size_t n) {
  if (op == BALLOT_PLUS && std::is_floating_point_v<T>) return random_items<T>(n, 3, 5);
  if (std::is_floating_point_v<T>) return random_items<T>(n, 3, 100);
  return random_items<T>(n);
}

template <class T>
void check_scans(std::size_t n) {
  CAPTURE(n);
  CAPTURE(code<T>);
  const std::size_t bytes = bytes_of([&](std::size_t* b) { return ballot_scan_scratch_bytes(code<T>, n, b); });
  const int operators = std::is_floating_point_v<T> ? 3 : 6;
  for (ballot_operator op = 0; op < operators; ++op) {
    CAPTURE(op);
    const auto items = items_for<T>(op, n);
    const guarded<T> from(items), to(n), total(1);
    for (const bool backward : {false, true}) {
      const ballot_scan_options options{sizeof(options), total.data(), backward, 0};
      run(bytes, [&](ballot_exec gpu) { return ballot_inclusive_scan(gpu, in(from), op, out(to), &options); });
      CHECK(same_bits(to.read(), serial_scan<T>(items, nullptr, op, backward)));
      const T initial = op == BALLOT_PLUS ? T(3) : identity<T>(op);
      for (const bool given : {false, true}) {
        const T first = given ? initial : identity<T>(op);
        run(bytes, [&](ballot_exec gpu) {
          return ballot_exclusive_scan(gpu, in(from), given ? &initial : nullptr, op, out(to), &options);
        });
        const auto expected = serial_scan<T>(items, &first, op, backward);
        const auto found = to.read();
        // The first may be a NaN: by its being one.
        const std::size_t head = backward ? n - 1 : 0;
        for (std::size_t i = 0; i < n; ++i)
          if (i == head && !(expected[i] == expected[i])) CHECK(!(found[i] == found[i]));
          else REQUIRE(found[i] == expected[i]);
        if (n != 0) {
          T sum = operation<T>(op)(expected[backward ? 0 : n - 1], items[backward ? 0 : n - 1]);
          CHECK(value_at(total) == sum);
        }
      }
    }
  }
}

// From an initial value on the host and on the device.
template <class T, class In = T>
void check_from(std::size_t n, ballot_operator op, bool is_counted) {
  CAPTURE(n);
  CAPTURE(code<T>);
  CAPTURE(op);
  auto items = items_for<In>(op, n);
  const std::size_t used = is_counted ? n / 2 : n;
  const T initial = op == BALLOT_PLUS ? T(5) : T(3);
  const guarded<In> from(items);
  const guarded<T> to(n), total(1), first(std::vector<T>{initial});
  const guarded<u32> length(std::vector<u32>{static_cast<u32>(used)});
  const ballot_array source = is_counted ? counted(from, length) : in(from);
  const std::vector<T> wide(items.begin(), items.begin() + static_cast<long>(used));
  const std::size_t bytes = bytes_of([&](std::size_t* b) { return ballot_scan_scratch_bytes(code<T>, n, b); });
  for (const bool backward : {false, true})
    for (const bool on_device : {false, true})
      for (const bool exclusive : {false, true}) {
        const ballot_scan_options options{sizeof(options), total.data(), backward, 0};
        const auto call = exclusive ? ballot_exclusive_scan_from : ballot_inclusive_scan_from;
        run(bytes, [&](ballot_exec gpu) {
          return call(gpu, source, on_device ? first.data() : &initial, on_device, op, out(to), &options);
        });
        const auto before = serial_scan<T>(wide, &initial, op, backward);
        const auto found = to.read();
        for (std::size_t i = 0; i < used; ++i) {
          const T expected = exclusive ? before[i] : operation<T>(op)(before[i], wide[i]);
          REQUIRE(found[i] == expected);
        }
        const std::size_t last = backward ? 0 : used - 1;
        CHECK(value_at(total) == (used == 0 ? initial : operation<T>(op)(before[last], wide[last])));
      }
}

TEST_CASE("scans from an initial value, on the host and on the device") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{4097}})
    for (const bool is_counted : {false, true}) {
      for (ballot_operator op = BALLOT_PLUS; op <= BALLOT_BIT_XOR; ++op) {
        check_from<i32>(n, op, is_counted);
        check_from<u8>(n, op, is_counted);
        check_from<u64>(n, op, is_counted);
      }
      check_from<float>(n, BALLOT_PLUS, is_counted);
      check_from<double>(n, BALLOT_MAXIMUM, is_counted);
      check_from<i64, i8>(n, BALLOT_PLUS, is_counted);
    }
}

template <class T, class In>
void check_wider(std::size_t n) {
  const auto items = random_items<In>(n, 2, std::is_floating_point_v<In> ? 7 : 0);
  std::vector<T> wide(items.begin(), items.end());
  const guarded<In> from(items);
  const guarded<T> to(n), sum(1);
  run(bytes_of([&](std::size_t* b) { return ballot_scan_scratch_bytes(code<T>, n, b); }),
      [&](ballot_exec gpu) { return ballot_inclusive_scan(gpu, in(from), BALLOT_PLUS, out(to), nullptr); });
  const auto expected = serial_scan<T>(wide, nullptr, BALLOT_PLUS, false);
  CHECK(same_bits(to.read(), expected));
  run(bytes_of([&](std::size_t* b) { return ballot_reduce_scratch_bytes(code<T>, n, b); }),
      [&](ballot_exec gpu) { return ballot_reduce(gpu, in(from), nullptr, BALLOT_PLUS, out(sum)); });
  CHECK(value_at(sum) == (n == 0 ? T{} : expected.back()));
}

TEST_CASE("scans by every operator") {
  for (const std::size_t n : sizes) {
    check_scans<u32>(n);
    check_scans<float>(n);
    if (n > 5000) continue;
    check_scans<i8>(n);
    check_scans<u16>(n);
    check_scans<i32>(n);
    check_scans<i64>(n);
    check_scans<double>(n);
  }
}

TEST_CASE("sums in wider types") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1000}, std::size_t{20'001}}) {
    check_wider<i64, i8>(n);
    check_wider<u64, u8>(n);
    check_wider<i64, i16>(n);
    check_wider<u64, u16>(n);
    check_wider<i64, i32>(n);
    check_wider<u64, u32>(n);
    check_wider<i32, u8>(n);
    check_wider<double, float>(n);
  }
}

TEST_CASE("scans in place, of counted items, to offsets, and of flags") {
  const std::size_t n = 5000;
  const auto items = random_items<i32>(n, 2, 100);
  const guarded<u32> count(std::vector<u32>{777});
  guarded<i32> data(items);
  const guarded<i32> offsets(n + 1);
  const std::size_t bytes = bytes_of([&](std::size_t* b) { return ballot_scan_scratch_bytes(BALLOT_I32, n, b); });
  run(bytes, [&](ballot_exec gpu) {
    return ballot_inclusive_scan(gpu, counted(data, count), BALLOT_PLUS, out(data), nullptr);
  });
  auto expected = serial_scan<i32>(first_of(items, 777), nullptr, BALLOT_PLUS, false);
  expected.insert(expected.end(), items.begin() + 777, items.end());
  CHECK(data.read() == expected);

  data.write(items);
  run(bytes, [&](ballot_exec gpu) { return ballot_counts_to_offsets(gpu, in(data), out(offsets)); });
  const auto found = offsets.read();
  i32 sum = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    REQUIRE(found[i] == sum);
    if (i < n) sum += items[i];
  }

  std::vector<u8> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = items[i] % 3 == 0 ? u8(items[i] + 1) : u8{0};
  const guarded<u8> set(flags);
  const guarded<i64> ranks(n);
  const guarded<i64> total(1);
  const ballot_scan_options options{sizeof(options), total.data(), BALLOT_FORWARD, 0};
  const std::size_t rank_bytes = bytes_of([&](std::size_t* b) { return ballot_scan_scratch_bytes(BALLOT_I64, n, b); });
  run(rank_bytes, [&](ballot_exec gpu) { return ballot_exclusive_scan_flags(gpu, in(set), out(ranks), &options); });
  const auto before = ranks.read();
  run(rank_bytes, [&](ballot_exec gpu) { return ballot_inclusive_scan_flags(gpu, in(set), out(ranks), &options); });
  const auto until = ranks.read();
  i64 rank = 0;
  for (std::size_t i = 0; i < n; ++i) {
    REQUIRE(before[i] == rank);
    rank += flags[i] != 0;
    REQUIRE(until[i] == rank);
  }
  CHECK(value_at(total) == rank);
}

// ---- 16-bit floats: by a conversion that is written differently, through all their values ----

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

// ---- segments ----

template <class T>
void check_segments(std::size_t n, ballot_operator op) {
  const auto items = items_for<T>(op, n);
  std::vector<u8> heads(n);
  std::vector<u32> bits((n + 31) / 32);
  std::vector<i32> offsets{-5};
  std::mt19937 random(static_cast<unsigned>(n));
  for (std::size_t i = 0; i < n; ++i) {
    heads[i] = random() % 40 == 0 ? 2 : 0;
    if (heads[i] == 0) continue;
    bits[i / 32] |= 1u << (i % 32);
    offsets.push_back(static_cast<i32>(i));
    offsets.push_back(static_cast<i32>(i));
  }
  offsets.push_back(static_cast<i32>(n));
  const guarded<T> from(items), to(n);
  const guarded<u8> head_bytes(heads);
  const guarded<u32> head_bits(bits);
  const guarded<i32> begins(offsets);
  const ballot_segments all[] = {ballot_segments_by(BALLOT_HEAD_BYTES, in(head_bytes)),
                                 ballot_segments_by(BALLOT_HEAD_BITS, in(head_bits)),
                                 ballot_segments_by(BALLOT_SEGMENT_OFFSETS, in(begins))};
  const T initial = op == BALLOT_PLUS ? T(3) : identity<T>(op);
  for (const ballot_segments& segments : all)
    for (const bool backward : {false, true}) {
      CAPTURE(segments.kind);
      CAPTURE(backward);
      std::vector<T> inclusive, exclusive;
      for (std::size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && heads[end] == 0;) ++end;
        const std::vector<T> segment(items.begin() + static_cast<std::ptrdiff_t>(begin),
                                     items.begin() + static_cast<std::ptrdiff_t>(end));
        const auto one = serial_scan<T>(segment, nullptr, op, backward),
                   two = serial_scan<T>(segment, &initial, op, backward);
        inclusive.insert(inclusive.end(), one.begin(), one.end());
        exclusive.insert(exclusive.end(), two.begin(), two.end());
      }
      const std::size_t bytes =
          bytes_of([&](std::size_t* b) { return ballot_segmented_scan_scratch_bytes(code<T>, segments.kind, n, b); });
      run(bytes, [&](ballot_exec gpu) {
        return ballot_segmented_inclusive_scan(gpu, in(from), segments, op, out(to), backward);
      });
      CHECK(same_bits(to.read(), inclusive));
      run(bytes, [&](ballot_exec gpu) {
        return ballot_segmented_exclusive_scan(gpu, in(from), segments, op == BALLOT_PLUS ? &initial : nullptr, op,
                                               out(to), backward);
      });
      const auto found = to.read();
      for (std::size_t i = 0; i < n; ++i)
        REQUIRE((found[i] == exclusive[i] || (found[i] != found[i] && exclusive[i] != exclusive[i])));
    }
}

TEST_CASE("segmented scans") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{33}, std::size_t{6001}}) {
    check_segments<u32>(n, BALLOT_PLUS);
    check_segments<i16>(n, BALLOT_MAXIMUM);
    check_segments<float>(n, BALLOT_PLUS);
    check_segments<double>(n, BALLOT_MINIMUM);
    check_segments<u64>(n, BALLOT_BIT_XOR);
    check_segments<i64>(n, BALLOT_PLUS);
    check_segments<u8>(n, BALLOT_BIT_AND);
  }
}

// ---- rows ----

template <class T>
void check_rows(std::int32_t accumulator) {
  const u64 rows = 7, length = 301, pitch = 310, out_pitch = 304;
  const auto items = random_items<T>(rows * pitch, 1, 9);
  const guarded<T> from(items), to(rows * out_pitch);
  for (std::int32_t directions = 0; directions < 3; ++directions) {
    run(bytes_of(
            [&](std::size_t* b) { return ballot_batched_scan_scratch_bytes(code<T>, accumulator, rows, length, b); }),
        [&](ballot_exec gpu) {
          return ballot_batched_scan(gpu, in(from), out(to), ballot_batch{rows, length, pitch, out_pitch}, directions,
                                     accumulator);
        });
    const auto found = to.read();
    for (u64 r = 0; r < rows; ++r) {
      const auto begin = items.begin() + static_cast<std::ptrdiff_t>(r * pitch);
      std::vector<T> row(begin, begin + static_cast<std::ptrdiff_t>(length));
      if (directions != BALLOT_ROWS_BACKWARD) row = serial_scan<T>(row, nullptr, BALLOT_PLUS, false);
      if (directions != BALLOT_ROWS_FORWARD) row = serial_scan<T>(row, nullptr, BALLOT_PLUS, true);
      for (u64 i = 0; i < length; ++i) REQUIRE(found[r * out_pitch + i] == row[i]);
    }
  }
}

TEST_CASE("rows") {
  check_rows<i32>(BALLOT_ACCUMULATE_ITEMS);
  check_rows<u8>(BALLOT_ACCUMULATE_ITEMS);
  check_rows<i16>(BALLOT_ACCUMULATE_ITEMS);
  check_rows<u64>(BALLOT_ACCUMULATE_ITEMS);
  check_rows<double>(BALLOT_ACCUMULATE_ITEMS);
  for (std::int32_t accumulator = 0; accumulator < 3; ++accumulator) check_rows<float>(accumulator);
}

// ---- reductions ----

template <class T>
void check_reductions(std::size_t n) {
  CAPTURE(n);
  CAPTURE(code<T>);
  const int operators = std::is_floating_point_v<T> ? 3 : 6;
  const guarded<T> result(1);
  for (ballot_operator op = 0; op < operators; ++op) {
    const auto items = op == BALLOT_PLUS             ? items_for<T>(op, n)
                       : std::is_floating_point_v<T> ? special_items<T>(n)
                                                     : random_items<T>(n);
    const guarded<T> from(items);
    run(bytes_of([&](std::size_t* b) { return ballot_reduce_scratch_bytes(code<T>, n, b); }),
        [&](ballot_exec gpu) { return ballot_reduce(gpu, in(from), nullptr, op, out(result)); });
    T expected = identity<T>(op);
    for (const T& item : items) expected = operation<T>(op)(expected, item);
    const T found = value_at(result);
    CHECK((found == expected || (found != found && expected != expected)));
  }
  if constexpr (sizeof(T) <= 8) {
    const auto items = special_items<T>(n);
    const guarded<T> from(items);
    struct indexed_item {
      u64 index;
      T value;
      unsigned char rest[8 - sizeof(T) % 8];
    };
    const guarded<u64> best(2);
    for (const bool largest : {false, true}) {
      run(bytes_of([&](std::size_t* b) { return ballot_arg_scratch_bytes(code<T>, n, b); }), [&](ballot_exec gpu) {
        return largest ? ballot_arg_max(gpu, in(from), best.data()) : ballot_arg_min(gpu, in(from), best.data());
      });
      std::size_t at = 0;
      const auto before = [&](T a, T b) { return (largest ? b < a : a < b) || (b != b && a == a); };
      for (std::size_t i = 1; i < n; ++i)
        if (before(items[i], items[at])) at = i;
      const auto words = best.read();
      if (n == 0) {
        CHECK(words[0] == ~u64{0});
        continue;
      }
      CHECK(words[0] == at);
      T value;
      std::memcpy(&value, &words[1], sizeof(T));
      CHECK((value == items[at] || value != value));
    }
  }
}

TEST_CASE("reductions") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{100'003}}) {
    check_reductions<i32>(n);
    check_reductions<float>(n);
    if (n > 5000) continue;
    check_reductions<u8>(n);
    check_reductions<i16>(n);
    check_reductions<u64>(n);
    check_reductions<double>(n);
    check_reductions<i128>(n);
  }
}

}  // namespace scans
}  // namespace ballot::test::c
