// SPDX-License-Identifier: Apache-2.0
// A table read from a file. Its header (or preamble) is read first. The rows follow at once or in
// batches (table_batches.hpp); each batch is a table with the same columns.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/bulk_vector.hpp"
#include "base/host_buffer.hpp"
#include "files/file_parts.hpp"
#include "files/input_file.hpp"
#include "tables/split_lines.hpp"
#include "tables/table.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ballot::app {

// The memory for the rows of a batch: for each row its bytes, and `bytes_a_row` for its keys and
// numbers.
class batch_room {
 public:
  batch_room() = default;  // unlimited
  batch_room(std::uint64_t bytes, std::uint64_t bytes_a_row, std::uint64_t longest_row, std::uint64_t rows)
      : bytes_(bytes), bytes_a_row_(bytes_a_row), longest_row_(longest_row), rows_(rows) {}

  // Takes one row, if there is room for it.
  bool take(std::uint64_t row_bytes) { return take_rows(1, row_bytes) == 1; }
  // Takes up to `rows` rows of the same size, and returns how many there was room for.
  std::uint64_t take_rows(std::uint64_t rows, std::uint64_t row_bytes) {
    if (rows == 0) return 0;
    const std::uint64_t each = std::max<std::uint64_t>(row_bytes + bytes_a_row_, 1);
    const std::uint64_t fit = rows == 1 ? std::uint64_t{each <= bytes_} : bytes_ / each;  // without a division for one
    const std::uint64_t taken = each > longest_row_ ? 0 : std::min({rows, rows_, fit});
    is_full_ = taken < rows;
    rows_ -= taken;
    bytes_ -= taken * each;
    if (taken != 0) largest_row_ = std::max(largest_row_, each);
    return taken;
  }

  bool is_full() const { return is_full_; }
  bool is_unlimited() const { return bytes_ == unlimited && longest_row_ == unlimited && rows_ == unlimited; }
  std::uint64_t bytes_left() const { return bytes_; }
  std::uint64_t largest_row() const { return largest_row_; }  // of the rows taken, with bytes_a_row

 private:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bytes_ = unlimited, bytes_a_row_ = 0, longest_row_ = unlimited, rows_ = unlimited, largest_row_ = 0;
  bool is_full_ = false;
};

class file_table : public table {
 public:
  const std::string& name() const final { return name_; }
  std::uint64_t bytes() const final { return header_bytes_ + bytes_.size(); }

  // A table with the same columns and no rows. `line_ends_before` is the number of line ends of the
  // file before its rows.
  virtual std::unique_ptr<file_table> without_rows(std::uint64_t line_ends_before) const = 0;

  // Counts the bytes of the header as bytes of this table.
  void count_header_bytes(const file_table& header) { header_bytes_ = header.header_bytes_; }

  // The bytes of the rows; the reader appends to it.
  host_buffer& buffer() { return bytes_; }
  // Finds the rows in the appended bytes, as far as there is room. `is_end`: no more bytes follow.
  virtual void find_rows(bool is_end, batch_room& room) = 0;
  // Where the last row seems to end, in a text that begins with a row and has so many `quotes`. 0:
  // no row ends in it. Only line ends and quotes are looked at, so the answer is a guess. Only for
  // formats with lines.
  virtual std::size_t end_of_last_row(std::string_view text, std::size_t quotes) const {
    (void)quotes;
    const std::size_t line_feed = text.rfind('\n');
    return line_feed == std::string_view::npos ? 0 : line_feed + 1;
  }
  // Before find_rows(): these columns are going to be read, so that the places of their fields may
  // be remembered (some bytes a row).
  virtual void remember_fields(const std::vector<std::string>& /* columns */) {}
  // Before find_rows(): so many rows are likely to be found.
  virtual void expect_rows(std::uint64_t /* rows */) {}
  // Before find_rows(): each byte of this column needs so many more bytes of the room, for keys
  // that are derived from it.
  virtual void count_derived(const std::string& column, std::size_t bytes_a_byte) = 0;
  // The bytes that were read and belong to no row yet.
  std::span<const std::byte> rest() const { return bytes_.bytes().subspan(found_); }
  void drop_rest() { bytes_.resize(found_); }
  // Throws failure if the rows of the file cannot be so many bytes.
  virtual void check_length(std::uint64_t /* bytes */) const {}
  // The rows of another file come behind those of this one. Throws failure where its header does
  // not fit.
  virtual void join(const file_table& /* other */) {}
  // Throws failure where a row has a column that is none of column_names().
  virtual void require_known_columns() const {}
  // If append_counted() makes rows of another kind: their table.
  virtual std::unique_ptr<file_table> counted_table() const { return nullptr; }
  // Which line is in which of several files.
  void use_parts(std::shared_ptr<const file_parts> parts) { parts_ = std::move(parts); }
  const file_parts* parts() const { return parts_.get(); }
  // The position of the next row, for messages.
  virtual std::string describe_rest() const { return name(); }
  // More about the rest, for the message that a row is too long: its open quote, or its length.
  virtual std::string describe_open_rest() const { return {}; }

