// SPDX-License-Identifier: Apache-2.0
// Promises of batched scans besides sums: the same bits however they are called, scratch, graphs,
// errors ahead of work.
#include <ballot/batched_scan.cuh>

#include "support/batched_rows.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace ballot;

namespace algorithms_batched_scan_contract {

// Floats whose sums are rounded: another order of the additions shows in the last bits.
std::vector<float> rounded_items(std::size_t n) {
  std::mt19937 random(9);
  std::vector<float> items(n);
  for (float& item : items)
    item = std::ldexp(static_cast<float>(random() % 100003) - 50001.0f, static_cast<int>(random() % 20) - 10);
  return items;
}

template <class Sum, class Tuning>
std::vector<float> scanned(const std::vector<float>& packed, const batch& rows, std::size_t shift,
                           scan_directions directions) {
  const exec where = allocating(test::test_stream());
  const test::guarded<float> in(test::with_pitch(packed, rows.rows, rows.length, rows.pitch), shift);
  test::guarded<float> out(test::extent_of(rows.rows, rows.length, rows.out_pitch));
  test::run_batched_scan<Sum, Tuning>(where, in, out, rows, directions);
  const std::vector<float> laid = out.read();
  std::vector<float> sums(packed.size());
  for (std::uint64_t r = 0; r < rows.rows; ++r)
    for (std::uint64_t i = 0; i < rows.length; ++i) sums[r * rows.length + i] = laid[r * rows.out_pitch + i];
  return sums;
}

// OtherTuning: another GPU's.
template <class Sum, class Tuning = detail::batched_scan_tuning, class OtherTuning = test::little_shared_memory>
void check_same_bits(std::uint64_t rows, std::uint64_t length) {
  CAPTURE(length);
  const std::vector<float> items = rounded_items(rows * length);
  const batch packed{rows, length};
  std::vector<float> first[3];
  test::for_each_schedule([&] {
    for (const scan_directions directions : test::all_directions) {
      CAPTURE(static_cast<int>(directions));
      const auto sums = scanned<Sum, Tuning>(items, packed, 0, directions);
      auto& expected = first[static_cast<int>(directions)];
      if (expected.empty()) expected = sums;
      CHECK_MESSAGE(test::same_bits(sums, expected), "another run");
      CHECK_MESSAGE(
          test::same_bits(scanned<Sum, Tuning>(items, {rows, length, length + 1, length + 3}, 1, directions), expected),
          "another pitch and alignment");
      CHECK_MESSAGE(test::same_bits(scanned<Sum, OtherTuning>(items, packed, 0, directions), expected), "another GPU");
      const std::vector<float> last_row(items.end() - std::ptrdiff_t(length), items.end());
      CHECK_MESSAGE(test::same_bits(scanned<Sum, Tuning>(last_row, {1, length}, 0, directions),
                                    std::vector<float>(expected.end() - std::ptrdiff_t(length), expected.end())),
                    "a row alone");
    }
    const auto in_two_calls = scanned<Sum, Tuning>(first[0], packed, 0, scan_directions::backward);
    CHECK_MESSAGE(test::same_bits(in_two_calls, first[2]), "two calls");
  });
}

TEST_CASE_TEMPLATE("batched scan: the same bits in every run, layout and number of rows", Sum, float, double_float) {
  check_same_bits<Sum>(5, 37);
  check_same_bits<Sum>(3, 1000);
  check_same_bits<Sum>(2, 3001);
  check_same_bits<Sum, test::tiny_whole_rows, test::tiny_batched_scan>(2, 1000);
  check_same_bits<Sum, test::tiny_whole_rows, test::tiny_batched_scan>(2, 1800);
  check_same_bits<Sum, test::tiny_whole_rows, test::tiny_batched_scan>(1, 33 * 256 + 50);
}

TEST_CASE("batched scan: the same bits, whether a GPU has the shared memory for a row or not") {
  check_same_bits<float>(1, 16384);
  check_same_bits<double_float>(1, 20000);
}

// -0 + -0 is -0, and anything else that is added on the way would show.
template <class Sum, class Tuning>
void check_negative_zeros(std::uint64_t rows, std::uint64_t length) {
  CAPTURE(length);
  const std::vector<float> zeros(rows * length, -0.0f);
  for (const scan_directions directions : test::all_directions) {
    CAPTURE(static_cast<int>(directions));
    CHECK(test::same_bits(scanned<Sum, Tuning>(zeros, {rows, length}, 0, directions), zeros));
  }
}

TEST_CASE_TEMPLATE("batched scan: sums of negative zeros are negative zeros", Sum, float, double_float) {
  test::for_some_schedules([&] {
    for (const std::uint64_t length : {1, 37, 1000, 3001})
      check_negative_zeros<Sum, detail::batched_scan_tuning>(2, length);
    for (const std::uint64_t length : {1000, 33 * 256 + 50}) {
      check_negative_zeros<Sum, test::tiny_whole_rows>(1, length);
      check_negative_zeros<Sum, test::tiny_batched_scan>(1, length);
    }
  });
}

TEST_CASE_TEMPLATE("batched scan: infinities, NaN and overflow as plain sums give them", Sum, float, double_float) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  test::for_some_schedules([&] {
    for (std::uint64_t length : {std::uint64_t{20}, std::uint64_t{1500}}) {
      std::vector<float> items(3 * length, 1.0f);
      items[7] = inf;
      items[length + 5] = inf;
      items[length + 9] = -inf;
      items[2 * length + 3] = nan;
      const auto sums = scanned<Sum, detail::batched_scan_tuning>(items, {3, length}, 0, scan_directions::forward);
      bool right = true;
      for (std::uint64_t i = 0; i < length; ++i) {
        right &= i < 7 ? sums[i] == static_cast<float>(i + 1) : sums[i] == inf;
        right &= i < 9 ? (i < 5) == std::isfinite(sums[length + i]) : std::isnan(sums[length + i]);
        right &= (i < 3) == std::isfinite(sums[2 * length + i]);
      }
      CHECK(right);
      const std::vector<float> large(length, 0x1p127f);
      const auto over = scanned<Sum, detail::batched_scan_tuning>(large, {1, length}, 0, scan_directions::backward);
      CHECK(over[length - 1] == 0x1p127f);
      CHECK(over[length - 2] == inf);
      CHECK(over[0] == inf);
    }
  });
}

