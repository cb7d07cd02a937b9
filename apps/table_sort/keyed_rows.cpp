// SPDX-License-Identifier: Apache-2.0
#include "table_sort/keyed_rows.hpp"

#include "table_sort/key_bits.hpp"

#include <ballot/core/key_order.hpp>

#include <utility>

namespace ballot::app {
namespace {

std::uint64_t number_key(const row_keys::part& p, std::uint64_t row) {
  if (p.column.is_empty(row)) return last_key;
  return visit_dtype(p.column.type, [&]<class T>(std::type_identity<T>) {
    const T number = p.column.numbers.as<T>()[row];
    return static_cast<std::uint64_t>(ordered_bits(p.exact_bits ? number : canonical(number), p.order));
  });
}

std::uint64_t text_key(const row_keys::part& p, std::uint64_t row) {
  if (p.column.is_empty(row)) return last_key;
  return big_endian_key(p.column.texts[row]) ^ (p.order == direction::descending ? last_key : 0);
}

std::strong_ordering compare(const row_keys::part& by_a, std::uint64_t a, const row_keys::part& by_b, std::uint64_t b) {
  // A number or a text may have the key of empty fields, which come behind it.
  const bool empty_a = by_a.column.is_empty(a), empty_b = by_b.column.is_empty(b);
  if (empty_a || empty_b) return empty_a <=> empty_b;
  if (!by_a.column.is_text) return number_key(by_a, a) <=> number_key(by_b, b);
  const auto order = by_a.column.texts[a] <=> by_b.column.texts[b];
  return by_a.order == direction::descending ? 0 <=> order : order;
}

}  // namespace

keyed_rows::keyed_rows(std::unique_ptr<const table> rows, std::span<const sort_key> keys) : rows_(std::move(rows)) {
  for (const sort_key& key : keys) parts_.push_back({key.column_of(*rows_), key.order, key.exact_bits});
  leading_keys_.resize(rows_->rows());
  const row_keys::part& first = parts_.front();
  for (std::uint64_t row = 0; row < leading_keys_.size(); ++row)
    leading_keys_[row] = first.column.is_text ? text_key(first, row) : number_key(first, row);
}

std::strong_ordering keyed_row::operator<=>(const keyed_row& other) const {
  if (first_key != other.first_key) return first_key <=> other.first_key;
  const auto parts = batch->parts(), other_parts = other.batch->parts();
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (const auto order = compare(parts[i], row, other_parts[i], other.row); order != 0) return order;
  return std::strong_ordering::equal;
}

}  // namespace ballot::app
