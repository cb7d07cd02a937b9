// SPDX-License-Identifier: Apache-2.0
#include "verification/verify_scan.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
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

// A type of floats: half the distance of 1 from the next number, and the largest number.
struct number_range {
  long double unit, largest;
};
template <class T>
constexpr number_range range_of{std::numeric_limits<T>::epsilon() / 2.0L, std::numeric_limits<T>::max()};

// The sums from one end to the other. n additions in precision u, in any order, are off by at most
// n u times the sum of the absolute values (Higham, Accuracy and Stability of Numerical Algorithms,
// 4.2). The rounding to the items' type adds half an ulp, and errors of the input add up.
//
// Where the sum of some neighbours is beyond the accumulator's range, it is an infinity in some
// order of additions, and stays one: from there on any result may be right. A sum that is beyond
// the items' range alone is an infinity only itself.
void sum_along(std::vector<bounded>& items, bool backward, const number_range& accumulator,
               const number_range& item_type) {
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  long double sum = 0, absolute = 0, error = 0, lowest = 0, highest = 0;
  const std::size_t n = items.size();
  for (std::size_t i = 0; i < n; ++i) {
    bounded& item = items[backward ? n - 1 - i : i];
    sum += item.sum;
    absolute += std::fabs(item.sum);
    error += item.error;
    lowest = std::min(lowest, sum);
    highest = std::max(highest, sum);
    const long double additions = static_cast<long double>(i + 1);
    const long double of_sum = error + 2 * additions * accumulator.unit * absolute;
    if (highest - lowest + of_sum >= accumulator.largest) error = infinity;
    item.error = of_sum + 2 * item_type.unit * std::fabs(sum);
    if (error == infinity || std::fabs(sum) + item.error >= item_type.largest) item.error = infinity;
    item.sum = sum;
  }
}

template <class T>
void check_floats(const scan_request& request, const T* before, const T* after) {
  // A pair of floats has 48 bits, less what its low part, a float, loses in a sum of many.
  const number_range accumulator = request.accumulator == row_accumulator::item ? range_of<T>
                                   : request.accumulator == row_accumulator::double_float
                                       ? number_range{std::ldexp(1.0L, -44), range_of<float>.largest}
                                       : range_of<double>;
  const long double smallest = std::numeric_limits<T>::denorm_min();
  std::vector<bounded> sums(request.length);
  for (std::uint64_t row = 0; row < request.rows; ++row, before += request.length, after += request.length) {
    for (std::uint64_t i = 0; i < request.length; ++i) sums[i] = {before[i], 0};
    if (request.direction != row_direction::backward) sum_along(sums, false, accumulator, range_of<T>);
    if (request.direction != row_direction::forward) sum_along(sums, true, accumulator, range_of<T>);
    for (std::uint64_t i = 0; i < request.length; ++i) {
      // Infinities and NaNs of the input, and sums that overflow on the way, may come out either
      // way.
      if (!std::isfinite(sums[i].sum) || !std::isfinite(sums[i].error)) continue;
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
