// SPDX-License-Identifier: Apache-2.0
// The C library's reductions within segments and of runs of equal keys, against loops.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/support.hpp"

#include <ballot/c/operators.cuh>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace ballot::test::c {
namespace reductions {

using ballot_c::bfloat16;
using ballot_c::float16;

template <class T>
inline constexpr bool is_short_float = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
template <class T>
ballot_type type_of() {
  if constexpr (std::is_same_v<T, float16>) return BALLOT_F16;
  else if constexpr (std::is_same_v<T, bfloat16>) return BALLOT_BF16;
  else return code<T>;
}
template <class T>
double number(T x) {
  if constexpr (is_short_float<T>) return static_cast<double>(static_cast<float>(x));
  else return static_cast<double>(x);
}
template <class T>
T small_number(int x) {
  if constexpr (is_short_float<T>) return T(static_cast<float>(x));
  else return static_cast<T>(x);
}
// Small numbers, whose sums are exact; for other operators than plus any bits.
template <class T>
std::vector<T> items_for(std::size_t n, ballot_operator op) {
  if (op != BALLOT_PLUS && !std::is_floating_point_v<T> && !is_short_float<T>) return random_items<T>(n, 3);
  std::mt19937 random(static_cast<unsigned>(n) + 3);
  std::vector<T> items(n);
  for (T& item : items) {
    item = small_number<T>(static_cast<int>(random() % 9) - 4);
    if (op == BALLOT_PLUS) continue;
    if (random() % 7 == 0) {
      if constexpr (is_short_float<T>) item = T(std::numeric_limits<float>::quiet_NaN());
      if constexpr (std::is_floating_point_v<T>) item = std::numeric_limits<T>::quiet_NaN();
    }
  }
  return items;
}

template <class T, class In>
T combined(ballot_operator op, T sum, In next) {
  if constexpr (std::is_integral_v<T>) {
    const T x = static_cast<T>(next);
    switch (op) {
      case BALLOT_PLUS:
        return static_cast<T>(static_cast<u64>(sum) + static_cast<u64>(x));
      case BALLOT_MINIMUM:
        return std::min(sum, x);
      case BALLOT_MAXIMUM:
        return std::max(sum, x);
      case BALLOT_BIT_AND:
        return static_cast<T>(sum & x);
      case BALLOT_BIT_OR:
        return static_cast<T>(sum | x);
      default:
        return static_cast<T>(sum ^ x);
    }
  } else {
    const double a = number(sum), b = number(next);
    if (op == BALLOT_PLUS) {
      if constexpr (is_short_float<T>) return T(static_cast<float>(a + b));
      else return static_cast<T>(a + b);
    }
    if (std::isnan(a) || std::isnan(b)) {
      if constexpr (std::is_same_v<T, In>) return std::isnan(a) ? next : sum;
      else return sum;
    }
    if constexpr (std::is_same_v<T, In>) return (op == BALLOT_MINIMUM ? b < a : a < b) ? next : sum;
    else return sum;
  }
}
template <class T>
bool is_same(T a, T b) {
  const double x = number(a), y = number(b);
  return (std::isnan(x) && std::isnan(y)) || x == y;
}

// Segments of mixed lengths, some of them empty: offsets with the end.
std::vector<std::size_t> begins_of(std::size_t n, bool with_empty) {
  std::mt19937 random(static_cast<unsigned>(n) + 11);
  std::vector<std::size_t> begins{0};
  while (begins.back() < n) {
    const std::size_t length = random() % 5 == 0 ? random() % 700 : random() % 9;
    if (length == 0 && !with_empty) continue;
    begins.push_back(std::min(n, begins.back() + length));
  }
  return begins;
}

template <class T, class In>
void check_segments(const std::vector<T>& found, const std::vector<In>& items, const std::vector<std::size_t>& begins,
                    ballot_operator op, const T* initial) {
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
    std::size_t i = begins[s];
    T expected{};
    if (initial != nullptr) {
      expected = *initial;
    } else if (i == begins[s + 1]) {
      continue;  // the identity: below
    } else if constexpr (std::is_same_v<T, In>) {
      expected = items[i++];
    }
    for (; i < begins[s + 1]; ++i) expected = combined<T>(op, expected, items[i]);
    REQUIRE_MESSAGE(is_same(found[s], expected), "segment " << s << " op " << op);
  }
}

