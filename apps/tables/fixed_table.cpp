// SPDX-License-Identifier: Apache-2.0
// Rows of a fixed size: records of --record-bytes, the items of a raw or an SOSD file;
// npy_table.cpp has those of .npy.
//
// SOSD: https://github.com/learnedsystems/SOSD (a count, u64, then the keys, u64 or u32, all
// little-endian).
#include "tables/fixed_table.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"
#include "tables/row_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <limits>
#include <utility>

namespace ballot::app {

bool is_count(std::string_view digits, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
}

namespace {

// "<M8[ms]". Columns with other units, such as months or 25 seconds, have plain numbers.
time_scale scale_of_descr(std::string_view descr) {
  constexpr std::pair<std::string_view, time_scale> scales[] = {
      {"[D]", {1, 86400}}, {"[h]", {1, 3600}},     {"[m]", {1, 60}},         {"[s]", {1, 1}},
      {"[ms]", {1000, 1}}, {"[us]", {1000000, 1}}, {"[ns]", {1000000000, 1}}};
  for (const auto& [unit, scale] : scales)
    if (descr.ends_with(unit)) return scale;
  return {};
}

}  // namespace

table_column fixed_table::column(const std::string& name, const requested_type& requested) const {
  const auto found = find(name);
  if (!found) throw_no_column(name);
  const bool is_text = found->is_text();
  if ((requested.type && (is_text || requested.type != found->type->read_as)) || (requested.as_text && !is_text))
    throw usage_error(fmt::format("{}: column {} has a fixed type: {}", this->name(), in_quotes(name),
                                  is_text ? "bytes" : name_of(*found->type->read_as)));
  if (is_text && found->bytes == 0)
    throw usage_error(fmt::format("{}: column {} cannot be compared: only numbers, times and texts (S, U) can",
                                  this->name(), in_quotes(name)));
  table_column column;
  column.name = name;
  if (found->type && found->type->kind == npy_type::date) column.times = scale_of_descr(descr_of(name, *found));
  if (!is_text) take_numbers(*found, column);
  else if (found->type && found->type->kind == npy_type::wide) take_wide_texts(*found, column);
  else take_bytes(*found, column);
  return column;
}

std::optional<table::stored_column> fixed_table::stored(std::string_view column) const {
  const auto found = find(column);
  if (!found || (found->is_text() && found->bytes == 0)) return std::nullopt;
  return stored_column{found->offset, found->bytes, descr_of(column, *found)};
}

std::optional<table::equal_texts> fixed_table::texts_of_one_size(std::string_view column) const {
  const auto found = find(column);
  if (!found || found->type || found->bytes == 0) return std::nullopt;  // a type of NumPy pads texts
  return equal_texts{bytes_.data() + found->offset, static_cast<std::size_t>(found->bytes),
                     static_cast<std::size_t>(row_bytes_)};
}

void fixed_table::find_rows(bool is_end, batch_room& room) {
  if (row_bytes_ == 0) {  // an .npy of empty rows is all in its header
    rows_ = is_end ? announced_.value_or(0) : 0;
    return;
  }
  rows_ += room.take_rows((bytes_.size() - found_) / row_bytes_, row_bytes_ + copied_ + derived_);
  found_ = static_cast<std::size_t>(rows_ * row_bytes_);
}

void fixed_table::append_counted(std::span<const std::byte> row, std::uint64_t count, host_buffer& to) const {
  to.append(row);
  to.append(std::as_bytes(std::span(&count, 1)));
}

void fixed_table::count_derived(const std::string& column, std::size_t bytes_a_byte) {
  if (const auto found = find(column)) derived_ += found->bytes * bytes_a_byte;
}

void fixed_table::check_length(std::uint64_t bytes) const {
  if (!announced_ && (row_bytes_ == 0 || bytes % row_bytes_ != 0))
    throw failure(fmt::format("{}: {} bytes are not a whole number of rows of {}", name(), bytes, row_bytes_));
  if (!announced_) return;
  const bool too_many = row_bytes_ != 0 && *announced_ > std::numeric_limits<std::uint64_t>::max() / row_bytes_;
  if (too_many || bytes < *announced_ * row_bytes_)
    throw failure(fmt::format("{}: truncated: the header counts {} rows of {} bytes, but {} bytes are there", name(),
                              *announced_, row_bytes_, bytes));
  if (bytes > *announced_ * row_bytes_)
    throw failure(fmt::format("{}: {} bytes after the {} rows that the header counts", name(),
                              bytes - *announced_ * row_bytes_, *announced_));
}

void fixed_table::take_numbers(const fixed_column& from, table_column& column) const {
  column.type = *from.type->read_as;
  column.numbers.resize(static_cast<std::size_t>(rows_) * size_of(column.type));
  if (rows_ == 0) return;
  read_npy_items(*from.type, place_of(from, 0), row_bytes_, rows_, column.numbers.data());
  if (!from.type->has_nat()) return;
  const std::span<std::int64_t> times = column.numbers.as<std::int64_t>();
  column.empty.resize(rows_);
  std::atomic<bool> has_none = false;
  for_each_row_chunk(rows_, [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
    bool found = false;
    for (std::uint64_t row = first; row < last; ++row) {
      if (times[row] != not_a_time) continue;
      column.empty[row] = 1;
      times[row] = 0;
      found = true;
    }
    if (found) has_none = true;
  });
  if (!has_none) column.empty.clear();
}

void fixed_table::take_bytes(const fixed_column& from, table_column& column) const {
  const bool is_padded = from.type.has_value();
  column.is_text = true;
  if (!is_padded) column.fixed_length = static_cast<std::size_t>(from.bytes);
  column.texts.resize(rows_);
  column.empty.resize(is_padded && from.empty_is_missing ? rows_ : 0);
  for_each_row_chunk(rows_, [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; ++row) {
      std::string_view text(reinterpret_cast<const char*>(place_of(from, row)), static_cast<std::size_t>(from.bytes));
      while (is_padded && text.ends_with('\0')) text.remove_suffix(1);
      column.texts[row] = text;
      if (!column.empty.empty()) column.empty[row] = text.empty();
    }
  });
}

void fixed_table::take_wide_texts(const fixed_column& from, table_column& column) const {
  column.is_text = true;
  column.texts.resize(rows_);
  column.empty.resize(from.empty_is_missing ? rows_ : 0);
  column.unquoted.resize(row_chunks(rows_));
  for_each_row_chunk(rows_, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; ++row) {
      try {
        column.texts[row] = column.unquoted[chunk].emplace_back(text_of_wide(*from.type, place_of(from, row)));
      } catch (const failure& problem) {
        throw failure(fmt::format("{}: column {}: {}", name(), in_quotes(column.name), problem.what()));
      }
      if (!column.empty.empty()) column.empty[row] = column.texts[row].empty();
    }
  });
}

namespace {

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
    if (const auto number = dtype_named(name.substr(colon + 1))) {
      column.type = npy_type_of(npy_descr_of(*number));
      column.bytes = size_of(*number);
    } else if (!is_count(name.substr(colon + 1), column.bytes) || column.bytes == 0) {
      return std::nullopt;
    }
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
  void join(const file_table& other) override {
    if (const auto more = static_cast<const items_table&>(other).announced()) announce_more(*more);
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
    return fixed_column{0, size_of(type_), npy_type_of(npy_descr_of(type_))};
  }

  dtype type_;
  bool has_count_;
};

}  // namespace

std::unique_ptr<file_table> open_fixed_header(const table_request& request, input_file& file, std::uint64_t memory) {
  if (request.format == table_format::npy) return open_npy_table(file, request.type, memory);
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
