// SPDX-License-Identifier: Apache-2.0
// Rows of a fixed size: the items, rows or structures of an .npy, records of --record-bytes, the items of a raw or an
// SOSD file. A column is an offset in the row and a type.
//
// SOSD: https://github.com/learnedsystems/SOSD (a count, u64, then the keys, u64 or u32, all little-endian).
#include "base/failure.hpp"
#include "base/text.hpp"
#include "columns/npy.hpp"
#include "files/input_file.hpp"
#include "tables/file_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

struct fixed_column {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::optional<dtype> type;  // of numbers; otherwise bytes
  bool is_padded = false;     // bytes: zeros at the end are none of the text (NumPy's S)
};

bool is_count(std::string_view digits, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
}

// Rows of one size. Derived classes name the columns.
class fixed_table : public file_table {
 public:
  std::uint64_t rows() const final { return rows_; }
  std::span<const std::byte> row(std::uint64_t i) const final {
    return bytes_.bytes().subspan(static_cast<std::size_t>(i * row_bytes_), static_cast<std::size_t>(row_bytes_));
  }
  std::string header(std::uint64_t) const override { return {}; }
  // The count as a u64 behind the row.
  void append_counted(std::span<const std::byte> row, std::uint64_t count, host_buffer& to) const final {
    to.append(row);
    to.append(std::as_bytes(std::span(&count, 1)));
  }
  bool has_column(std::string_view name) const final { return find(name).has_value(); }

  table_column column(const std::string& name, const requested_type& requested) const final {
    const auto found = find(name);
    if (!found) throw_no_column(name);
    if ((requested.type && requested.type != found->type) || (requested.as_text && found->type))
      throw usage_error(fmt::format("{}: column {} has a fixed type: {}", this->name(), in_quotes(name),
                                    found->type ? name_of(*found->type) : "bytes"));
    if (!found->type && found->bytes == 0)
      throw usage_error(fmt::format("{}: column {} cannot be compared: only numbers and bytes (S) can", this->name(),
                                    in_quotes(name)));
    table_column column;
    column.name = name;
    if (found->type) take_numbers(*found, column);
    else take_bytes(*found, column);
    return column;
  }

  void find_rows(bool is_end, batch_room& room) final {
    if (row_bytes_ == 0) {  // an .npy of empty rows is all in its header
      rows_ = is_end ? announced_.value_or(0) : 0;
      return;
    }
    rows_ += room.take_rows((bytes_.size() - found_) / row_bytes_, row_bytes_ + derived_a_row_);
    found_ = static_cast<std::size_t>(rows_ * row_bytes_);
  }
  void count_derived(const std::string& column, std::size_t bytes_a_byte) final {
    if (const auto found = find(column)) derived_a_row_ += found->bytes * bytes_a_byte;
  }
  std::string describe_open_rest() const final { return fmt::format("; every row has {} bytes", row_bytes_); }
  void check_length(std::uint64_t bytes) const final {
    if (!announced_ && (row_bytes_ == 0 || bytes % row_bytes_ != 0))
      throw failure(fmt::format("{}: {} bytes are not a whole number of rows of {}", name(), bytes, row_bytes_));
    if (!announced_) return;
    const bool too_many = row_bytes_ != 0 && *announced_ > std::numeric_limits<std::uint64_t>::max() / row_bytes_;
    if (too_many || bytes < *announced_ * row_bytes_)
      throw failure(fmt::format("{}: truncated: {} rows of {} bytes were announced, {} bytes are there", name(),
                                *announced_, row_bytes_, bytes));
    if (bytes > *announced_ * row_bytes_)
      throw failure(fmt::format("{}: {} bytes after the {} rows that the header announces", name(),
                                bytes - *announced_ * row_bytes_, *announced_));
  }

 protected:
  explicit fixed_table(const std::string& name) : file_table(name, 0) {}
  fixed_table(const fixed_table& other)
      : file_table(other), row_bytes_(other.row_bytes_), announced_(other.announced_) {}

  virtual std::optional<fixed_column> find(std::string_view name) const = 0;

  // `count`: the number of rows, if the file has it.
  void expect_rows(std::uint64_t row_bytes, std::optional<std::uint64_t> count) {
    row_bytes_ = row_bytes;
    announced_ = count;
  }

 private:
  const std::byte* place_of(const fixed_column& column, std::uint64_t row) const {
    return bytes_.data() + row * row_bytes_ + column.offset;
  }

