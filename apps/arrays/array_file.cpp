#include "arrays/array_file.hpp"

#include "arrays/segy.hpp"
#include "base/failure.hpp"
#include "columns/format.hpp"
#include "columns/npy.hpp"
#include "columns/whole_column.hpp"
#include "files/output_name.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::pair<std::string_view, rows_format> by_name[] = {
    {"raw", rows_format::raw}, {"npy", rows_format::npy}, {"text", rows_format::text}, {"segy", rows_format::segy}};
constexpr std::pair<std::string_view, rows_format> by_extension[] = {
    {".raw", rows_format::raw},  {".bin", rows_format::raw},   {".npy", rows_format::npy},
    {".txt", rows_format::text}, {".segy", rows_format::segy}, {".sgy", rows_format::segy}};

// A column of raw data or text, cut into rows.
class column_rows final : public rows_file {
 public:
  column_rows(const rows_request& request, format f)
      : format_(f), length_(request.length), column_(open_source(request.path, f, request.type)) {
    if (column_->count()) require_whole_rows(*column_->count());
  }

  rows_of_items read(phase_clock& clock) override {
    rows_of_items data;
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
    const auto out = make_sink(to, format_, column_->type());
    out->begin(items.size() / size_of(column_->type()));
    write_all(*out, items, clock);
    out->finish();
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

class npy_rows final : public rows_file {
 public:
  explicit npy_rows(const rows_request& request) : array_(open_npy_array(input_file(request.path), request.type)) {
    if (request.length)
      throw usage_error(fmt::format("{}: an .npy file tells its rows: --length is for raw and text", request.path));
  }

  rows_of_items read(phase_clock& clock) override {
    rows_of_items data;
    data.type = array_.items->type();
    data.items = read_all(*array_.items, clock);
    data.length = array_.shape.empty() ? 1 : array_.shape.back();
    const std::uint64_t count = data.items.size() / size_of(data.type);
    data.rows = data.length == 0 ? 0 : count / data.length;
    return data;
  }

  void write(output_file& to, std::span<const std::byte> items, phase_clock& clock) override {
    const auto out = make_npy_sink(to, array_.items->type(), array_.shape);
    out->begin(items.size() / size_of(array_.items->type()));
    write_all(*out, items, clock);
    out->finish();
  }

 private:
  npy_array array_;
};

}  // namespace

std::optional<rows_format> rows_format_named(std::string_view name) {
  for (const auto& [candidate, value] : by_name)
    if (candidate == name) return value;
  return std::nullopt;
}

std::optional<rows_format> rows_format_of_extension(std::string_view path) {
  for (const auto& [extension, value] : by_extension)
    if (path.size() > extension.size() && path.ends_with(extension)) return value;
  return std::nullopt;
}

void require_name_fits(const std::string& output, rows_format written) {
  if (written == rows_format::segy) return require_name_fits(output, {".segy", ".sgy"}, "SEG-Y");
  require_name_fits(output, written == rows_format::npy    ? format::npy
                            : written == rows_format::text ? format::text
                                                           : format::raw);
}

bool is_text(rows_format f) { return f == rows_format::text; }

std::unique_ptr<rows_file> open_rows(const rows_request& request) {
  switch (request.format) {
    case rows_format::raw:
      return std::make_unique<column_rows>(request, format::raw);
    case rows_format::text:
      return std::make_unique<column_rows>(request, format::text);
    case rows_format::npy:
      return std::make_unique<npy_rows>(request);
    case rows_format::segy:
      break;
  }
  if (request.length)
    throw usage_error(fmt::format("{}: a SEG-Y file tells its rows: --length is for raw and text", request.path));
  return open_segy(request.path, request.type);
}

}  // namespace ballot::app
