// SPDX-License-Identifier: Apache-2.0
// The C library's sorts of rows, against std::stable_sort of each.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/sort_reference.hpp"
#include "c/support.hpp"

#include <array>
#include <cmath>
#include <string>

namespace ballot::test::c {
namespace row_sorts {

// Keys as a sort finds them: of all bit patterns, spread over few exponents, with equal ones, and
// zeros of both signs.
template <class T>
std::vector<T> row_keys(std::size_t n) {
  std::mt19937_64 random(n + 3);
  std::normal_distribution<double> normal;
  std::vector<T> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto kind = random() % 16;
    keys[i] = kind == 0   ? random_bits<T>(random)
              : kind == 1 ? static_cast<T>(random() % 3)
                          : static_cast<T>(normal(random) * (std::is_integral_v<T> ? 40 : 1));
    if constexpr (std::is_floating_point_v<T>)
      if (kind == 2) keys[i] = random() % 2 == 0 ? T(-0.0) : T(0.0);
  }
  return keys;
}

template <class T, class V>
void check_rows(std::size_t rows, std::size_t row, const ballot_sort_options& options, std::size_t shift = 0) {
  CAPTURE(code<T>);
  CAPTURE(sizeof(V));
  CAPTURE(rows);
  CAPTURE(row);
  const std::size_t n = rows * row;
  const auto keys = row_keys<T>(n);
  const auto values = random_items<V>(n, 5);
  std::vector<std::size_t> order;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto one = order_of(keys, options, r * row, r * row + row);
    order.insert(order.end(), one.begin(), one.end());
  }
  const auto sorted = gathered(keys, order);
  const guarded<T> from(keys), to(n);
  const guarded<V> from_values(values, shift), to_values(n, shift);
  const auto bytes = [&](ballot_type type) {
    return bytes_of([&](std::size_t* b) { return ballot_batched_sort_scratch_bytes(code<T>, type, n, row, b); });
  };
  run(bytes(BALLOT_NONE), [&](ballot_exec gpu) { return ballot_batched_sort(gpu, in(from), row, out(to), &options); });
  CHECK(same_bits(to.read(), sorted));
  const guarded<T> again(n);
  run(bytes(code<V>), [&](ballot_exec gpu) {
    return ballot_batched_sort_pairs(gpu, in(from), in(from_values), row, out(again), out(to_values), &options);
  });
  CHECK(same_bits(again.read(), sorted));
  CHECK(same_bits(to_values.read(), gathered(values, order)));
  const auto check_order = [&](const auto& indices, bool wants_keys) {
    const guarded<T> keys_out(n);
    run(bytes(out(indices).type), [&](ballot_exec gpu) {
      return ballot_batched_argsort(gpu, in(from), row, wants_keys ? out(keys_out) : ballot_nothing(), out(indices),
                                    &options);
    });
    if (wants_keys) CHECK(same_bits(keys_out.read(), sorted));
    const auto found = indices.read();
    bool is_right = true;
    for (std::size_t i = 0; i < n; ++i) is_right &= static_cast<std::size_t>(found[i]) + i / row * row == order[i];
    CHECK(is_right);
  };
  // Each form of a short argsort; of long ones, each of which takes seconds here, one after the
  // other.
  static unsigned turn = 0;
  const bool is_long = n > 100'000;
  if (is_long) turn++;
  for (unsigned form = 0; form < 4; ++form) {
    if (is_long && form != turn % 4) continue;
    if (form / 2 == 0) check_order(guarded<i64>(n), form % 2 != 0);
    else check_order(guarded<u32>(n), form % 2 != 0);
  }
}

using point = std::array<float, 3>;
const ballot_sort_options up = options_of(BALLOT_ASCENDING), down = options_of(BALLOT_DESCENDING);

TEST_CASE("sorts of rows") {
  for (const auto& [rows, row] : {std::pair<std::size_t, std::size_t>{0, 5},
                                  {1, 1},
                                  {1, 700},
                                  {900, 1},
                                  {700, 3},
                                  {33, 31},
                                  {9, 1000},
                                  {3, 1024},
                                  {2, 1025}}) {
    check_rows<i32, u32>(rows, row, up);
    check_rows<float, u64>(rows, row, down);
    check_rows<double, u32>(rows, row, up);
    check_rows<u8, u64>(rows, row, down);
    check_rows<i16, u32>(rows, row, up);
  }
}