  void take_numbers(const fixed_column& from, table_column& column) const {
    column.type = *from.type;
    visit_dtype(column.type, [&]<class T>(std::type_identity<T>) {
      column.numbers.resize(static_cast<std::size_t>(rows_) * sizeof(T));
      const std::span<T> numbers = column.numbers.as<T>();
      tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, rows_, 1 << 16), [&](const auto& range) {
        for (std::uint64_t i = range.begin(); i != range.end(); ++i)
          std::memcpy(&numbers[i], place_of(from, i), sizeof(T));
      });
    });
  }

  void take_bytes(const fixed_column& from, table_column& column) const {
    column.is_text = true;
    if (!from.is_padded) column.fixed_length = static_cast<std::size_t>(from.bytes);
    column.texts.resize(rows_);
    column.empty.resize(from.is_padded ? rows_ : 0);
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, rows_, 1 << 16), [&](const auto& range) {
      for (std::uint64_t i = range.begin(); i != range.end(); ++i) {
        std::string_view text(reinterpret_cast<const char*>(place_of(from, i)), static_cast<std::size_t>(from.bytes));
        while (from.is_padded && text.ends_with('\0')) text.remove_suffix(1);
        column.texts[i] = text;
        if (from.is_padded) column.empty[i] = text.empty();
      }
    });
  }

  std::uint64_t row_bytes_ = 0, derived_a_row_ = 0;
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

class npy_table final : public fixed_table_of_kind<npy_table> {
 public:
  npy_table(input_file& file, std::optional<dtype> expected) : fixed_table_of_kind(file.name()) {
    try {
      header_ = read_npy_header(file);
      if (header_.shape.empty()) throw failure("the array is 0-dimensional: there are no rows");
      if (header_.shape.size() > 2)
        throw failure(fmt::format("the array is {}-dimensional, shape ({}): tables of 1 and 2 dimensions are read",
                                  header_.shape.size(), fmt::join(header_.shape, ", ")));
      require_c_order(header_);
      for (const npy_field& field : npy_fields(header_)) {
        fields_.emplace_back(field.name, column_of(field));
        item_bytes_ += field.bytes;
      }
      if (expected && (header_.structured || fields_[0].second.type != expected))
        throw failure(fmt::format("--dtype {} contradicts the file, whose items are {}", name_of(*expected),
                                  header_.descr.substr(0, 60)));
      std::uint64_t row_bytes = item_bytes_;
      for (std::size_t i = 1; i < header_.shape.size(); ++i) {
        if (header_.shape[i] != 0 && row_bytes > std::numeric_limits<std::uint64_t>::max() / header_.shape[i])
          throw failure(fmt::format("bad .npy header: an array of shape ({})", fmt::join(header_.shape, ", ")));
        row_bytes *= header_.shape[i];
        columns_ *= header_.shape[i];
      }
      if (header_.structured && header_.shape.size() > 1)
        throw failure(fmt::format("the array of structures is {}-dimensional: only 1-dimensional ones are read",
                                  header_.shape.size()));
      expect_rows(row_bytes, header_.shape[0]);
    } catch (const usage_error&) {
      throw;
    } catch (const failure& problem) {
      throw failure(fmt::format("{}: {}", name(), problem.what()));
    }
  }

  std::string header(std::uint64_t rows) const override {
    npy_header header = header_;
    header.shape[0] = rows;
    return npy_preamble(header);
  }
  // An array of structures: the fields, or the items of a row as "value", and then "count".
  std::string counted_header(std::uint64_t rows) const override {
    npy_header header;
    header.structured = true;
    header.shape = {rows};
    if (header_.structured) {
      std::string name = "count";
      for (int i = 2; find(name); ++i) name = fmt::format("count{}", i);
      const std::size_t end = header_.descr.rfind(']');
      const std::size_t last = header_.descr.find_last_not_of(", ", end - 1);
      header.descr = fmt::format("{}{}('{}', '<u8')]", header_.descr.substr(0, last + 1),
                                 header_.descr[last] == '[' ? "" : ", ", name);
    } else {
      const std::string length = header_.shape.size() > 1 ? fmt::format(", ({},)", columns_) : "";
      header.descr = fmt::format("[('value', '{}'{}), ('count', '<u8')]", header_.descr, length);
    }
    return npy_preamble(header);
  }
  std::string only_column() const override { return header_.shape.size() == 1 && !header_.structured ? "value" : ""; }
  std::string columns_in_words() const override {
    if (!only_column().empty()) return only_column();
    if (!header_.structured) return columns_ == 0 ? "none" : fmt::format("0 to {}", columns_ - 1);
    std::vector<std::string_view> names;
    for (const auto& [name, column] : fields_)
      if (!name.empty()) names.push_back(name);
    return fmt::format("{}", fmt::join(names, ", "));
  }

