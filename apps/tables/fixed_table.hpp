// SPDX-License-Identifier: Apache-2.0
// Rows of one size. A column is an offset in the row and a type.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "columns/npy_type.hpp"
#include "tables/file_table.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ballot::app {

struct fixed_column {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;       // 0: copied with the row, but not to be compared
  std::optional<npy_type> type;  // without: bytes, all of them
  bool empty_is_missing = true;  // texts

  bool is_text() const { return !type || !type->read_as; }
};

class fixed_table : public file_table {
 public:
  std::uint64_t rows() const final { return rows_; }
  std::span<const std::byte> row(std::uint64_t i) const final {
    return bytes_.bytes().subspan(static_cast<std::size_t>(i * row_bytes_), static_cast<std::size_t>(row_bytes_));
  }
  std::optional<equal_rows> rows_of_one_size() const final {
    return equal_rows{bytes_.data(), static_cast<std::size_t>(row_bytes_)};
  }
  std::optional<equal_texts> texts_of_one_size(std::string_view column) const final;
  std::string header(std::uint64_t) const override { return {}; }
  // The count as a u64 behind the row.
  void append_counted(std::span<const std::byte> row, std::uint64_t count, host_buffer& to) const final;
  void count_derived(const std::string& column, std::size_t bytes_a_byte) final;
  bool has_column(std::string_view name) const final { return find(name).has_value(); }
  table_column column(const std::string& name, const requested_type& requested) const final;
  std::optional<stored_column> stored(std::string_view column) const final;
  void find_rows(bool is_end, batch_room& room) final;
  void check_length(std::uint64_t bytes) const final;
  std::string describe_open_rest() const final { return fmt::format("; every row has {} bytes", row_bytes_); }

 protected:
  explicit fixed_table(const std::string& name) : file_table(name, 0) {}
  fixed_table(const fixed_table& other)
      : file_table(other), row_bytes_(other.row_bytes_), copied_(other.copied_), announced_(other.announced_) {}

  virtual std::optional<fixed_column> find(std::string_view name) const = 0;

  // `count`: the number of rows, if the file has it.
  void expect_rows(std::uint64_t row_bytes, std::optional<std::uint64_t> count) {
    row_bytes_ = row_bytes;
    announced_ = count;
  }
  void announce_more(std::uint64_t rows) {
    if (rows > std::numeric_limits<std::uint64_t>::max() - announced_.value_or(0))
      throw failure(fmt::format("{}: the headers count more rows than there can be", name()));
    announced_ = announced_.value_or(0) + rows;
  }
  // A column needs so many bytes for each row beside it.
  void expect_copies(std::uint64_t bytes) { copied_ += bytes; }
  std::uint64_t row_bytes() const { return row_bytes_; }
  std::optional<std::uint64_t> announced() const { return announced_; }

 private:
  // The type of an item in NumPy's words; without: of a number, or bytes.
  virtual std::string descr_of(std::string_view /* column */, const fixed_column& found) const {
    if (found.is_text()) return fmt::format("|S{}", found.bytes);
    return std::string(npy_descr_of(*found.type->read_as));
  }
  const std::byte* place_of(const fixed_column& column, std::uint64_t row) const {
    return bytes_.data() + row * row_bytes_ + column.offset;
  }
  void take_numbers(const fixed_column& from, table_column& column) const;
  void take_bytes(const fixed_column& from, table_column& column) const;
  void take_wide_texts(const fixed_column& from, table_column& column) const;

  std::uint64_t row_bytes_ = 0, copied_ = 0, derived_ = 0;
  std::optional<std::uint64_t> announced_;
  std::uint64_t rows_ = 0;
};

// Shared by all kinds of fixed tables.
template <class Kind>
class fixed_table_of_kind : public fixed_table {
 public:
  std::unique_ptr<file_table> without_rows(std::uint64_t) const final {
    return std::make_unique<Kind>(static_cast<const Kind&>(*this));
  }

 protected:
  using fixed_table::fixed_table;
};

// Whether the text is a whole number, nothing else.
bool is_count(std::string_view digits, std::uint64_t& value);

// The rows of an .npy (npy_table.cpp). `memory`: for an array in Fortran order, which is turned
// round.
std::unique_ptr<file_table> open_npy_table(input_file& file, std::optional<dtype> expected, std::uint64_t memory);

}  // namespace ballot::app
