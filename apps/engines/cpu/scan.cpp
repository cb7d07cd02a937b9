// SPDX-License-Identifier: Apache-2.0
// Rows go to the cores as a whole, summed from end to end. A row that is long is cut into pieces of
// a fixed length: the pieces' sums first, then what comes before each, then the pieces. Whether a
// row is long depends on its length alone. So the bits of a float sum do not depend on the number
// of cores or rows.
#include "engines/cpu/scan.hpp"

#include <ballot/core/double_float.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::uint64_t piece_items = std::uint64_t{1} << 18;

// The places of a row in the order of the sum.
struct walk {
  std::uint64_t length;
  bool backward;
  std::uint64_t place(std::uint64_t i) const { return backward ? length - 1 - i : i; }
};

template <class T>
T plus_item(T sum, T item) {
  return plus{}(sum, item);
}
inline double plus_item(double sum, float item) { return sum + static_cast<double>(item); }
// Normalised after each item, so that a long loop does not outgrow the low part; an overflowed sum
// stays what floats give.
inline double_float normalised(double_float sum) { return sum.low == sum.low ? two_sum(sum.high, sum.low) : sum; }
inline double_float plus_item(double_float sum, float item) { return normalised(sum + item); }

template <class Sum, class T>
Sum first_item(T item) {
  if constexpr (std::is_same_v<Sum, double_float>) return {item, 0.0f};
  else return item;
}

template <class Sum, class T>
Sum sum_of(const T* row, const walk& along, std::uint64_t begin, std::uint64_t end) {
  Sum sum = first_item<Sum>(row[along.place(begin)]);
  for (std::uint64_t i = begin + 1; i < end; ++i) sum = plus_item(sum, row[along.place(i)]);
  return sum;
}

// Sums [begin, end) in place, on top of `before` where begin is not 0.
template <class Sum, class T>
void scan_piece(T* row, const walk& along, std::uint64_t begin, std::uint64_t end, Sum before) {
  for (std::uint64_t i = begin; i < end; ++i) {
    T& item = row[along.place(i)];
    before = i == 0 ? first_item<Sum>(item) : plus_item(before, item);
    item = static_cast<T>(before);
  }
}

template <class Sum, class T>
void scan_row(T* row, const walk& along) {
  if (along.length <= piece_items) return scan_piece(row, along, 0, along.length, Sum{});
  const std::uint64_t pieces = (along.length + piece_items - 1) / piece_items;
  const auto end_of = [&](std::uint64_t piece) { return std::min(along.length, (piece + 1) * piece_items); };
  std::vector<Sum> before(pieces);  // of the items in front of each piece; the first is not used
  tbb::parallel_for(std::uint64_t{0}, pieces - 1,
                    [&](std::uint64_t p) { before[p + 1] = sum_of<Sum>(row, along, p * piece_items, end_of(p)); });
  for (std::uint64_t p = 2; p < pieces; ++p) {
    before[p] = plus{}(before[p - 1], before[p]);
    if constexpr (std::is_same_v<Sum, double_float>) before[p] = normalised(before[p]);
  }
  tbb::parallel_for(std::uint64_t{0}, pieces,
                    [&](std::uint64_t p) { scan_piece(row, along, p * piece_items, end_of(p), before[p]); });
}

template <class Sum, class T>
void scan_rows(const scan_request& request, T* items) {
  tbb::parallel_for(std::uint64_t{0}, request.rows, [&](std::uint64_t r) {
    T* const row = items + r * request.length;
    if (request.direction != row_direction::backward) scan_row<Sum>(row, {request.length, false});
    if (request.direction != row_direction::forward) scan_row<Sum>(row, {request.length, true});
  });
}

}  // namespace

void scan_rows_on_cpu(const scan_request& request, std::span<std::byte> items) {
  if (items.empty()) return;
  visit_dtype(request.type, [&]<class T>(std::type_identity<T>) {
    T* const first = reinterpret_cast<T*>(items.data());
    if constexpr (std::is_same_v<T, float>) {
      switch (request.accumulator) {
        case row_accumulator::double_float:
          return scan_rows<double_float>(request, first);
        case row_accumulator::float64:
          return scan_rows<double>(request, first);
        case row_accumulator::item:
          break;
      }
    }
    scan_rows<T>(request, first);
  });
}

}  // namespace ballot::app
