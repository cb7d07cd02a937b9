// SPDX-License-Identifier: Apache-2.0
// The check of cumulative sums must catch a wrong one, and must let pass what another order of
// additions gives.
#include "verification/verify_scan.hpp"

#include "base/failure.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace app = ballot::app;

namespace {

constexpr app::row_direction directions[] = {app::row_direction::forward, app::row_direction::backward,
                                             app::row_direction::forward_then_backward};

template <class T>
void verify(const app::scan_request& request, const std::vector<T>& before, const std::vector<T>& after) {
  app::verify_scan(request, std::as_bytes(std::span(before)), std::as_bytes(std::span(after)));
}

// The sums of one row, each rounded to T.
template <class Sum, class T>
std::vector<T> summed(std::vector<T> row, app::row_direction direction) {
  if (direction != app::row_direction::backward) {
    Sum sum{};
    for (T& item : row) item = static_cast<T>(sum += static_cast<Sum>(item));
  }
  if (direction != app::row_direction::forward) {
    Sum sum{};
    for (std::size_t i = row.size(); i-- > 0;) row[i] = static_cast<T>(sum += static_cast<Sum>(row[i]));
  }
  return row;
}

}  // namespace

TEST_CASE("a check of integer sums") {
  std::mt19937_64 random(1);
  std::vector<std::uint32_t> row(500);
  for (auto& item : row) item = static_cast<std::uint32_t>(random());
  for (const auto direction : directions) {
    const app::scan_request request{app::dtype::u32, 1, row.size(), direction, app::row_accumulator::item};
    const auto right = summed<std::uint32_t>(row, direction);
    verify(request, row, right);
    for (const std::size_t at : {std::size_t{0}, std::size_t{250}, row.size() - 1}) {
      auto wrong = right;
      wrong[at] ^= 1u;
      CHECK_THROWS_AS(verify(request, row, wrong), app::verification_failure);
    }
    for (const auto other : directions)
      if (other != direction)
        CHECK_THROWS_AS(verify(request, row, summed<std::uint32_t>(row, other)), app::verification_failure);
  }
}

TEST_CASE("a check of float sums") {
  std::mt19937 random(2);
  std::vector<float> row(10000);
  for (float& item : row) item = std::uniform_real_distribution<float>(-1, 3)(random);
  for (const auto direction : directions) {
    const app::scan_request in_floats{app::dtype::f32, 1, row.size(), direction, app::row_accumulator::item};
    app::scan_request in_doubles = in_floats, in_pairs = in_floats;
    in_doubles.accumulator = app::row_accumulator::float64;
    in_pairs.accumulator = app::row_accumulator::double_float;
    const auto right = summed<double>(row, direction), rough = summed<float>(row, direction);
    verify(in_doubles, row, right);
    verify(in_pairs, row, right);
    verify(in_floats, row, right);
    verify(in_floats, row, rough);
    CHECK_THROWS_AS(verify(in_doubles, row, rough), app::verification_failure);
    CHECK_THROWS_AS(verify(in_pairs, row, rough), app::verification_failure);
    for (const std::size_t at : {std::size_t{0}, std::size_t{5000}, row.size() - 1}) {
      auto wrong = right;
      wrong[at] *= 1.00001f;
      CHECK_THROWS_AS(verify(in_doubles, row, wrong), app::verification_failure);
      wrong[at] = std::numeric_limits<float>::quiet_NaN();
      CHECK_THROWS_AS(verify(in_floats, row, wrong), app::verification_failure);
    }
  }
}
