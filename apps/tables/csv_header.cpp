// SPDX-License-Identifier: Apache-2.0
#include "tables/csv_header.hpp"

#include "base/failure.hpp"
#include "base/host_buffer.hpp"
#include "base/text.hpp"
#include "files/text_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace ballot::app {
namespace {

// The header of a text that begins with one; nothing where it goes on beyond the text.
std::optional<csv_header> header_of(std::string_view text, bool is_end, const table_request& request,
                                    const std::string& name) {
  const std::size_t begin = text.starts_with(utf8_mark) ? utf8_mark.size() : 0;
  if (is_end && begin == text.size())
    throw failure(fmt::format(
        "{}: empty: {}", name,
        request.has_header ? "a CSV begins with the names of its columns" : "there is no row to count the columns in"));
  const std::string_view lines = is_end ? text : text.substr(0, text.rfind('\n') + 1);
  if (lines.size() <= begin) return std::nullopt;
  csv_header header{{}, {}, {}, request.delimiter, request.nulls, request.has_header};
  try {
    const csv_reader reader(lines, request.delimiter);
    std::size_t first = begin;
    while (!request.has_header && first < lines.size() && reader.is_blank_line(first))
      first += lines[first] == '\r' ? 2 : 1;
    if (first == lines.size() && first != begin) {
      if (!is_end) return std::nullopt;
      throw failure(fmt::format("{}: blank: there is no row to count the columns in", name));
    }
    const std::size_t end = reader.record(first, [&](const field_bytes& field) {
      std::string column(field.text);
      if (field.doubled)
        for (std::size_t quote = 0; (quote = column.find("\"\"", quote)) != std::string::npos; ++quote)
          column.erase(quote, 1);
      header.columns.push_back(std::move(column));
      return true;
    });
    header.bytes = text.substr(0, end);
    header.first_record_bytes = end;
    if (header.bytes.find('\r') != std::string::npos && header.bytes.find('\n') == std::string::npos)
      throw csv_error(begin, "lines end with CR alone: LF and CRLF are read");
  } catch (const csv_error& problem) {
    if (!is_end && dynamic_cast<const csv_open_quote*>(&problem) != nullptr) return std::nullopt;
    const auto line_ends = std::count(text.begin(), text.begin() + std::ptrdiff_t(problem.at()), '\n');
    const auto place = fmt::format("{}:{}", name, 1 + line_ends);
    if (const auto* open = dynamic_cast<const csv_open_quote*>(&problem))
      throw_csv_error(place, open->with_place(byte_in_line(text, open->at())));
    throw_csv_error(place, problem);
  }
  header.line_end = header.bytes.ends_with("\r\n") ? "\r\n" : "\n";
  if (!request.has_header) {
    header.bytes.resize(begin);
    for (std::size_t i = 0; i < header.columns.size(); ++i) header.columns[i] = fmt::format("#{}", i + 1);
  }
  return header;
}

// For a header without an end within the limit.
[[noreturn]] void throw_too_long(std::string_view text, const table_request& request, const std::string& name,
                                 std::uint64_t longest) {
  const char* const limit = longest < longest_csv_header ? " for --memory" : "";
  std::string open;
  try {
    const std::size_t begin = text.starts_with(utf8_mark) ? utf8_mark.size() : 0;
    csv_reader(text, request.delimiter).record(begin, [](const field_bytes&) { return true; });
  } catch (const csv_open_quote& problem) {
    const auto line_ends = std::count(text.begin(), text.begin() + std::ptrdiff_t(problem.at()), '\n');
    open = fmt::format("; the quote that begins in line {}, {}, is not closed by then", 1 + line_ends,
                       byte_in_line(text, problem.at()));
  } catch (const csv_error&) {
  }
  throw failure(
      fmt::format("{}:1: the header is too long{}: it has no end within {} bytes{}", name, limit, longest, open));
}

}  // namespace

bool csv_header::is_null(std::string_view field) const {
  return !nulls.empty() && std::find(nulls.begin(), nulls.end(), trimmed(field)) != nulls.end();
}

std::optional<std::size_t> csv_header::find(std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  if (column.starts_with('#')) column.remove_prefix(1);
  else if (has_names) return std::nullopt;  // without names a number alone is clear
  std::size_t place = 0;
  const char* const end = column.data() + column.size();
  const auto [stopped, error] = std::from_chars(column.data(), end, place);
  if (error != std::errc{} || stopped != end || place == 0 || place > columns.size()) return std::nullopt;
  return place - 1;
}

std::optional<std::size_t> csv_header::find_only(std::string_view column, const std::string& file) const {
  const auto found = find(column);
  if (!found || columns[*found] != column) return found;
  const auto again = std::find(columns.begin() + std::ptrdiff_t(*found) + 1, columns.end(), column);
  if (again == columns.end()) return found;
  throw usage_error(fmt::format("{}: there are two columns {}: use #{} or #{} (the columns are {})", file,
                                in_quotes(column), *found + 1, again - columns.begin() + 1, columns_in_words()));
}

std::string csv_header::columns_in_words() const { return listed(columns); }

csv_header read_csv_header(const table_request& request, input_file& file, std::uint64_t longest) {
  // Each read doubles the size, so that bytes are parsed about twice, and not once per chunk.
  constexpr std::size_t first_bytes = std::size_t{16} << 10;
  const auto most = static_cast<std::size_t>(std::clamp<std::uint64_t>(longest, first_bytes, longest_csv_header));
  host_buffer read;
  for (std::size_t wanted = first_bytes;; wanted *= 2) {
    const std::size_t before = read.size();
    read.resize(wanted);
    read.resize(before + file.read(read.bytes().subspan(before)));
    const bool is_end = read.size() < wanted;
    const std::string_view text(reinterpret_cast<const char*>(read.data()), read.size());
    if (before == 0) require_bytes_of_text(text, file.name());
    if (auto header = header_of(text, is_end, request, file.name())) {
      if (header->first_record_bytes > most) throw_too_long(text, request, file.name(), most);
      file.unread(read.bytes().subspan(header->bytes.size()));
      return std::move(*header);
    }
    if (read.size() >= most) throw_too_long(text, request, file.name(), most);
  }
}

void throw_csv_error(const std::string& place, const csv_error& problem) {
  throw failure(fmt::format("{}: {}", place, problem.what()));
}

std::string byte_in_line(std::string_view text, std::size_t at) {
  const std::size_t line_end = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return fmt::format("byte {} of the line", at - (line_end == std::string_view::npos ? 0 : line_end + 1) + 1);
}

}  // namespace ballot::app
