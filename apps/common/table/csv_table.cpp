// CSV with a header. Splitting is one pass over the text, which also checks it; a column is then taken out of the rows on
// all cores. A byte order mark and the header travel as they are, blank lines do not.
#include "common/failure.hpp"
#include "common/input_file.hpp"
#include "common/table/csv_reader.hpp"
#include "common/table/file_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// What stands in front of the rows.
struct csv_front {
  std::string bytes;
  std::vector<std::string> columns;
  std::string_view line_end;
  char delimiter;
};

[[noreturn]] void throw_at(const std::string& place, const csv_error& problem) {
  throw failure(fmt::format("{}: {}", place, problem.what()));
}

class csv_table final : public text_table {
 public:
  csv_table(const std::string& name, csv_front front)
      : text_table(name, front.bytes.size(), lines_in(front.bytes)),
        front_(std::make_shared<const csv_front>(std::move(front))) {}
  csv_table(const csv_table& other, std::uint64_t line_ends_before)
      : text_table(other, line_ends_before), front_(other.front_) {}

  std::unique_ptr<file_table> without_rows(std::uint64_t line_ends_before) const override {
    return std::make_unique<csv_table>(*this, line_ends_before);
  }
  std::string front(std::uint64_t) const override {
    std::string header = front_->bytes;
    if (!header.ends_with('\n')) header += line_end();
    return header;
  }
  std::string_view line_end() const override { return front_->line_end; }

  void find_rows(bool is_end, row_room& room) override {
    // Up to a line end: what is beyond may be half a record. So may the last one be, but only within its quotes.
    const std::string_view lines = is_end ? text() : text().substr(0, text().rfind('\n') + 1);
    const csv_reader reader(lines, front_->delimiter);
    try {
      while (found_ < lines.size()) {
        if (reader.is_blank_line(found_)) {
          found_ += lines[found_] == '\r' ? 2 : 1;
          add_blank_line();
        } else if (!take_record(reader, room)) {
          return;
        }
      }
    } catch (const csv_error& problem) {
      if (is_end || dynamic_cast<const csv_open_quote*>(&problem) == nullptr) throw_at(place(problem.at()), problem);
    }
  }

  bool has_column(std::string_view name) const override {
    return std::find(columns().begin(), columns().end(), name) != columns().end();
  }
  std::string columns_in_words() const override {
    constexpr std::size_t most = 40;
    const std::size_t shown = std::min(most, columns().size());
    std::string words =
        fmt::format("{}", fmt::join(columns().begin(), columns().begin() + std::ptrdiff_t(shown), ", "));
    if (shown < columns().size()) words += fmt::format(" and {} more", columns().size() - shown);
    std::replace_if(
        words.begin(), words.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return words;
  }

  table_column column(const std::string& name, const column_wish& wish) const override {
    return column_of_fields(fields_of(name), wish);
  }
  bool guesses_types() const override { return true; }
  void look_at(const std::string& name, column_findings& findings) const override { findings.add(fields_of(name)); }

 private:
  const std::vector<std::string>& columns() const { return front_->columns; }

  static std::uint64_t lines_in(const std::string& text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  }

  // The record at found_ as a row; false where there is no room for it.
  bool take_record(const csv_reader& reader, row_room& room) {
    constexpr std::size_t bytes_of_a_copy = 64;  // beside its characters
    std::size_t count = 0, copied = 0;
    const std::size_t end = reader.record(found_, [&](const field_bytes& field) {
      ++count;
      if (field.doubled) copied += bytes_of_a_copy + field.text.size();  // a column has it without its doubled quotes
      return true;
    });
    if (count != columns().size())
      throw csv_error(found_,
                      fmt::format("{} field{}, the header has {}", count, count == 1 ? "" : "s", columns().size()));
    if (!room.take(end - found_ + copied)) return false;
    add_row(found_, end);
    found_ = end;
    return true;
  }

  fields_of_column fields_of(const std::string& name) const {
    const auto found = std::find(columns().begin(), columns().end(), name);
    if (found == columns().end()) throw_no_column(name);
    if (std::find(found + 1, columns().end(), name) != columns().end())
      throw usage_error(fmt::format("{}: there are two columns {}: the columns are {}", this->name(), shown_text(name),
                                    columns_in_words()));
    const auto index = static_cast<std::size_t>(found - columns().begin());
    fields_of_column fields;
    fields.name = name;
    fields.rows = rows();
    fields.field = [this, index](std::uint64_t row) {
      std::size_t at = 0;
      field_bytes result;
      csv_reader(row_text(row), front_->delimiter).record(0, [&](const field_bytes& field) {
        result = field;
        return at++ != index;
      });
      return result;
    };
    fields.place = [this](std::uint64_t row) { return place_of_row(row); };
    return fields;
  }

  std::shared_ptr<const csv_front> front_;
};

// The header of a text that begins with one; nothing where it goes on beyond the text.
std::optional<csv_front> header_of(std::string_view text, bool is_end, const table_request& request,
                                   const std::string& name) {
  const std::size_t begin = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  if (is_end && begin == text.size())
    throw failure(fmt::format("{}: empty: a CSV begins with the names of its columns", name));
  const std::string_view lines = is_end ? text : text.substr(0, text.rfind('\n') + 1);
  if (lines.size() <= begin) return std::nullopt;
  csv_front front{{}, {}, {}, request.delimiter};
  try {
    const std::size_t end = csv_reader(lines, request.delimiter).record(begin, [&](const field_bytes& field) {
      std::string column(field.text);
      if (field.doubled)
        for (std::size_t quote = 0; (quote = column.find("\"\"", quote)) != std::string::npos; ++quote)
          column.erase(quote, 1);
      front.columns.push_back(std::move(column));
      return true;
    });
    front.bytes = text.substr(0, end);
    if (front.bytes.find('\r') != std::string::npos && front.bytes.find('\n') == std::string::npos)
      throw csv_error(begin, "lines end with CR alone: LF and CRLF are read");
  } catch (const csv_error& problem) {
    if (!is_end && dynamic_cast<const csv_open_quote*>(&problem) != nullptr) return std::nullopt;
    const auto line_ends = std::count(text.begin(), text.begin() + std::ptrdiff_t(problem.at()), '\n');
    throw_at(fmt::format("{}:{}", name, 1 + line_ends), problem);
  }
  front.line_end = front.bytes.ends_with("\r\n") ? "\r\n" : "\n";
  return front;
}

}  // namespace

std::unique_ptr<file_table> open_csv_front(const table_request& request, input_file& file, std::uint64_t longest) {
  constexpr std::size_t chunk_bytes = std::size_t{16} << 10;
  host_buffer read;
  for (bool is_end = false;;) {
    const std::size_t before = read.size();
    read.resize(before + chunk_bytes);
    read.resize(before + file.read(read.bytes().subspan(before)));
    is_end = read.size() < before + chunk_bytes;
    const std::string_view text(reinterpret_cast<const char*>(read.data()), read.size());
    if (auto front = header_of(text, is_end, request, file.name())) {
      file.give_back(read.bytes().subspan(front->bytes.size()));
      return std::make_unique<csv_table>(file.name(), std::move(*front));
    }
    if (read.size() > longest)
      throw failure(
          fmt::format("{}:1: the header is too long for --memory: it has more than {} bytes", file.name(), longest));
  }
}

}  // namespace ballot::app
