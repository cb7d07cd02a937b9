// What stands in front of the rows of a CSV: a byte order mark and the header, which travel as they are.
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

  // Whether the field is a word for a missing value; then it is like an empty one.
  bool is_null(std::string_view field) const;
  // By its name, the first of that name; otherwise by its place: #1 is the first.
  std::optional<std::size_t> find(std::string_view column) const;
  // The only one of that name, or the one in that place. Throws usage_error where there are two; nothing where there is none.
  std::optional<std::size_t> find_only(std::string_view column, const std::string& file) const;
  std::string columns_in_words() const;
};

// A header has an end within so many bytes: what goes on is no header.
inline constexpr std::uint64_t longest_csv_header = std::uint64_t{16} << 20;

// Leaves the file behind the header. Throws failure, also where it is longer than `longest` bytes.
csv_header read_csv_header(const table_request& request, input_file& file, std::uint64_t longest);

[[noreturn]] void throw_csv_error(const std::string& place, const csv_error& problem);
// "byte 7 of the line", for messages.
std::string byte_in_line(std::string_view text, std::size_t at);

}  // namespace ballot::app
