// SPDX-License-Identifier: Apache-2.0
// Encoders that copy fields as they are.
#include "base/failure.hpp"
#include "columns/npy_header.hpp"
#include "tables/csv_reader.hpp"
#include "tables/json_reader.hpp"
#include "tables/row_encoder.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace ballot::app {
namespace {

std::string_view text_of(std::span<const std::byte> row) {
  return {reinterpret_cast<const char*>(row.data()), row.size()};
}

class csv_projector final : public row_encoder {
 public:
  csv_projector(const table& from, const std::vector<output_column>& columns, const table_request& source,
                char delimiter)
      : from_(source.delimiter), to_(delimiter), line_end_(from.line_end()) {
    const auto names = from.column_names();
    for (const output_column& column : columns) places_.push_back(place_of(column.name, names));
    if (!source.has_header) return;
    std::string head = from.header(0);  // a byte order mark is not copied: nobody needs it
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (head.starts_with(mark)) head.erase(0, mark.size());
    append(header_, head);
  }
  std::string header(std::uint64_t) const override { return header_; }
  void encode(const file_table& batch, const writer& write) const override {
    write_parts(batch.rows(), write, [&](std::string& to, std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t row = first; row < last; ++row) append(to, text_of(batch.row(row)));
    });
  }

 private:
  // By name, or by number: #2.
  static std::size_t place_of(const std::string& column, const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), column);
    if (found != names.end()) {
      if (std::find(found + 1, names.end(), column) != names.end())
        throw usage_error(
            fmt::format("--columns {}: there are two columns of that name: use their numbers (#2)", column));
      return static_cast<std::size_t>(found - names.begin());
    }
    return static_cast<std::size_t>(std::stoull(column.starts_with('#') ? column.substr(1) : column)) - 1;
  }

  void append(std::string& to, std::string_view record) const {
    std::vector<field_bytes> fields;
    csv_reader(record, from_).record(0, [&](const field_bytes& field) {
      fields.push_back(field);
      return true;
    });
    bool is_first = true;
    const std::size_t begin = to.size();
    for (const std::size_t place : places_) {
      if (!std::exchange(is_first, false)) to += to_;
      const std::string_view text = fields[place].text;
      const bool was_quoted = text.data() != record.data() && text.data()[-1] == '"';
      const bool needs_quotes = was_quoted || (to_ != from_ && text.find(to_) != std::string_view::npos);
      if (needs_quotes) to += '"';
      if (was_quoted || !needs_quotes) to += text;
      else
        for (const char c : text) to.append(c == '"' ? 2 : 1, c);
      if (needs_quotes) to += '"';
    }
    if (to.size() == begin) to += "\"\"";  // an empty line would be no row
    to += line_end_;
  }

  char from_, to_;
  std::string_view line_end_;
  std::vector<std::size_t> places_;
  std::string header_;
};

class json_projector final : public row_encoder {
 public:
  explicit json_projector(const std::vector<output_column>& columns) : columns_(columns) {}
  std::string header(std::uint64_t) const override { return {}; }
  void encode(const file_table& batch, const writer& write) const override {
    write_parts(batch.rows(), write, [&](std::string& to, std::uint64_t first, std::uint64_t last) {
      std::vector<std::string_view> values;
      for (std::uint64_t row = first; row < last; ++row) append(to, text_of(batch.row(row)), values);
    });
  }

 private:
  void append(std::string& to, std::string_view line, std::vector<std::string_view>& values) const {
    values.assign(columns_.size(), {});
    json_reader(line).object([&](const json_value& key, const json_value& value) {
      const std::string plain = key.is_escaped ? unescaped_json(key.text) : std::string();
      const std::string_view name = key.is_escaped ? plain : key.text;
      for (std::size_t i = 0; i < columns_.size(); ++i)
        if (columns_[i].name == name)
          values[i] = value.kind == json_value::string
                          ? std::string_view(value.text.data() - 1, value.text.size() + 2)  // with its quotes
                          : value.text;
    });
    to += '{';
    bool is_first = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (values[i].empty()) continue;
      if (!std::exchange(is_first, false)) to += ',';
      append_json_string(to, columns_[i].name);
      to += ':';
      to += values[i];
    }
    to += "}\n";
  }

  std::vector<output_column> columns_;
};

class npy_projector final : public row_encoder {
 public:
  npy_projector(const table& from, const std::vector<output_column>& columns, std::vector<table::stored_column> stored)
      : stored_(std::move(stored)) {
    for (const table::stored_column& column : stored_) row_bytes_ += column.bytes;
    if (from.is_matrix()) {
      header_.descr = stored_.front().descr;
      header_.shape = {0, stored_.size()};
    } else if (!from.only_column().empty()) {
      header_.descr = stored_.front().descr;
      header_.shape = {0};
    } else {
      header_.structured = true;
      header_.shape = {0};
      header_.descr = "[";
      for (std::size_t i = 0; i < stored_.size(); ++i)
        header_.descr += fmt::format("{}('{}', '{}')", i == 0 ? "" : ", ", columns[i].name, stored_[i].descr);
      header_.descr += "]";
    }
  }
  std::string header(std::uint64_t rows) const override {
    npy_header header = header_;
    header.shape[0] = rows;
    return npy_preamble(header);
  }
  void encode(const file_table& batch, const writer& write) const override {
    host_buffer made(static_cast<std::size_t>(batch.rows() * row_bytes_));
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, batch.rows(), 1 << 14), [&](const auto& range) {
      std::byte* to = made.data() + range.begin() * row_bytes_;
      for (std::uint64_t row = range.begin(); row != range.end(); ++row)
        for (const table::stored_column& column : stored_) {
          std::memcpy(to, batch.row(row).data() + column.offset, static_cast<std::size_t>(column.bytes));
          to += column.bytes;
        }
    });
    write(made.bytes());
  }

 private:
  std::vector<table::stored_column> stored_;
  std::uint64_t row_bytes_ = 0;
  npy_header header_;
};

}  // namespace

void write_parts(std::uint64_t rows, const row_encoder::writer& write,
                 const std::function<void(std::string&, std::uint64_t, std::uint64_t)>& encode) {
  constexpr std::uint64_t rows_of_part = 4096;
  std::vector<std::string> parts(static_cast<std::size_t>((rows + rows_of_part - 1) / rows_of_part));
  tbb::parallel_for(std::size_t{0}, parts.size(),
                    [&](std::size_t i) { encode(parts[i], i * rows_of_part, std::min(rows, (i + 1) * rows_of_part)); });
  for (const std::string& part : parts) write(std::as_bytes(std::span(part)));
}

std::unique_ptr<row_encoder> make_csv_projector(const table& from, const std::vector<output_column>& columns,
                                                const table_request& source, char delimiter) {
  return std::make_unique<csv_projector>(from, columns, source, delimiter);
}

std::unique_ptr<row_encoder> make_json_projector(const std::vector<output_column>& columns) {
  return std::make_unique<json_projector>(columns);
}

std::unique_ptr<row_encoder> make_npy_projector(const table& from, const std::vector<output_column>& columns) {
  std::vector<table::stored_column> stored;
  for (const output_column& column : columns) {
    auto found = from.stored(column.name);
    if (!found || column.name.find('\'') != std::string::npos || column.name.find('\\') != std::string::npos)
      return nullptr;
    stored.push_back(std::move(*found));
  }
  return std::make_unique<npy_projector>(from, columns, std::move(stored));
}

}  // namespace ballot::app
