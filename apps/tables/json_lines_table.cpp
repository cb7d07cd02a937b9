// SPDX-License-Identifier: Apache-2.0
// JSON Lines (https://jsonlines.org): an object a line. Its members are the columns, by name; those
// of the first rows are known, and a member that is missing is a missing field, as null is. Arrays
// and objects within are their text.
#include "base/failure.hpp"
#include "base/parse_number.hpp"
#include "base/text.hpp"
#include "files/input_file.hpp"
#include "files/text_encoding.hpp"
#include "tables/file_table.hpp"
#include "tables/json_reader.hpp"
#include "tables/row_chunks.hpp"
#include "tables/split_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

// Shared by all batches of a file.
struct json_lines_header {
  std::string mark;  // a byte order mark
  std::vector<std::string> columns;
  std::string error;  // of the first rows, behind which no columns were looked for; empty: none
};

// "file:17" is `place`.
std::string in_words(const json_error& problem, const std::string& place, std::string_view line) {
  return fmt::format("{}: byte {} of the line: {}: {}", place, problem.at() + 1, problem.what(),
                     in_quotes(line.substr(std::min(problem.at(), line.size()))));
}

std::string name_of_member(const json_value& key) {
  return key.is_escaped ? unescaped_json(key.text) : std::string(key.text);
}

// A number that no f64 reaches is an infinity: so it is written here, and so others read it.
std::string_view number_text(std::string_view text) {
  constexpr std::size_t digits_of_f64 = 308;
  if (text.size() <= digits_of_f64 && text.find_first_of("eE") == std::string_view::npos) return text;
  double value = 0;
  if (parse_number(text, value) != number_error::out_of_range) return text;
  return text.starts_with('-') ? "-inf" : "inf";
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == std::string_view::npos; }

class json_lines_table final : public text_table {
 public:
  json_lines_table(const std::string& name, json_lines_header header)
      : text_table(name, header.mark.size(), 0),
        header_(std::make_shared<const json_lines_header>(std::move(header))) {}
  json_lines_table(const json_lines_table& other, std::uint64_t line_ends_before)
      : text_table(other, line_ends_before), header_(other.header_) {}

  std::unique_ptr<file_table> without_rows(std::uint64_t line_ends_before) const override {
    return std::make_unique<json_lines_table>(*this, line_ends_before);
  }
  std::string header(std::uint64_t) const override { return {}; }  // the mark is left out: JSON has none
  std::string_view line_end() const override { return "\n"; }
  // The member is called count, or count2, count3, ... where there is one of that name.
  std::string counted_header(std::uint64_t) const override { return {}; }
  void append_counted(std::span<const std::byte> row, std::uint64_t count, host_buffer& to) const override {
    std::string name = "count";
    for (int i = 2; has_column(name); ++i) name = fmt::format("count{}", i);
    std::string_view line = without_line_end(row);
    line = line.substr(0, line.rfind('}'));  // every row is an object
    line = line.substr(0, line.find_last_not_of(" \t") + 1);
    const std::string counted = fmt::format("{}{}\"{}\":{}}}\n", line, line.ends_with('{') ? "" : ",", name, count);
    to.append(std::as_bytes(std::span(counted)));
  }
  void count_derived(const std::string&, std::size_t bytes_a_byte) override { derived_ += bytes_a_byte; }

