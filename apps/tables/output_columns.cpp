// SPDX-License-Identifier: Apache-2.0
#include "tables/output_columns.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace ballot::app {
namespace {

// NAME, or NAME:TYPE. The longest name that there is.
std::optional<output_column> column_in(std::string_view text, const table& of) {
  if (of.has_column(text)) return output_column{std::string(text), {}};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || !of.has_column(text.substr(0, colon))) return std::nullopt;
  const std::string_view word = text.substr(colon + 1);
  const auto type = dtype_named(word);
  if (!type && word != "text") return std::nullopt;
  return output_column{std::string(text.substr(0, colon)), {word == "text", type}};
}

}  // namespace

std::vector<output_column> output_columns(const conversion_request& request, const table& of) {
  std::vector<output_column> columns;
  for (const std::string& text : request.columns) {
    if (auto whole = column_in(text, of)) {  // a name may have commas
      columns.push_back(std::move(*whole));
      continue;
    }
    for (std::string_view rest = text;;) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      auto found = column_in(rest.substr(0, comma), of);
      if (!found) {
        of.require_known_header();
        throw usage_error(fmt::format("--columns {}: {} has no column {}: the columns are {}", text, of.name(),
                                      in_quotes(rest.substr(0, comma)), of.columns_in_words()));
      }
      columns.push_back(std::move(*found));
      if (comma == rest.size()) break;
      rest.remove_prefix(comma + 1);
    }
  }
  if (request.columns.empty())
    for (std::string& name : of.column_names()) columns.push_back({std::move(name), {}});
  if (columns.empty())
    throw usage_error(
        fmt::format("{}: which columns are to be written? --columns: {}", of.name(), of.columns_in_words()));
  for (std::size_t i = 0; i < columns.size() && request.format != converted_format::csv; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (columns[i].name == columns[j].name)
        throw usage_error(
            fmt::format("{}: two columns {} would be written, which this format cannot tell apart: "
                        "--columns, by numbers (#2)",
                        of.name(), in_quotes(columns[i].name)));
  return columns;
}

}  // namespace ballot::app
