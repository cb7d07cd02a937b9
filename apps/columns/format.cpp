// SPDX-License-Identifier: Apache-2.0
#include "columns/format.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "columns/joined_source.hpp"
#include "columns/npy.hpp"
#include "columns/raw.hpp"
#include "columns/text.hpp"
#include "files/compression.hpp"
#include "files/output_name.hpp"

#include <fmt/format.h>

#include <utility>

namespace ballot::app {
namespace {

constexpr std::pair<std::string_view, format> by_name[] = {
    {"raw", format::raw}, {"npy", format::npy}, {"text", format::text}};
constexpr std::pair<std::string_view, format> by_extension[] = {
    {".raw", format::raw}, {".bin", format::raw}, {".npy", format::npy}, {".txt", format::text}};

}  // namespace

std::string_view name_of(format f) {
  for (const auto& [name, value] : by_name)
    if (value == f) return name;
  return {};
}

std::optional<format> format_named(std::string_view name) {
  for (const auto& [candidate, value] : by_name)
    if (candidate == name) return value;
  return std::nullopt;
}

std::optional<format> format_of_extension(std::string_view path) {
  path = without_compression(path);
  for (const auto& [extension, value] : by_extension)
    if (path.size() > extension.size() && path.ends_with(extension)) return value;
  return std::nullopt;
}

void require_extension(const std::string& output, format written) {
  if (written == format::npy) require_extension(output, {".npy"}, ".npy");
  else if (written == format::text) require_extension(output, {".txt"}, "text, one number per line,");
  else require_extension(output, {".raw", ".bin"}, "raw data");
}

std::unique_ptr<source> open_source(const std::string& path, format f, std::optional<dtype> type) {
  switch (f) {
    case format::raw:
      if (!type) throw usage_error(fmt::format("{}: raw data needs a type: use --dtype ({})", path, dtype_names));
      return open_raw(input_file(path, first_bytes::are_data), *type);
    case format::npy:
      return open_npy(input_file(path), type);
    case format::text:
      break;
  }
  return open_text(input_file(path), type.value_or(dtype::i64));
}

std::unique_ptr<source> open_sources(const std::vector<std::string>& paths, format f, std::optional<dtype> type) {
  return join_sources(paths, [=](const std::string& path) { return open_source(path, f, type); });
}

std::unique_ptr<source> open_flags(const std::string& path) {
  if (format_of_extension(path) == format::npy) return open_npy_flags(input_file(path));
  return open_raw(input_file(path, first_bytes::are_data), dtype::u8);
}

std::unique_ptr<sink> make_sink(output_file& file, format f, dtype type) {
  switch (f) {
    case format::raw:
      return make_raw_sink(file);
    case format::npy:
      return make_npy_sink(file, type);
    case format::text:
      break;
  }
  return make_text_sink(file, type);
}

}  // namespace ballot::app
