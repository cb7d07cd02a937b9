// SPDX-License-Identifier: Apache-2.0
#include "table_sort/written_rows_check.hpp"

#include "base/failure.hpp"
#include "table_sort/verify_table.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>

namespace ballot::app {
namespace {

void add_hash(std::string_view row, multiset_checksum& to) {
  const std::size_t hash = std::hash<std::string_view>{}(row);
  to.add(std::as_bytes(std::span(&hash, 1)), sizeof hash);
}

std::string_view text_of(std::span<const std::byte> row) {
  return {reinterpret_cast<const char*>(row.data()), row.size()};
}

}  // namespace

void written_rows_check::add(std::span<const std::byte> rows) {
  if (rows.empty()) return;
  auto batch = header_.without_rows(0);
  batch->buffer().append(rows);
  batch_room room;
  try {
    batch->find_rows(true, room);
  } catch (const failure& problem) {
    throw_verification_failure(fmt::format("the written rows cannot be read: {}", problem.what()));
  }
  std::vector<row_keys::part> parts;
  for (const sort_key& key : keys_) parts.push_back({key.column_of(*batch), key.order, key.exact_bits});
  for (std::uint64_t row = 0; row < batch->rows(); ++row, ++count_) {
    add_hash(text_of(batch->row(row)), written_);
    if (row == 0 && !last_) continue;
    const int order =
        row == 0 ? compare_rows(parts_of_last_, last_->rows() - 1, parts, 0) : compare_rows(parts, row - 1, parts, row);
    if (order > 0) throw_verification_failure(fmt::format("written row {} belongs before its predecessor", count_));
    if (order == 0 && unique_) throw_verification_failure(fmt::format("written row {} equals its predecessor", count_));
  }
  if (batch->rows() == 0) return;
  last_ = std::move(batch);
  parts_of_last_ = std::move(parts);
}

void written_rows_check::require_count(std::uint64_t rows) const {
  if (count_ != rows) throw_verification_failure(fmt::format("{} rows are written, not {}", count_, rows));
}

void written_rows_check::require_rows(const table& of, std::span<const std::uint64_t> chosen) const {
  require_count(chosen.size());
  multiset_checksum expected;
  for (const std::uint64_t row : chosen) {
    const std::string_view bytes = text_of(of.row(row));
    if (of.line_end().empty() || bytes.ends_with('\n')) add_hash(bytes, expected);
    else add_hash(std::string(bytes).append(of.line_end()), expected);
  }
  if (!(expected == written_)) throw_verification_failure("the written rows are not those of the input");
}

}  // namespace ballot::app
