// SPDX-License-Identifier: Apache-2.0
// Lines of a text. As lines they are compared by bytes, whole, and an empty one is a row like
// others; as numbers they are a column "value", and blank ones are no rows.
#include "files/input_file.hpp"
#include "files/text_encoding.hpp"
#include "tables/file_table.hpp"
#include "tables/split_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

// Shared by all batches of a file.
struct lines_header {
  std::string bytes;  // a byte order mark
  bool are_numbers;
  std::optional<dtype> type;
  std::string_view line_end;  // the first line's; empty if none has been found
};

class lines_table final : public text_table {
 public:
  lines_table(const std::string& name, lines_header header)
      : text_table(name, header.bytes.size(), 0), header_(std::make_shared<lines_header>(std::move(header))) {}
  lines_table(const lines_table& other, std::uint64_t line_ends_before)
      : text_table(other, line_ends_before), header_(other.header_) {}

  std::unique_ptr<file_table> without_rows(std::uint64_t line_ends_before) const override {
    return std::make_unique<lines_table>(*this, line_ends_before);
  }
  std::string header(std::uint64_t) const override { return header_->bytes; }
  std::string_view line_end() const override { return header_->line_end.empty() ? "\n" : header_->line_end; }

  // Lines as uniq -c has them: the count in front, in 7 columns. Numbers: the number, a tab, and
  // the count.
  std::string counted_header(std::uint64_t rows) const override { return header(rows); }
  void append_counted(std::span<const std::byte> row, std::uint64_t count, host_buffer& to) const override {
    fmt::memory_buffer counted;
    if (header_->are_numbers)
      fmt::format_to(std::back_inserter(counted), "{}\t{}{}", without_line_end(row), count, line_end());
    else fmt::format_to(std::back_inserter(counted), "{:7} ", count);
    to.append(std::as_bytes(std::span(counted.data(), counted.size())));
    if (!header_->are_numbers) to.append(row);
  }

  void find_rows(bool is_end, batch_room& room) override {
    if (searched_ <= found_ && !header_->line_end.empty() && !split(room)) return;
    while (found_ < text().size()) {
      const std::size_t from = std::max(found_, searched_);
      const void* const end_of_line = std::memchr(text().data() + from, '\n', text().size() - from);
      if (end_of_line == nullptr && !is_end) {
        searched_ = text().size();
        return;
      }
      const std::size_t end = end_of_line == nullptr
                                  ? text().size()
                                  : static_cast<std::size_t>(static_cast<const char*>(end_of_line) - text().data()) + 1;
      const std::string_view line = text().substr(found_, end - found_);
      if (header_->are_numbers && line.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        add_blank_line();
      } else {
        if (!room.take(line.size() * (1 + derived_))) return;
        if (header_->line_end.empty()) header_->line_end = line.ends_with("\r\n") ? "\r\n" : "\n";
        if (end_of_line == nullptr && line_end() == "\r\n") last_line_ = std::string(line) + '\r';
        add_row(found_, end);
      }
      found_ = end;
    }
  }

  void join(const file_table& other) override {
    if (header_->line_end.empty()) header_->line_end = static_cast<const lines_table&>(other).header_->line_end;
  }

  void count_derived(const std::string&, std::size_t bytes_a_byte) override { derived_ += bytes_a_byte; }

  // Takes the lines that all cores find; false where there is no room for the next.
  bool split(batch_room& room) {
    const std::size_t last = text().rfind('\n');
    if (last == std::string_view::npos || last < found_) return true;
    const std::string_view lines = text().substr(0, last + 1);
    bool has_room = true;
    split_text(
        lines, found_,
        [&](std::size_t at, std::size_t until, std::vector<found_row>& rows) {
          while (at < until) {
            found_row row{at, lines.find('\n', at) + 1};
            row.copied = derived_ * (row.end - at);
            row.is_blank = header_->are_numbers &&
                           lines.substr(at, row.end - at).find_first_not_of(" \t\r\n") == std::string_view::npos;
            rows.push_back(row);
            at = row.end;
          }
          return at;
        },
        [&](const std::vector<found_row>& rows) {
          has_room = take_rows(rows, room);
          return has_room;
        });
    return has_room;
  }

  bool has_column(std::string_view name) const override { return name == only_column(); }
  std::string columns_in_words() const override { return only_column(); }
  std::string only_column() const override { return header_->are_numbers ? "value" : "line"; }

  table_column column(const std::string& name, const requested_type& requested) const override {
    if (!has_column(name)) throw_no_column(name);
    column_fields fields;
    fields.name = name;
    fields.rows = rows();
    fields.field = [this](std::uint64_t row) {
      std::string_view line = row_text(row);
      if (line.ends_with('\n')) line.remove_suffix(1);
      else if (!last_line_.empty()) line = last_line_;
      return field_bytes{line};
    };
    fields.file = this->name();
    fields.line = [this](std::uint64_t row) { return line_of_row(row); };
    fields.where = [this](std::uint64_t row) { return place_of_line(line_of_row(row)); };
    requested_type meant = requested;
    if (!requested.as_text && !requested.type) {
      if (header_->are_numbers) meant.type = header_->type.value_or(dtype::i64);
      else meant.as_text = true;
    }
    table_column column = parse_column(fields, meant);
    if (column.is_text) column.empty.clear();  // an empty line has its place in the order of bytes
    return column;
  }

 private:
  std::shared_ptr<lines_header> header_;
  std::string last_line_;     // that lacks its line end, as it is written, if that has a carriage return
  std::size_t derived_ = 0;   // bytes that each byte of a line needs beside it
  std::size_t searched_ = 0;  // for the end of the line at found_
};

}  // namespace

std::unique_ptr<file_table> open_lines_header(const table_request& request, input_file& file, std::uint64_t longest) {
  constexpr std::uint64_t looked_at = std::uint64_t{1} << 20;  // a longer first line has its end found with the rows
  lines_header header{{}, request.format == table_format::text, request.type, {}};
  host_buffer begin;
  bool is_end = false;
  for (std::size_t wanted = 64; !is_end && header.line_end.empty() && begin.size() < std::min(longest, looked_at);
       wanted *= 2) {
    const std::size_t before = begin.size();
    begin.resize(before + wanted);
    const std::size_t got = file.read(begin.bytes().subspan(before));
    is_end = got < wanted;
    begin.resize(before + got);
    const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
    if (before == 0) require_bytes_of_text(text, file.name());
    const std::size_t line_feed = text.find('\n', before);
    if (line_feed != std::string_view::npos)
      header.line_end = text.substr(0, line_feed).ends_with('\r') ? "\r\n" : "\n";
  }
  const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  if (text.starts_with(utf8_mark)) header.bytes = utf8_mark;
  file.unread(std::as_const(begin).bytes().subspan(header.bytes.size()));
  return std::make_unique<lines_table>(file.name(), std::move(header));
}

}  // namespace ballot::app
