// SPDX-License-Identifier: Apache-2.0
// The C library's scans and reductions of arrays, against loops.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/serial_scans.hpp"
#include "c/support.hpp"

namespace ballot::test::c {
namespace scans {

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
