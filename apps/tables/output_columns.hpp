// SPDX-License-Identifier: Apache-2.0
// The columns that are written, and in which format: --columns, and the extension of the output.
#pragma once

#include <ballot/core/namespace.hpp>

#include "tables/table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ballot::app {

enum class converted_format : std::uint8_t { csv, json_lines, npy, arrow, arrow_stream, parquet };

inline bool is_columnar(converted_format f) {
  return f == converted_format::arrow || f == converted_format::arrow_stream || f == converted_format::parquet;
}

struct conversion_request {
  converted_format format{};
  char delimiter = ',';                // csv
  std::vector<std::string> columns{};  // of --columns, each NAME or NAME:TYPE, or several with commas; none: all
};

struct output_column {
  std::string name;
  requested_type requested;
};

// The columns of a request. Throws usage_error where one is not there.
std::vector<output_column> output_columns(const conversion_request& request, const table& of);

}  // namespace ballot::app