template <class In, class T = In>
void check_reduce(std::size_t n, ballot_operator op, bool has_initial) {
  const ballot_type from_type = type_of<In>(), type = type_of<T>();
  CAPTURE(from_type);
  CAPTURE(type);
  CAPTURE(n);
  CAPTURE(op);
  const auto items = items_for<In>(n, op);
  const guarded<In> from(items);
  const T initial = small_number<T>(3);
  const T* const begin = has_initial ? &initial : nullptr;
  const auto bytes = [&](ballot_segments_kind kind) {
    return bytes_of([&](std::size_t* b) { return ballot_segmented_reduce_scratch_bytes(type, kind, n, b); });
  };
  {
    const auto begins = begins_of(n, true);
    const guarded<i32> offsets(std::vector<i32>(begins.begin(), begins.end()));
    const guarded<T> sums(begins.size() - 1);
    run(bytes(BALLOT_SEGMENT_OFFSETS), [&](ballot_exec gpu) {
      return ballot_segmented_reduce(gpu, in(from, from_type), ballot_segments_by(BALLOT_SEGMENT_OFFSETS, in(offsets)),
                                     begin, op, out(sums, type), ballot_nothing());
    });
    check_segments<T, In>(sums.read(), items, begins, op, begin);
  }
  {
    const std::size_t row = n < 100 ? 7 : 300;
    std::vector<std::size_t> begins{0};
    while (begins.back() < n) begins.push_back(std::min(n, begins.back() + row));
    const guarded<T> sums(begins.size() - 1);
    run(bytes(BALLOT_SEGMENT_ROWS), [&](ballot_exec gpu) {
      return ballot_segmented_reduce(gpu, in(from, from_type), ballot_segments_of(row), begin, op, out(sums, type),
                                     ballot_nothing());
    });
    check_segments<T, In>(sums.read(), items, begins, op, begin);
  }
  const auto begins = begins_of(n, false);
  std::vector<u8> heads(n);
  std::vector<u32> words((n + 31) / 32);
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
    heads[begins[s]] = s == 0 ? 0 : 3;  // item 0 begins a segment in any case
    if (s != 0) words[begins[s] / 32] |= 1u << begins[s] % 32;
  }
  const guarded<u8> flags(heads);
  const guarded<u32> bits(words);
  const guarded<T> sums(n);
  const guarded<u64> count(1);
  for (const bool by_bits : {false, true}) {
    const ballot_segments_kind kind = by_bits ? BALLOT_HEAD_BITS : BALLOT_HEAD_BYTES;
    run(bytes(kind), [&](ballot_exec gpu) {
      return ballot_segmented_reduce(gpu, in(from, from_type), ballot_segments_by(kind, by_bits ? in(bits) : in(flags)),
                                     begin, op, out(sums, type), out(count));
    });
    CHECK(value_at(count) == begins.size() - 1);
    check_segments<T, In>(sums.read(), items, begins, op, begin);
  }
}