TEST_CASE("rows that no block has room for") {
  for (const auto& [rows, row] : {std::pair<std::size_t, std::size_t>{3, 4863}, {3, 4864}, {3, 4865}, {2, 9001}}) {
    check_rows<float, u32>(rows, row, up);
    check_rows<i64, u64>(rows, row, down);
  }
  check_rows<u64, u32>(3, 3073, up);
}

// Large arrays have another shape. Of many rows each that no block has room for is divided into
// parts; of few, very long rows are sorted by digits.
TEST_CASE("many rows") {
  check_rows<float, u64>(290, 1000, up);
  check_rows<i32, u32>(64, 4608, down);
  check_rows<float, u32>(63, 4609, up);
  check_rows<float, u32>(64, 4609, up);
  check_rows<double, u64>(86, 3073, options_of(BALLOT_DESCENDING, 0, 0, 0, BALLOT_ZEROS_EQUAL));
  check_rows<u32, u64>(100'001, 3, up);
  check_rows<double, u64>(88, 3072, up);
  check_rows<i32, u32>(14, 20'001, up);
}

TEST_CASE("rows by options, and with values of any size") {
  check_rows<float, u32>(7, 900, options_of(BALLOT_ASCENDING, BALLOT_NANS_FIRST, 0, 0, BALLOT_ZEROS_EQUAL));
  check_rows<double, u64>(290, 950, options_of(BALLOT_DESCENDING, 0, 0, 0, BALLOT_ZEROS_EQUAL));
  check_rows<float, u32>(3, 6000, options_of(BALLOT_ASCENDING, 0, 0, 0, BALLOT_ZEROS_EQUAL));
  check_rows<u32, u32>(7, 900, options_of(BALLOT_ASCENDING, 0, 2, 9));
  check_rows<u32, u32>(7, 900, options_of(BALLOT_ASCENDING, 0, 5, 5));  // nothing is compared
  check_rows<u32, u64>(2, 6000, options_of(BALLOT_DESCENDING, 0, 5, 5));
  check_rows<i32, point>(7, 900, up);
  check_rows<float, u16>(5, 1300, down);
  check_rows<i32, std::array<u8, 4>>(5, 1300, down, 1);  // at no word's address
}

TEST_CASE("what sorts of rows refuse") {
  const guarded<float> keys(random_items<float>(1000)), to(1000);
  const guarded<i32> indices(1000);
  const guarded<u32> count(std::vector<u32>{7});
  const ballot_exec gpu = ballot_on(test_stream(), nullptr, 0);
  const auto refused = [](ballot_status status, const std::string& words) {
    CHECK(status == BALLOT_INVALID_ARGUMENT);
    const std::string message = ballot_last_error();
    CHECK_MESSAGE(message.find(words) != std::string::npos, message);
  };
  refused(ballot_batched_sort(gpu, in(keys), 300, out(to), nullptr), "no multiple of `row`, which is 300");
  refused(ballot_batched_sort(gpu, in(keys), 0, out(to), nullptr), "`row`, which is 0");
  refused(ballot_batched_sort(gpu, counted(keys, count), 100, out(to), nullptr), "keys");
  refused(ballot_batched_sort(gpu, in(keys), 100, in(keys), nullptr), "overlap");
  refused(ballot_batched_argsort(gpu, in(keys), 100, ballot_nothing(), out(indices), nullptr), "scratch");
  ballot_sort_options options = up;
  options.zeros = 2;
  refused(ballot_batched_sort(gpu, in(keys), 100, out(to), &options), "`zeros` is 2");
  options.zeros = 0, options.reserved = 1;
  refused(ballot_sort(gpu, in(keys), out(to), &options), "`reserved` is 1");
  options.reserved = 0, options.size = 28;  // no size that it ever had
  options.zeros = 1;
  ok(ballot_batched_sort(gpu, in(keys), 100, out(to), &options));
  options.size = 20;
  refused(ballot_batched_sort(gpu, in(keys), 100, out(to), &options), "`options.size` is 20");
}

}  // namespace row_sorts
}  // namespace ballot::test::c