  void find_rows(bool is_end, batch_room& room) override {
    const std::size_t last = text().rfind('\n');
    const std::string_view lines = is_end ? text() : text().substr(0, last == std::string_view::npos ? 0 : last + 1);
    if (lines.size() <= found_) return;
    const auto scan = [&](std::size_t at, std::size_t until, std::vector<found_row>& rows) {
      while (at < until) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size() - 1) + 1;
        const std::string_view line = lines.substr(at, end - at);
        found_row row{at, end};
        row.is_blank = is_blank(line);
        try {
          if (!row.is_blank) row.copied = check(line) + derived_ * line.size();
        } catch (const json_error&) {
          break;
        }
        rows.push_back(row);
        at = end;
      }
      return at;
    };
    bool has_room = true;
    const auto take = [&](const std::vector<found_row>& rows) { return has_room = take_rows(rows, room); };
    split_text(lines, found_, scan, take);
    while (has_room && found_ < lines.size()) {
      std::vector<found_row> rows;
      const std::size_t before = found_;
      scan(found_, lines.size(), rows);
      if (rows.empty()) throw_wrong(lines.substr(before, std::min(lines.find('\n', before), lines.size()) - before));
      take(rows);
    }
  }

  bool has_column(std::string_view name) const override {
    return std::find(header_->columns.begin(), header_->columns.end(), name) != header_->columns.end();
  }
  std::string columns_in_words() const override { return listed(header_->columns); }
  std::vector<std::string> column_names() const override { return header_->columns; }
  void require_known_header() const override {
    if (!header_->error.empty()) throw failure(header_->error);
  }

  table_column column(const std::string& name, const requested_type& requested) const override {
    return parse_column(fields_of(name), requested);
  }
  bool infers_types() const override { return true; }
  void infer_type(const std::string& name, type_inference& inference) const override { inference.add(fields_of(name)); }

  void require_known_columns() const override {
    for_each_row_chunk(rows(), [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t row = first; row < last; ++row)
        json_reader(row_text(row)).object([&](const json_value& key, const json_value&) {
          if (key.is_escaped ? !has_column(unescaped_json(key.text)) : !has_column(key.text))
            throw failure(
                fmt::format("{}: the member {} is in none of the first rows, and would be lost: give the members "
                            "to be written by --columns",
                            place_of_line(line_of_row(row)), in_quotes(name_of_member(key))));
        });
    });
  }

 private:
  // Throws json_error. Returns how many bytes columns need beside the line.
  static std::size_t check(std::string_view line) {
    constexpr std::size_t bytes_of_a_copy = 64;
    std::size_t copied = 0;
    json_reader(line).object([&](const json_value&, const json_value& value) {
      if (value.is_escaped) copied += bytes_of_a_copy + value.text.size();
    });
    if (const auto at = first_not_utf8(line))
      throw json_error(*at, "not JSON: bytes that are not UTF-8 (another encoding, or several in one file)");
    return copied;
  }
  [[noreturn]] void throw_wrong(std::string_view line) const {
    try {
      check(line);
    } catch (const json_error& problem) {
      throw failure(in_words(problem, place(found_), line));
    }
    throw failure(fmt::format("{}: not JSON", place(found_)));
  }

  column_fields fields_of(const std::string& name) const {
    if (!has_column(name)) throw_no_column(name);
    column_fields fields;
    fields.name = name;
    fields.rows = rows();
    fields.has_strings = true;
    fields.field = [this, name](std::uint64_t row) {
      field_bytes found;
      json_reader(row_text(row)).object([&](const json_value& key, const json_value& value) {
        if (key.is_escaped ? unescaped_json(key.text) != name : key.text != name) return;
        found = field_bytes{};  // of members of the same name the last counts
        if (value.kind == json_value::null) return;
        found.text = value.text;
        found.escaped = value.is_escaped;
        found.is_string = value.kind == json_value::string || value.kind == json_value::nested;
        if (value.kind == json_value::number) found.text = number_text(value.text);
      });
      return found;
    };
    fields.file = this->name();
    fields.line = [this](std::uint64_t row) { return line_of_row(row); };
    fields.where = [this](std::uint64_t row) { return place_of_line(line_of_row(row)); };
    return fields;
  }

  std::shared_ptr<const json_lines_header> header_;
  std::size_t derived_ = 0;  // bytes that each byte of a line needs beside it, at most: of its members
};

// The names of the members of the first rows. An error in them is reported when its row is read, or
// when a column is missing. is_all: the text is not cut in its last line.
void find_members(std::string_view text, bool is_all, const std::string& file, json_lines_header& found) {
  constexpr std::size_t most_rows = 1000;
  std::unordered_set<std::string> known;
  for (std::size_t at = 0, rows = 0; at < text.size() && rows < most_rows; ++rows) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    try {
      if (!is_blank(line))
        json_reader(line).object([&](const json_value& key, const json_value&) {
          std::string name = name_of_member(key);
          if (known.insert(name).second) found.columns.push_back(std::move(name));
        });
    } catch (const json_error& problem) {
      if (is_all || end != text.size()) found.error = in_words(problem, fmt::format("{}:{}", file, rows + 1), line);
      break;
    }
    at = end + 1;
  }
}

}  // namespace

std::unique_ptr<file_table> open_json_lines_header(input_file& file, std::uint64_t longest) {
  constexpr std::uint64_t looked_at = std::uint64_t{1} << 20;  // more where the first row is longer
  host_buffer begin;
  bool is_all = false;
  for (auto wanted = static_cast<std::size_t>(std::min(looked_at, longest)); !is_all;) {
    const std::size_t before = begin.size();
    begin.resize(wanted);
    const std::size_t got = file.read(begin.bytes().subspan(before));
    is_all = before + got < wanted;
    begin.resize(before + got);
    const auto read = std::as_const(begin).bytes().subspan(before);
    if (wanted >= longest || std::find(read.begin(), read.end(), std::byte{'\n'}) != read.end()) break;
    wanted = static_cast<std::size_t>(std::min<std::uint64_t>(2 * std::uint64_t{wanted}, longest));
  }
  std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  require_bytes_of_text(text, file.name());
  json_lines_header header;
  if (text.starts_with(utf8_mark)) header.mark = utf8_mark;
  file.unread(std::as_const(begin).bytes().subspan(header.mark.size()));
  find_members(text.substr(header.mark.size()), is_all, file.name(), header);
  if (!is_all && text.find('\n') == std::string_view::npos)
    header.error =
        fmt::format("{}:1: this row is too long for --memory: it has no end within {} bytes", file.name(), longest);
  return std::make_unique<json_lines_table>(file.name(), std::move(header));
}

}  // namespace ballot::app