TEST_CASE("segmented reductions of every type") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{3000}})
    for (const bool has_initial : {false, true}) {
      for (ballot_operator op = BALLOT_PLUS; op <= BALLOT_BIT_XOR; ++op) {
        check_reduce<i8>(n, op, has_initial);
        check_reduce<u16>(n, op, has_initial);
        check_reduce<i32>(n, op, has_initial);
        check_reduce<u32>(n, op, has_initial);
        check_reduce<i64>(n, op, has_initial);
        if (op > BALLOT_MAXIMUM) continue;
        check_reduce<float>(n, op, has_initial);
        check_reduce<double>(n, op, has_initial);
        check_reduce<float16>(std::min<std::size_t>(n, 33), op, has_initial);  // exact sums
        check_reduce<bfloat16>(std::min<std::size_t>(n, 33), op, has_initial);
      }
      check_reduce<i8, i64>(n, BALLOT_PLUS, has_initial);
      check_reduce<u8, u64>(n, BALLOT_PLUS, has_initial);
      check_reduce<i16, i64>(n, BALLOT_PLUS, has_initial);
      check_reduce<u16, u64>(n, BALLOT_PLUS, has_initial);
      check_reduce<i32, i64>(n, BALLOT_PLUS, has_initial);
      check_reduce<u32, u64>(n, BALLOT_PLUS, has_initial);
      check_reduce<u8, u32>(n, BALLOT_PLUS, has_initial);
      check_reduce<float, double>(n, BALLOT_PLUS, has_initial);
      check_reduce<float16, float>(n, BALLOT_PLUS, has_initial);
      check_reduce<bfloat16, float>(n, BALLOT_PLUS, has_initial);
    }
  check_reduce<float>(30'001, BALLOT_PLUS, false);  // many tiles
  check_reduce<u32>(30'001, BALLOT_MAXIMUM, false);
}

TEST_CASE("segments: identities of empty ones, lengths on the device, short outputs") {
  const std::size_t n = 1000;
  const guarded<i32> from(random_items<i32>(n, 1, 9));
  const guarded<u32> length(std::vector<u32>{500});
  const guarded<u64> offsets(std::vector<u64>{0, 0, 400, 900, 900});
  const guarded<i32> sums(4);
  const auto items = from.read();
  const auto sum = [&](std::size_t a, std::size_t b) {
    i32 all = 0;
    for (std::size_t i = a; i < b; ++i) all += items[i];
    return all;
  };
  const std::size_t bytes = bytes_of(
      [&](std::size_t* b) { return ballot_segmented_reduce_scratch_bytes(BALLOT_I32, BALLOT_SEGMENT_OFFSETS, n, b); });
  const auto reduce = [&](ballot_operator op, const ballot_array& source) {
    run(bytes, [&](ballot_exec gpu) {
      return ballot_segmented_reduce(gpu, source, ballot_segments_by(BALLOT_SEGMENT_OFFSETS, in(offsets)), nullptr, op,
                                     out(sums), ballot_nothing());
    });
    return sums.read();
  };
  CHECK(reduce(BALLOT_PLUS, in(from)) == std::vector<i32>{0, sum(0, 400), sum(400, 900), 0});
  CHECK(reduce(BALLOT_PLUS, counted(from, length)) == std::vector<i32>{0, sum(0, 400), sum(400, 500), 0});
  CHECK(reduce(BALLOT_MINIMUM, in(from))[0] == std::numeric_limits<i32>::max());
  CHECK(reduce(BALLOT_MAXIMUM, in(from))[3] == std::numeric_limits<i32>::min());
  CHECK(reduce(BALLOT_BIT_AND, in(from))[0] == -1);

  std::vector<u8> heads(n);
  for (std::size_t i = 0; i < n; i += 10) heads[i] = 1;
  const guarded<u8> flags(heads);
  const guarded<i32> few(3);
  const guarded<u32> count(1);
  run(bytes_of(
          [&](std::size_t* b) { return ballot_segmented_reduce_scratch_bytes(BALLOT_I32, BALLOT_HEAD_BYTES, n, b); }),
      [&](ballot_exec gpu) {
        return ballot_segmented_reduce(gpu, counted(from, length), ballot_segments_by(BALLOT_HEAD_BYTES, in(flags)),
                                       nullptr, BALLOT_PLUS, out(few), out(count));
      });
  CHECK(value_at(count) == 50);
  CHECK(few.read() == std::vector<i32>{sum(0, 10), sum(10, 20), sum(20, 30)});
}

struct record {
  u64 index;
  unsigned char value[8];
};

template <class T>
void check_arg(std::size_t n) {
  const ballot_type type = type_of<T>();
  CAPTURE(type);
  CAPTURE(n);
  const auto items = items_for<T>(n, BALLOT_MINIMUM);
  const guarded<T> from(items);
  const auto begins = begins_of(n, false);
  std::vector<u8> heads(n);
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) heads[begins[s]] = 1;
  const guarded<u8> flags(heads);
  const guarded<u32> offsets(std::vector<u32>(begins.begin(), begins.end()));
  const guarded<record> found(begins.size() - 1);
  const guarded<u32> count(1);
  for (const bool smallest : {true, false})
    for (const bool by_flags : {true, false}) {
      const ballot_segments_kind kind = by_flags ? BALLOT_HEAD_BYTES : BALLOT_SEGMENT_OFFSETS;
      const ballot_segments segments = ballot_segments_by(kind, by_flags ? in(flags) : in(offsets));
      run(bytes_of([&](std::size_t* b) { return ballot_segmented_arg_scratch_bytes(type, kind, n, b); }),
          [&](ballot_exec gpu) {
            const auto call = smallest ? ballot_segmented_arg_min : ballot_segmented_arg_max;
            return call(gpu, in(from, type), segments, out(found, BALLOT_BYTES(16)),
                        by_flags ? out(count) : ballot_nothing());
          });
      const auto records = found.read();
      for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
        std::size_t best = begins[s];
        for (std::size_t i = begins[s] + 1; i < begins[s + 1]; ++i) {
          bool is_better;
          if constexpr (std::is_integral_v<T>) {
            is_better = smallest ? items[i] < items[best] : items[best] < items[i];
          } else {
            const double a = number(items[i]), b = number(items[best]);
            is_better = std::isnan(b) ? !std::isnan(a) : smallest ? a < b : b < a;
          }
          if (is_better) best = i;
        }
        REQUIRE(records[s].index == best);
        REQUIRE(std::memcmp(records[s].value, &items[best], sizeof(T)) == 0);
      }
    }
}

TEST_CASE("the first smallest or largest item of each segment") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{4000}}) {
    check_arg<i8>(n);
    check_arg<u16>(n);
    check_arg<i32>(n);
    check_arg<u64>(n);
    check_arg<float>(n);
    check_arg<double>(n);
    check_arg<float16>(n);
    check_arg<bfloat16>(n);
  }
}

// ---- by key ----

