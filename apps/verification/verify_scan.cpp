// SPDX-License-Identifier: Apache-2.0
#include "verification/verify_scan.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace ballot::app {
namespace {

[[noreturn]] void fail(std::uint64_t row, std::uint64_t item, const std::string& what) {
  throw_verification_failure(fmt::format("row {}, item {}: {}", row, item, what));
}

template <class T>
void check_integers(const scan_request& request, const T* before, const T* after) {
  using U = std::make_unsigned_t<T>;
  std::vector<U> sums(request.length);
  for (std::uint64_t row = 0; row < request.rows; ++row, before += request.length, after += request.length) {
    for (std::uint64_t i = 0; i < request.length; ++i) sums[i] = static_cast<U>(before[i]);
    if (request.direction != row_direction::backward)
      for (std::uint64_t i = 1; i < request.length; ++i) sums[i] = static_cast<U>(sums[i] + sums[i - 1]);
    if (request.direction != row_direction::forward)
      for (std::uint64_t i = request.length - 1; i-- > 0;) sums[i] = static_cast<U>(sums[i] + sums[i + 1]);
    for (std::uint64_t i = 0; i < request.length; ++i)
      if (static_cast<U>(after[i]) != sums[i])
        fail(row, i, fmt::format("{} instead of {}", after[i], static_cast<T>(sums[i])));
  }
}

// A sum and how far from it a computed one may be.
struct bounded {
  long double sum;
  long double error;
};

// The sums from one end to the other. n additions in precision u, in any order, are off by at most
// n u times the sum of the absolute values (Higham, Accuracy and Stability of Numerical Algorithms,
// 4.2). The rounding to the items' type adds half an ulp, and errors of the input add up.
void sum_along(std::vector<bounded>& items, bool backward, long double accumulator_unit, long double item_unit) {
  long double sum = 0, absolute = 0, error = 0;
  const std::size_t n = items.size();
  for (std::size_t i = 0; i < n; ++i) {
    bounded& item = items[backward ? n - 1 - i : i];
    sum += item.sum;
    absolute += std::fabs(item.sum);
    error += item.error;
    const long double additions = static_cast<long double>(i + 1);
    item.error = error + 2 * additions * accumulator_unit * absolute + 2 * item_unit * std::fabs(sum);
    item.sum = sum;
  }
}

template <class T>
void check_floats(const scan_request& request, const T* before, const T* after) {
  const long double item_unit = std::numeric_limits<T>::epsilon() / 2.0L;
  // A pair of floats has 48 bits, less what its low part, a float, loses in a sum of many.
  const long double accumulator_unit = request.accumulator == row_accumulator::item ? item_unit
                                       : request.accumulator == row_accumulator::double_float
                                           ? std::ldexp(1.0L, -44)
                                           : std::numeric_limits<double>::epsilon() / 2.0L;
  const long double smallest = std::numeric_limits<T>::denorm_min();
  std::vector<bounded> sums(request.length);
  for (std::uint64_t row = 0; row < request.rows; ++row, before += request.length, after += request.length) {
    for (std::uint64_t i = 0; i < request.length; ++i) sums[i] = {before[i], 0};
    if (request.direction != row_direction::backward) sum_along(sums, false, accumulator_unit, item_unit);
    if (request.direction != row_direction::forward) sum_along(sums, true, accumulator_unit, item_unit);
    for (std::uint64_t i = 0; i < request.length; ++i) {
      // Infinities and NaNs of the input, and sums that overflow on the way, may come out either
      // way.
      if (!std::isfinite(sums[i].sum) || std::fabs(sums[i].sum) + sums[i].error >= std::numeric_limits<T>::max() ||
          !std::isfinite(sums[i].error))
        continue;
      const long double off = std::fabs(static_cast<long double>(after[i]) - sums[i].sum);
      if (!(off <= sums[i].error + smallest))
        fail(row, i,
             fmt::format("{} instead of {}, off by more than {}", after[i], static_cast<double>(sums[i].sum),
                         static_cast<double>(sums[i].error)));
    }
  }
}

}  // namespace

void verify_scan(const scan_request& request, std::span<const std::byte> before, std::span<const std::byte> after) {
  if (before.size() != after.size()) throw_verification_failure("the number of items changed");
  if (before.empty()) return;
  visit_dtype(request.type, [&]<class T>(std::type_identity<T>) {
    const auto* const from = reinterpret_cast<const T*>(before.data());
    const auto* const to = reinterpret_cast<const T*>(after.data());
    if constexpr (std::is_floating_point_v<T>) check_floats(request, from, to);
    else check_integers(request, from, to);
  });
}

}  // namespace ballot::app
