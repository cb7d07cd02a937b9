// SPDX-License-Identifier: Apache-2.0
// How far batched scans of floats are from the exact sums, by accumulator. The errors are printed,
// as a table.
#include <ballot/batched_scan.cuh>

#include "support/batched_rows.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <tuple>

using namespace ballot;

namespace algorithms_batched_scan_accuracy {

struct errors {
  double largest_relative = 0;  // of the items whose exact sum is not 0
  double root_mean_square = 0;  // of the relative errors
  double largest_ulps = 0;      // of the float nearest to the exact sum
  double largest_scaled = 0;    // error / (2^-24 x the sum of the absolute values)
};

double ulp_of(long double x) {
  const float size = std::fabs(static_cast<float>(x));
  return double(std::nextafter(size, std::numeric_limits<float>::infinity())) - double(size);
}

// Against the inclusive sums of every row in a long double (64 bits of mantissa). The backward scan
// sums the forward sums as the scan itself stored them: their rounding is not an error of the
// backward scan.
errors compare(const std::vector<float>& items, const std::vector<float>& sums, std::uint64_t length, bool backward) {
  errors e;
  long double squares = 0;
  std::uint64_t counted_items = 0;
  for (std::uint64_t row = 0; row < items.size(); row += length) {
    long double exact = 0, sizes = 0;
    for (std::uint64_t i = 0; i < length; ++i) {
      const std::uint64_t at = row + (backward ? length - 1 - i : i);
      exact += items[at];
      sizes += std::fabs(items[at]);
      const double error = std::fabs(double(sums[at] - exact));
      e.largest_ulps = std::max(e.largest_ulps, error / ulp_of(exact));
      if (sizes != 0) e.largest_scaled = std::max(e.largest_scaled, error / (0x1p-24 * double(sizes)));
      if (exact == 0) continue;
      const double relative = error / std::fabs(double(exact));
      e.largest_relative = std::max(e.largest_relative, relative);
      squares += static_cast<long double>(relative) * relative;
      ++counted_items;
    }
  }
  e.root_mean_square = std::sqrt(double(squares / std::max<std::uint64_t>(counted_items, 1)));
  return e;
}

struct both_directions {
  errors forward, backward;
};

template <class Sum>
both_directions measure(const std::vector<float>& items, std::uint64_t rows, std::uint64_t length,
                        const std::string& what, std::ostringstream& table) {
  const exec where = allocating(test::test_stream());
  const test::guarded<float> in(items);
  test::guarded<float> out(items.size());
  batched_scan<Sum>(where, in, out, {rows, length}, scan_directions::forward);
  const std::vector<float> forward = out.read();
  batched_scan<Sum>(where, in, out, {rows, length}, scan_directions::forward_then_backward);
  const both_directions e{compare(items, forward, length, false), compare(forward, out.read(), length, true)};
  for (const auto& [direction, errors] : {std::pair{"forward ", e.forward}, std::pair{"backward", e.backward}})
    table << "\n  " << what << direction << "  largest " << errors.largest_relative << "  rms "
          << errors.root_mean_square << "  ulps " << errors.largest_ulps << "  / (u sum |x|) " << errors.largest_scaled;
  return e;
}

// Additions between an item and its sum, at most: in the run and across the threads.
double depth_of(std::uint64_t length) {
  const auto shape = detail::find_batched_scan_shape(length, sizeof(float));
  return 2.0 * shape.thread_vectors * 4 + 12;
}

void check_accuracy(std::uint64_t rows, std::uint64_t length, bool positive) {
  std::mt19937 random(17);
  std::vector<float> items(rows * length);
  for (float& item : items) item = static_cast<float>(random() % (1u << 24)) * 0x1p-24f - (positive ? 0.0f : 0.5f);

  std::ostringstream table;
  table << rows << " rows of " << length << (positive ? " items in [0, 1)" : " items in [-0.5, 0.5)");
  const auto plain = measure<same_as_items>(items, rows, length, "float         ", table);
  const auto pairs = measure<double_float>(items, rows, length, "double_float  ", table);
  const auto doubles = measure<double>(items, rows, length, "double        ", table);
  MESSAGE(table.str());

  const double depth = depth_of(length), u = 0x1p-24;
  for (const auto& [direction, by_pairs, by_doubles, by_floats] :
       {std::tuple{"forward", pairs.forward, doubles.forward, plain.forward},
        std::tuple{"backward", pairs.backward, doubles.backward, plain.backward}}) {
    CAPTURE(std::string(direction));
    CHECK(by_floats.largest_scaled <= depth);
    // Rounded once, half an ulp; the rest is what the accumulator loses.
    CHECK(by_pairs.largest_scaled <= 1 + 2 * depth * depth * u);
    CHECK(by_doubles.largest_scaled <= 1 + depth * 0x1p-53 / u);
    if (positive) {
      CHECK(by_pairs.largest_ulps <= 0.5 + 2 * depth * depth * u);
      CHECK(by_doubles.largest_ulps <= 0.5 + depth * 0x1p-53 / u);
    }
    // That it is worth having: plain floats are further off.
    CHECK(by_floats.root_mean_square > 1.2 * by_pairs.root_mean_square);
    CHECK(by_pairs.root_mean_square <= 1.001 * by_doubles.root_mean_square);
  }
}

TEST_CASE("batched scan: accuracy of rows of 10,000 floats") {
#if BALLOT_EMULATED
  constexpr std::uint64_t rows = 3;
#else
  constexpr std::uint64_t rows = 10'000;
#endif
  check_accuracy(rows, 10'000, true);
  check_accuracy(rows, 10'000, false);
}

TEST_CASE("batched scan: accuracy of long rows") { check_accuracy(2, 100'000, true); }

}  // namespace algorithms_batched_scan_accuracy