template <class K, class In, class T = In>
void check_by_key(std::size_t n, ballot_operator op, bool is_counted) {
  const ballot_type from_type = type_of<In>(), type = type_of<T>();
  CAPTURE(code<K>);
  CAPTURE(from_type);
  CAPTURE(type);
  CAPTURE(n);
  CAPTURE(op);
  std::mt19937 random(static_cast<unsigned>(n) + 7);
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = i != 0 && random() % 6 != 0 ? keys[i - 1] : static_cast<K>(static_cast<int>(random() % 5) - 2);
    if constexpr (std::is_floating_point_v<K>) {
      if (random() % 20 == 0) keys[i] = std::numeric_limits<K>::quiet_NaN();
      if (keys[i] == 0 && random() % 2 == 0) keys[i] = K(-0.0);
    }
  }
  const auto values = items_for<In>(n, op);
  const std::size_t used = is_counted ? n / 2 : n;
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < used; ++i)
    if (i == 0 || !(keys[i] == keys[i - 1])) begins.push_back(i);
  const std::size_t runs = begins.size();
  begins.push_back(used);
  const guarded<K> from(keys), keys_out(n);
  const guarded<In> from_values(values);
  const guarded<T> results(runs > 2 ? runs - 1 : n);  // the last one does not fit
  const guarded<u32> length(std::vector<u32>{static_cast<u32>(used)});
  const guarded<i64> count(1);
  run(bytes_of([&](std::size_t* b) { return ballot_reduce_by_key_scratch_bytes(code<K>, type, n, b); }),
      [&](ballot_exec gpu) {
        return ballot_reduce_by_key(gpu, is_counted ? counted(from, length) : in(from), in(from_values, from_type), op,
                                    out(keys_out), out(results, type), out(count));
      });
  CHECK(value_at(count) == static_cast<i64>(runs));
  const auto found_keys = keys_out.read();
  for (std::size_t r = 0; r < runs; ++r) REQUIRE(std::memcmp(&found_keys[r], &keys[begins[r]], sizeof(K)) == 0);
  if (runs > 2) begins.pop_back();
  if (begins.size() > 1) check_segments<T, In>(results.read(), values, begins, op, nullptr);
}

TEST_CASE("reduce_by_key") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{4000}})
    for (const bool is_counted : {false, true}) {
      for (ballot_operator op = BALLOT_PLUS; op <= BALLOT_BIT_XOR; ++op) {
        check_by_key<i32, i32>(n, op, is_counted);
        check_by_key<u64, u8>(n, op, is_counted);
        check_by_key<i16, i64>(n, op, is_counted);
        if (op > BALLOT_MAXIMUM) continue;
        check_by_key<u32, float>(n, op, is_counted);
        check_by_key<float, double>(n, op, is_counted);
        check_by_key<double, float16>(std::min<std::size_t>(n, 33), op, is_counted);
        check_by_key<u8, bfloat16>(std::min<std::size_t>(n, 33), op, is_counted);
        check_by_key<i128, i16>(n, op, is_counted);
      }
      check_by_key<u32, i8, i64>(n, BALLOT_PLUS, is_counted);
      check_by_key<i64, i32, i64>(n, BALLOT_PLUS, is_counted);
      check_by_key<u16, float, double>(n, BALLOT_PLUS, is_counted);
      check_by_key<u32, float16, float>(n, BALLOT_PLUS, is_counted);
      check_by_key<u32, u8, u32>(n, BALLOT_PLUS, is_counted);
    }
  check_by_key<u32, float>(30'001, BALLOT_PLUS, false);
  check_by_key<u32, double>(30'001, BALLOT_PLUS, true);
  check_by_key<u64, i32>(200'000, BALLOT_MINIMUM, false);  // tiles of the other shape
}

TEST_CASE("sums of negative zeros, as ballot.h says") {
  const guarded<float> zeros(std::vector<float>{-0.0f, -0.0f});
  const guarded<u32> keys(std::vector<u32>{1, 1}), count(1), keys_out(2);
  const guarded<u8> short_keys(std::vector<u8>{1, 1}), short_out(2);
  const guarded<float> sums(2);
  for (const bool is_short : {false, true}) {
    run(bytes_of([&](std::size_t* b) {
          return ballot_reduce_by_key_scratch_bytes(is_short ? BALLOT_U8 : BALLOT_U32, BALLOT_F32, 2, b);
        }),
        [&](ballot_exec gpu) {
          return ballot_reduce_by_key(gpu, is_short ? in(short_keys) : in(keys), in(zeros), BALLOT_PLUS,
                                      is_short ? out(short_out) : out(keys_out), out(sums), out(count));
        });
    CHECK(std::signbit(value_at(sums)));  // no zero is added
  }
}

}  // namespace reductions
}  // namespace ballot::test::c
