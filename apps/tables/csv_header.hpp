// SPDX-License-Identifier: Apache-2.0
// The header of a CSV, with a byte order mark if it has one. It is copied to the output unchanged.
#pragma once

#include <ballot/core/namespace.hpp>

#include "files/input_file.hpp"
#include "tables/csv_reader.hpp"
#include "tables/table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

struct csv_header {
  std::string bytes;
  std::vector<std::string> columns;
  std::string_view line_end;
  char delimiter;
  std::vector<std::string> nulls;
  bool has_names = true;  // else the columns are #1, #2, ..., and the first record is a row
  std::size_t first_record_bytes = 0;

  // Whether the field is one of the words for a missing value. It is then treated as empty.
  bool is_null(std::string_view field) const;
  // The first column of that name, or by number: #1 is the first column.
  std::optional<std::size_t> find(std::string_view column) const;
  // The same, but throws usage_error if two columns have the name.
  std::optional<std::size_t> find_only(std::string_view column, const std::string& file) const;
  std::string columns_in_words() const;
};

// The limit for the length of a header.
inline constexpr std::uint64_t longest_csv_header = std::uint64_t{16} << 20;

// Reads the file up to the end of the header. Throws failure, also if it is longer than `longest`
// bytes.
csv_header read_csv_header(const table_request& request, input_file& file, std::uint64_t longest);

[[noreturn]] void throw_csv_error(const std::string& place, const csv_error& problem);
// "byte 7 of the line", for messages.
std::string byte_in_line(std::string_view text, std::size_t at);

}  // namespace ballot::app