 private:
  static fixed_column column_of(const npy_field& field) {
    fixed_column column{field.offset, field.bytes, dtype_of_npy_descr(field.descr)};
    if (field.descr.size() == 3 && field.descr.ends_with("b1")) column.type = dtype::u8;
    const bool is_bytes = field.descr.size() > 1 && (field.descr[1] == 'S' || field.descr[1] == 'a');
    column.is_padded = is_bytes;
    if (!column.type && !is_bytes) column.bytes = 0;  // copied with the row, but not a key
    return column;
  }

  std::optional<fixed_column> find(std::string_view name) const override {
    if (header_.structured) {
      for (const auto& [candidate, column] : fields_)
        if (!candidate.empty() && candidate == name) return column;
      return std::nullopt;
    }
    fixed_column column = fields_[0].second;
    if (name == only_column()) return column;
    std::uint64_t number = 0;
    if (!only_column().empty() || !is_count(name, number) || number >= columns_) return std::nullopt;
    column.offset = number * item_bytes_;
    return column;
  }

  npy_header header_;
  std::vector<std::pair<std::string, fixed_column>> fields_;
  std::uint64_t item_bytes_ = 0;
  std::uint64_t columns_ = 1;
};

class records_table final : public fixed_table_of_kind<records_table> {
 public:
  records_table(const input_file& file, std::uint64_t record_bytes)
      : fixed_table_of_kind(file.name()), record_bytes_(record_bytes) {
    expect_rows(record_bytes, std::nullopt);
  }
  std::string counted_header(std::uint64_t) const override { return {}; }
  std::string columns_in_words() const override {
    return fmt::format("OFFSET:LENGTH (bytes) or OFFSET:TYPE ({}) within the {} bytes of a record", dtype_names,
                       record_bytes_);
  }

 private:
  std::optional<fixed_column> find(std::string_view name) const override {
    const std::size_t colon = name.find(':');
    fixed_column column;
    if (colon == std::string_view::npos || !is_count(name.substr(0, colon), column.offset)) return std::nullopt;
    column.type = dtype_named(name.substr(colon + 1));
    if (column.type) column.bytes = size_of(*column.type);
    else if (!is_count(name.substr(colon + 1), column.bytes) || column.bytes == 0) return std::nullopt;
    if (column.offset > record_bytes_ || column.bytes > record_bytes_ - column.offset) return std::nullopt;
    return column;
  }

  std::uint64_t record_bytes_;
};

// One number a row: raw items, and SOSD's behind their count.
class items_table final : public fixed_table_of_kind<items_table> {
 public:
  items_table(input_file& file, dtype type, bool has_count)
      : fixed_table_of_kind(file.name()), type_(type), has_count_(has_count) {
    std::optional<std::uint64_t> count;
    if (has_count) {
      std::uint64_t announced = 0;
      if (file.read(std::as_writable_bytes(std::span(&announced, 1))) < sizeof announced)
        throw failure(fmt::format("{}: truncated: an SOSD file begins with a count of 8 bytes", name()));
      count = announced;
    }
    expect_rows(size_of(type), count);
  }
  std::string header(std::uint64_t rows) const override {
    return has_count_ ? std::string(reinterpret_cast<const char*>(&rows), sizeof rows) : std::string();
  }
  std::string counted_header(std::uint64_t rows) const override {
    return has_count_ ? table::counted_header(rows) : std::string();
  }
  std::string columns_in_words() const override { return only_column(); }
  std::string only_column() const override { return "value"; }

 private:
  std::optional<fixed_column> find(std::string_view name) const override {
    if (name != only_column()) return std::nullopt;
    return fixed_column{0, size_of(type_), type_};
  }

  dtype type_;
  bool has_count_;
};

}  // namespace

std::unique_ptr<file_table> open_fixed_header(const table_request& request, input_file& file) {
  if (request.format == table_format::npy) return std::make_unique<npy_table>(file, request.type);
  if (request.format == table_format::records) return std::make_unique<records_table>(file, *request.record_bytes);
  const bool is_sosd = request.format == table_format::sosd;
  if (!is_sosd && !request.type)
    throw usage_error(fmt::format("{}: raw data needs a type: use --dtype ({})", request.path, dtype_names));
  const dtype type = request.type.value_or(dtype::u64);
  if (is_sosd && type != dtype::u64 && type != dtype::u32)
    throw usage_error(fmt::format("{}: SOSD files hold u64 or u32, not {}", request.path, name_of(type)));
  return std::make_unique<items_table>(file, type, is_sosd);
}

}  // namespace ballot::app
