// CSV with a header, in memory. Splitting is one pass over the text, which also checks it; a column is then taken out of
// the rows on all cores. A byte order mark and the header travel as they are, blank lines do not.
#include "common/failure.hpp"
#include "common/input_file.hpp"
#include "common/table/csv_reader.hpp"
#include "common/table/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

struct row_range {
  std::uint64_t begin, end;
};

class csv_table final : public table {
 public:
  csv_table(input_file file, char delimiter) : name_(file.name()), bytes_(read_rest(file)), delimiter_(delimiter) {
    try {
      split();
    } catch (const csv_error& problem) {
      throw failure(fmt::format("{}: {}", place(problem.at()), problem.what()));
    }
  }

  const std::string& name() const override { return name_; }
  std::uint64_t rows() const override { return rows_.size(); }
  std::uint64_t bytes() const override { return bytes_.size(); }
  std::span<const std::byte> row(std::uint64_t i) const override {
    return bytes_.bytes().subspan(rows_[i].begin, rows_[i].end - rows_[i].begin);
  }
  std::string front(std::uint64_t) const override {
    std::string header(text().substr(0, header_end_));
    if (!header.ends_with('\n')) header += line_end();
    return header;
  }
  std::string_view line_end() const override { return line_end_; }
  std::uint64_t blank_lines() const override { return blank_lines_; }

  bool has_column(std::string_view name) const override {
    return std::find(columns_.begin(), columns_.end(), name) != columns_.end();
  }
  std::string columns_in_words() const override {
    constexpr std::size_t most = 40;
    const std::size_t shown = std::min(most, columns_.size());
    std::string words = fmt::format("{}", fmt::join(columns_.begin(), columns_.begin() + std::ptrdiff_t(shown), ", "));
    if (shown < columns_.size()) words += fmt::format(" and {} more", columns_.size() - shown);
    std::replace_if(
        words.begin(), words.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return words;
  }

  table_column column(const std::string& name, const column_wish& wish) const override {
    const auto found = std::find(columns_.begin(), columns_.end(), name);
    if (found == columns_.end()) throw_no_column(name);
    if (std::find(found + 1, columns_.end(), name) != columns_.end())
      throw usage_error(
          fmt::format("{}: there are two columns {}: the columns are {}", name_, shown_text(name), columns_in_words()));
    const auto index = static_cast<std::size_t>(found - columns_.begin());
    fields_of_column fields;
    fields.name = name;
    fields.rows = rows();
    fields.field = [this, index](std::uint64_t row) {
      std::size_t at = 0;
      field_bytes result;
      csv_reader(text(), delimiter_).record(rows_[row].begin, [&](const field_bytes& field) {
        result = field;
        return at++ != index;
      });
      return result;
    };
    fields.place = [this](std::uint64_t row) { return place(rows_[row].begin); };
    return column_of_fields(fields, wish);
  }

 private:
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

  // Lines are counted where a message needs their number.
  std::string place(std::size_t at) const {
    const std::string_view before = text().substr(0, at);
    return fmt::format("{}:{}", name_, 1 + std::count(before.begin(), before.end(), '\n'));
  }

  void split() {
    const csv_reader reader(text(), delimiter_);
    std::size_t at = text().starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    if (at == text().size()) throw failure(fmt::format("{}: empty: a CSV begins with the names of its columns", name_));
    header_end_ = reader.record(at, [&](const field_bytes& field) {
      std::string column(field.text);
      if (field.doubled)
        for (std::size_t quote = 0; (quote = column.find("\"\"", quote)) != std::string::npos; ++quote)
          column.erase(quote, 1);
      columns_.push_back(std::move(column));
      return true;
    });
    const std::string_view header = text().substr(0, header_end_);
    if (header.find('\r') != std::string_view::npos && header.find('\n') == std::string_view::npos)
      throw csv_error(at, "lines end with CR alone: LF and CRLF are read");
    line_end_ = header.ends_with("\r\n") ? "\r\n" : "\n";
    for (at = header_end_; at < text().size();) {
      if (reader.is_blank_line(at)) {
        at += text()[at] == '\r' ? 2 : 1;
        ++blank_lines_;
        continue;
      }
      std::size_t count = 0;
      const std::size_t end = reader.record(at, [&](const field_bytes&) {
        ++count;
        return true;
      });
      if (count != columns_.size())
        throw csv_error(at,
                        fmt::format("{} field{}, the header has {}", count, count == 1 ? "" : "s", columns_.size()));
      rows_.push_back({at, end});
      at = end;
    }
  }

  std::string name_;
  host_buffer bytes_;
  char delimiter_;
  std::vector<std::string> columns_;
  std::size_t header_end_ = 0;
  std::string_view line_end_;
  std::vector<row_range> rows_;
  std::uint64_t blank_lines_ = 0;
};

}  // namespace

std::unique_ptr<table> open_csv_table(const table_request& request) {
  return std::make_unique<csv_table>(input_file(request.path), request.delimiter);
}

}  // namespace ballot::app