TEST_CASE("batched scan: exactly its scratch, directly and from a captured graph") {
  using tuning = detail::batched_scan_tuning;
  const std::uint64_t length = tuning::block_vectors * 4 + 100, rows = 2;
  CHECK(batched_scan_scratch_bytes<float>(0, 10) == 0);
  CHECK(batched_scan_scratch_bytes<float>(10, 0) == 0);
  CHECK(batched_scan_scratch_bytes<float>(10000, 10000) == 0);
  CHECK(batched_scan_scratch_bytes<float, double_float>(100, length) ==
        100 * 2 * 8 / 256 * 256 + 256 + 256);  // to be aligned
  CHECK_THROWS_AS(batched_scan_scratch_bytes<float>(std::uint64_t{1} << 50, std::uint64_t{1} << 50), invalid_argument);
  const auto items = test::balanced_items<float>(rows * length);
  auto sums = items;
  for (std::uint64_t r = 0; r < rows; ++r)
    test::serial_row_scan(sums.data() + r * length, length, scan_directions::forward_then_backward);
  const test::guarded<float> in(items);
  test::guarded<float> out(rows * length);
  const test::exact_scratch scratch(batched_scan_scratch_bytes<float, double>(rows, length));
  test::directly_and_captured([&] { out.fill_dirt(); },
                              [&] {
                                batched_scan<double>(scratch.where(), in, out, {.rows = rows, .length = length},
                                                     scan_directions::forward_then_backward);
                              },
                              [&] { CHECK(out.read() == sums); });
  scratch.check_guards();
}