 protected:
  file_table(std::string name, std::uint64_t header_bytes) : name_(std::move(name)), header_bytes_(header_bytes) {}
  file_table(const file_table& other)
      : table(), name_(other.name_), parts_(other.parts_) {}  // for without_rows(): without the header's bytes

  host_buffer bytes_;
  std::size_t found_ = 0;  // bytes that belong to rows

 private:
  std::string name_;
  std::shared_ptr<const file_parts> parts_;
  std::uint64_t header_bytes_ = 0;
};

// Rows of text, each with its line end.
class text_table : public file_table {
 public:
  std::uint64_t rows() const final { return rows_.size(); }
  std::span<const std::byte> row(std::uint64_t i) const final {
    return bytes_.bytes().subspan(rows_[i].begin, rows_[i].end - rows_[i].begin);
  }
  std::uint64_t blank_lines() const final { return blank_lines_; }
  void expect_rows(std::uint64_t rows) override { rows_.reserve(static_cast<std::size_t>(rows)); }
  std::string describe_rest() const final { return place(found_); }
  std::string place_of_row(std::uint64_t row) const final { return place(rows_[row].begin); }

 protected:
  text_table(std::string name, std::uint64_t header_bytes, std::uint64_t line_ends_before)
      : file_table(std::move(name), header_bytes), line_ends_before_(line_ends_before) {}
  text_table(const text_table& other, std::uint64_t line_ends_before)
      : file_table(other), line_ends_before_(line_ends_before) {}

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }
  std::string_view row_text(std::uint64_t i) const {
    return text().substr(rows_[i].begin, rows_[i].end - rows_[i].begin);
  }
  std::size_t row_begin(std::uint64_t i) const { return static_cast<std::size_t>(rows_[i].begin); }
  static std::string_view without_line_end(std::span<const std::byte> row) {
    std::string_view text(reinterpret_cast<const char*>(row.data()), row.size());
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }
  void add_row(std::size_t begin, std::size_t end) { rows_.push_back({begin, end}); }
  void add_blank_line() { ++blank_lines_; }
  // Takes rows from found_ on; false where there is no room for the next.
  bool take_rows(std::span<const found_row> rows, batch_room& room) {
    for (const found_row& row : rows) {
      if (row.is_blank) add_blank_line();
      else if (!room.take(row.end - row.begin + row.copied)) return false;
      else add_row(row.begin, row.end);
      found_ = row.end;
    }
    return true;
  }
  // "file:17", for messages. Lines are counted only when a message needs the number.
  std::string place(std::size_t at) const;
  std::string place_of_line(std::uint64_t line) const;
  std::uint64_t line_of(std::size_t at) const;
  std::uint64_t line_of_row(std::uint64_t row) const { return line_of(rows_[row].begin); }

 private:
  struct row_range {
    std::uint64_t begin, end;
  };
  bulk_vector<row_range> rows_;
  std::uint64_t blank_lines_ = 0, line_ends_before_;
};

// Reads the header of a file. Throws failure if it is longer than `longest` bytes. `memory`: for
// what must be held.
std::unique_ptr<file_table> open_table_header(const table_request& request, input_file& file, std::uint64_t longest,
                                              std::uint64_t memory);

// For one format each: json_lines_table.cpp, csv_table.cpp, lines_table.cpp, fixed_table.cpp.
std::unique_ptr<file_table> open_csv_header(const table_request& request, input_file& file, std::uint64_t longest);
std::unique_ptr<file_table> open_lines_header(const table_request& request, input_file& file, std::uint64_t longest);
std::unique_ptr<file_table> open_json_lines_header(input_file& file, std::uint64_t longest);
std::unique_ptr<file_table> open_fixed_header(const table_request& request, input_file& file, std::uint64_t memory);

}  // namespace ballot::app
