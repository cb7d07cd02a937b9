// SPDX-License-Identifier: Apache-2.0
#include "arrays/array_file.hpp"

#include "arrays/segy.hpp"
#include "base/failure.hpp"
#include "columns/format.hpp"
#include "columns/npy_array.hpp"
#include "columns/whole_column.hpp"
#include "files/compression.hpp"
#include "files/output_name.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::pair<std::string_view, array_format> by_name[] = {
    {"raw", array_format::raw}, {"npy", array_format::npy}, {"text", array_format::text}, {"segy", array_format::segy}};
constexpr std::pair<std::string_view, array_format> by_extension[] = {
    {".raw", array_format::raw},  {".bin", array_format::raw},   {".npy", array_format::npy},
    {".txt", array_format::text}, {".segy", array_format::segy}, {".sgy", array_format::segy}};

// A column of raw data or text, cut into rows.
class column_array final : public array_file {
 public:
  column_array(const array_request& request, format f)
      : format_(f), length_(request.length), column_(open_source(request.path, f, request.type)) {
    if (column_->count()) require_whole_rows(*column_->count());
  }

  array_rows read(phase_clock& clock) override {
    array_rows data;
    data.type = column_->type();
    data.items = read_all(*column_, clock);
    const std::uint64_t count = data.items.size() / size_of(data.type);
    require_whole_rows(count);
    data.length = length_.value_or(count);
    data.rows = data.length == 0 ? 0 : count / data.length;
    data.blank_lines = column_->blank_lines();
    return data;
  }

  void write(output_file& to, std::span<const std::byte> items, phase_clock& clock) override {
    write_column(*make_sink(to, format_, column_->type()), column_->type(), items, clock);
  }

 private:
  void require_whole_rows(std::uint64_t count) const {
    if (length_ && count % *length_ != 0)
      throw failure(fmt::format("{}: {} items are not a whole number of rows of {}", column_->name(), count, *length_));
  }

  format format_;
  std::optional<std::uint64_t> length_;
  std::unique_ptr<source> column_;
};

class npy_array_file final : public array_file {
 public:
  explicit npy_array_file(const array_request& request)
      : array_(input_file(request.path), require_summable(request.type)) {
    if (request.length)
      throw usage_error(
          fmt::format("{}: an .npy file has its own row length: --length is for raw and text", request.path));
  }

  array_rows read(phase_clock& clock) override {
    array_rows data;
    data.type = array_.type();
    data.items = array_.read(clock);
    data.length = array_.shape().empty() ? 1 : array_.shape().back();
    const std::uint64_t count = data.items.size() / size_of(data.type);
    data.rows = data.length == 0 ? 0 : count / data.length;
    return data;
  }

  void write(output_file& to, std::span<const std::byte> items, phase_clock& clock) override {
    array_.write(to, items, clock);
  }

 private:
  npy_array array_;
};

}  // namespace

std::optional<array_format> array_format_named(std::string_view name) {
  for (const auto& [candidate, value] : by_name)
    if (candidate == name) return value;
  return std::nullopt;
}

std::optional<array_format> array_format_of_extension(std::string_view path) {
  path = without_compression(path);
  for (const auto& [extension, value] : by_extension)
    if (path.size() > extension.size() && path.ends_with(extension)) return value;
  return std::nullopt;
}

void require_extension(const std::string& output, array_format written) {
  if (written == array_format::segy) return require_extension(output, {".segy", ".sgy"}, "SEG-Y");
  require_extension(output, written == array_format::npy    ? format::npy
                            : written == array_format::text ? format::text
                                                            : format::raw);
}

bool is_text(array_format f) { return f == array_format::text; }

std::unique_ptr<array_file> open_array(const array_request& request) {
  switch (request.format) {
    case array_format::raw:
      return std::make_unique<column_array>(request, format::raw);
    case array_format::text:
      return std::make_unique<column_array>(request, format::text);
    case array_format::npy:
      return std::make_unique<npy_array_file>(request);
    case array_format::segy:
      break;
  }
  if (request.length)
    throw usage_error(
        fmt::format("{}: a SEG-Y file has its own row length: --length is for raw and text", request.path));
  return open_segy(request.path, request.type);
}

}  // namespace ballot::app
