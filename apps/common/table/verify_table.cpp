#include "common/table/verify_table.hpp"

#include "common/failure.hpp"

#include <fmt/format.h>

#include <cmath>
#include <compare>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

[[noreturn]] void fail(const std::string& what) { throw verification_failure("verification failed: " + what); }

// What comes last whatever the direction: 1 a NaN, 2 an empty field.
int lateness(const table_column& column, std::uint64_t row) {
  if (column.is_empty(row)) return 2;
  if (column.is_text) return 0;
  if (column.type == dtype::f32) return std::isnan(column.numbers.as<float>()[row]) ? 1 : 0;
  if (column.type == dtype::f64) return std::isnan(column.numbers.as<double>()[row]) ? 1 : 0;
  return 0;
}

// NaNs where bits count: those that the direction has at the front of the bits' order come after the others, backward.
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

int compare_fields(const row_keys::part& by, std::uint64_t a, std::uint64_t b) {
  const table_column& column = by.column;
  if (column.is_text && lateness(column, a) == 0 && lateness(column, b) == 0) {
    const int order = column.texts[a].compare(column.texts[b]);
    return by.order == direction::ascending ? order : -order;
  }
  if (const int late_a = lateness(column, a), late_b = lateness(column, b); late_a != 0 || late_b != 0) {
    if (late_a != late_b) return late_a < late_b ? -1 : 1;
    if (late_a == 2 || !by.exact_bits) return 0;
    const bool descending = by.order == direction::descending;
    return column.type == dtype::f32
               ? compare_nans(column.numbers.as<float>()[a], column.numbers.as<float>()[b], descending)
               : compare_nans(column.numbers.as<double>()[a], column.numbers.as<double>()[b], descending);
  }
  const int order = visit_dtype(column.type, [&]<class T>(std::type_identity<T>) {
    const T x = column.numbers.as<T>()[a], y = column.numbers.as<T>()[b];
    if constexpr (std::is_floating_point_v<T>) {
      // Here only zeros make a difference.
      if (by.exact_bits) return in_words(std::strong_order(x, y));
    }
    return x < y ? -1 : x > y ? 1 : 0;
  });
  return by.order == direction::ascending ? order : -order;
}

int compare_rows(std::span<const row_keys::part> by, std::uint64_t a, std::uint64_t b) {
  for (const row_keys::part& one : by)
    if (const int order = compare_fields(one, a, b); order != 0) return order;
  return 0;
}

}  // namespace

void verify_order(std::span<const row_keys::part> by, std::span<const std::uint64_t> rows) {
  std::vector<bool> is_taken(rows.size(), false);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= rows.size()) fail(fmt::format("row {} at place {} does not exist", rows[i], i));
    if (is_taken[rows[i]]) fail(fmt::format("row {} at place {} was there before", rows[i], i));
    is_taken[rows[i]] = true;
    if (i == 0) continue;
    const int order = compare_rows(by, rows[i - 1], rows[i]);
    if (order > 0) fail(fmt::format("row {} at place {} belongs before the one in front of it", rows[i], i));
    if (order == 0 && rows[i - 1] > rows[i])
      fail(fmt::format("rows {} and {} are equal and have changed places", rows[i], rows[i - 1]));
  }
}

bool are_equal(std::span<const row_keys::part> by, std::uint64_t a, std::uint64_t b) {
  return compare_rows(by, a, b) == 0;
}

}  // namespace ballot::app