TEST_CASE("batched scan: bad arguments are errors before any work") {
  const std::uint64_t length = 10, rows = 5, n = rows * length, large = std::uint64_t{1} << 62;
  const test::guarded<float> in(test::balanced_items<float>(n));
  test::guarded<float> out(n);
  const exec where(test::test_stream(), std::span<std::byte>{});
  const auto scan = [&](const auto& from, auto&& to, const batch& matrix) {
    batched_scan(where, from, to, matrix, scan_directions::forward);
  };
  CHECK_THROWS_AS(scan(in, out, {rows, length, length - 1, length}), invalid_argument);
  CHECK_THROWS_AS(scan(in, out, {rows, length, length, length - 1}), invalid_argument);
  CHECK_THROWS_AS(scan(in, out, {rows, length, length + 1, length}), invalid_argument);
  CHECK_THROWS_AS(scan(in, out, {rows, length, length, length + 1}), invalid_argument);
  CHECK_THROWS_AS(scan(in, out, {rows + 1, length}), invalid_argument);
  CHECK_THROWS_AS(scan(in, std::span<float>(out).first(n - 1), {rows, length}), invalid_argument);
  CHECK_THROWS_AS(scan(std::span<const float>(in).first(n - 1), out, {rows, length}), invalid_argument);
  CHECK_THROWS_AS(scan(in, out, {large, length, large}), invalid_argument);      // rows x pitch wraps to 0
  CHECK_THROWS_AS(scan(in, out, {4, length, large, length}), invalid_argument);  // so do the bytes
  CHECK_THROWS_AS(scan(in, out, {4, length, length, large}), invalid_argument);
  CHECK_THROWS_AS(scan(in, out, {1, large}), invalid_argument);
  CHECK_THROWS_AS(scan(std::span<const float>(static_cast<const float*>(nullptr), n), out, {rows, length}),
                  invalid_argument);
  CHECK_THROWS_AS(scan(in, std::span<float>(static_cast<float*>(nullptr), n), {rows, length}), invalid_argument);
  // The same range with another pitch, and ranges that overlap in one row.
  CHECK_THROWS_AS(scan(std::span<const float>(out), out, {2, length, length, length + 1}), invalid_argument);
  CHECK_THROWS_AS(scan(std::span<const float>(out.data() + 15, 20), std::span<float>(out.data(), 20), {2, length}),
                  invalid_argument);
  // A long row without its scratch, and with too little for its address.
  const std::uint64_t long_row = detail::batched_scan_tuning::block_vectors * 4 + 1;
  const test::guarded<float> long_in(test::balanced_items<float>(long_row));
  test::guarded<float> long_out(long_row);
  CHECK_THROWS_AS(scan(long_in, long_out, {1, long_row}), invalid_argument);
  const test::exact_scratch scratch(batched_scan_scratch_bytes<float>(1, long_row));
  CHECK_THROWS_AS(
      batched_scan(exec(where.stream(), scratch.where().scratch().first(scratch.where().scratch().size() - 257)),
                   long_in, long_out, {1, long_row}, scan_directions::backward),
      invalid_argument);

  for (const auto& untouched : {out.read(), long_out.read()})
    CHECK(std::all_of(untouched.begin(), untouched.end(), [](float x) { return test::is_dirt(x); }));
  // Nothing is nothing: empty ranges, no scratch.
  scan(std::span<const float>{}, std::span<float>{}, {0, 1000});
  scan(std::span<const float>{}, std::span<float>{}, {large, 0});
  // Behind one another in one range, and one row in place whatever the pitches.
  scan(std::span<const float>(in), out, {rows, length});
  scan(std::span<const float>(out.data(), 20), std::span<float>(out.data() + 20, 20), {2, length});
  scan(std::span<const float>(out), out, {1, length, length, length + 7});
  simt::synchronize(test::test_stream());
}

}  // namespace algorithms_batched_scan_contract
