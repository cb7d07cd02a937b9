// SPDX-License-Identifier: Apache-2.0
#include "table_sort/verify_table.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <cmath>
#include <compare>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

// The rank of fields that come last in both directions: 1 for a NaN, 2 for an empty field, else 0.
int last_rank(const table_column& column, std::uint64_t row) {
  if (column.is_empty(row)) return 2;
  if (column.is_text) return 0;
  if (column.type == dtype::f32) return std::isnan(column.numbers.as<float>()[row]) ? 1 : 0;
  if (column.type == dtype::f64) return std::isnan(column.numbers.as<double>()[row]) ? 1 : 0;
  return 0;
}

// NaNs where bits count: those that the direction has at the front of the bits' order come after
// the others, backward.
template <class T>
int compare_nans(T a, T b, bool descending) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const auto place = [&](T x) {
    const auto payload = static_cast<std::int64_t>(__builtin_bit_cast(bits, x) & (~bits{0} >> 1));
    const bool is_turned = std::signbit(x) != descending;
    return std::pair{is_turned, is_turned ? -payload : payload};
  };
  return place(a) < place(b) ? -1 : place(b) < place(a) ? 1 : 0;
}

int in_words(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

int compare_fields(const row_keys::part& by_a, std::uint64_t a, const row_keys::part& by_b, std::uint64_t b) {
  const table_column& column_a = by_a.column;
  const table_column& column_b = by_b.column;
  const bool descending = by_a.order == direction::descending;
  const int late_a = last_rank(column_a, a), late_b = last_rank(column_b, b);
  if (column_a.is_text && late_a == 0 && late_b == 0) {
    const int order = column_a.texts[a].compare(column_b.texts[b]);
    return descending ? -order : order;
  }
  if (late_a != 0 || late_b != 0) {
    if (late_a != late_b) return late_a < late_b ? -1 : 1;
    if (late_a == 2 || !by_a.exact_bits) return 0;
    return column_a.type == dtype::f32
               ? compare_nans(column_a.numbers.as<float>()[a], column_b.numbers.as<float>()[b], descending)
               : compare_nans(column_a.numbers.as<double>()[a], column_b.numbers.as<double>()[b], descending);
  }
  const int order = visit_dtype(column_a.type, [&]<class T>(std::type_identity<T>) {
    const T x = column_a.numbers.as<T>()[a], y = column_b.numbers.as<T>()[b];
    if constexpr (std::is_floating_point_v<T>) {
      // Here only zeros make a difference.
      if (by_a.exact_bits) return in_words(std::strong_order(x, y));
    }
    return x < y ? -1 : x > y ? 1 : 0;
  });
  return descending ? -order : order;
}

int compare_rows(std::span<const row_keys::part> by, std::uint64_t a, std::uint64_t b) {
  return compare_rows(by, a, by, b);
}

}  // namespace

int compare_rows(std::span<const row_keys::part> by_a, std::uint64_t a, std::span<const row_keys::part> by_b,
                 std::uint64_t b) {
  for (std::size_t i = 0; i < by_a.size(); ++i)
    if (const int order = compare_fields(by_a[i], a, by_b[i], b); order != 0) return order;
  return 0;
}

void verify_order(std::span<const row_keys::part> by, std::span<const std::uint64_t> rows) {
  std::vector<bool> is_taken(rows.size(), false);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= rows.size())
      throw_verification_failure(fmt::format("row {} at position {} does not exist", rows[i], i));
    if (is_taken[rows[i]]) throw_verification_failure(fmt::format("row {} at position {} appears twice", rows[i], i));
    is_taken[rows[i]] = true;
    if (i == 0) continue;
    const int order = compare_rows(by, rows[i - 1], rows[i]);
    if (order > 0)
      throw_verification_failure(fmt::format("row {} at position {} belongs before its predecessor", rows[i], i));
    if (order == 0 && rows[i - 1] > rows[i])
      throw_verification_failure(fmt::format("rows {} and {} are equal and were swapped", rows[i], rows[i - 1]));
  }
}

bool rows_are_equal(std::span<const row_keys::part> by, std::uint64_t a, std::uint64_t b) {
  return compare_rows(by, a, b) == 0;
}

}  // namespace ballot::app
