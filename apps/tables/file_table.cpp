// SPDX-License-Identifier: Apache-2.0
#include "tables/file_table.hpp"

#include "tables/arrow_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ballot::app {

std::string text_table::place(std::size_t at) const { return place_of_line(line_of(at)); }

std::string text_table::place_of_line(std::uint64_t line) const {
  if (parts() == nullptr) return fmt::format("{}:{}", name(), line);
  const auto before = header(0);
  const auto header_lines = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const file_parts::place found = parts()->of_line(line - header_lines);
  return fmt::format("{}:{}", found.file, found.line);
}

std::uint64_t text_table::line_of(std::size_t at) const {
  const std::string_view before = text().substr(0, at);
  const auto line_ends = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  return 1 + line_ends_before_ + line_ends;
}

std::unique_ptr<file_table> open_table_header(const table_request& request, input_file& file, std::uint64_t longest,
                                              std::uint64_t memory) {
  switch (request.format) {
    case table_format::csv:
      return open_csv_header(request, file, longest);
    case table_format::lines:
    case table_format::text:
      return open_lines_header(request, file, longest);
    case table_format::json_lines:
      return open_json_lines_header(file, longest);
    case table_format::arrow:
    case table_format::parquet:
      return open_arrow_table(request, file, memory);
    case table_format::npy:
    case table_format::records:
    case table_format::sosd:
    case table_format::raw:
      break;
  }
  return open_fixed_header(request, file, memory);
}

}  // namespace ballot::app
