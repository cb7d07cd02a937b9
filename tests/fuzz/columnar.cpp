// SPDX-License-Identifier: Apache-2.0
// Any bytes as an Arrow file, an Arrow stream or a Parquet file (by their first bytes), from a file
// or a pipe. The plug-in's reader finds an error, or returns batches whose rows follow each other,
// with values that have texts.
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "columnar/plugin/functions.hpp"
#include "columnar/row_layout.hpp"
#include "columnar/value_texts.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace ballot::app;

std::int64_t read_at(void* self, std::int64_t offset, std::int64_t bytes, void* into) {
  const auto& data = *static_cast<const std::span<const std::uint8_t>*>(self);
  const auto from = std::min<std::uint64_t>(static_cast<std::uint64_t>(offset), data.size());
  const auto taken = std::min<std::uint64_t>(static_cast<std::uint64_t>(bytes), data.size() - from);
  if (taken != 0) std::memcpy(into, data.data() + from, taken);
  return static_cast<std::int64_t>(taken);
}

void look_at_row(const row_layout& layout, const std::byte* row) {
  for (std::size_t i = 0; i < layout.columns().size(); ++i) {
    const arrow_type& type = layout.columns()[i].type;
    std::string text;
    if (type.kind == arrow_kind::nothing || layout.is_null(row, i)) continue;
    if (type.is_variable()) {
      text = layout.text(row, i);
    } else if (type.kind == arrow_kind::decimal) {
      append_decimal_text(text, type, row + layout.offset(i));
      (void)number_of_decimal(type, row + layout.offset(i));
      if (text.empty() || text.size() > longest_value_text(type)) std::abort();
    } else if (type.is_time()) {
      append_time_text(text, type, row_layout::load<std::int32_t>(row + layout.offset(i)));
      if (text.empty() || text.size() > longest_value_text(type)) std::abort();
    }
  }
}

void look_at_rows(const row_layout& layout, const host_buffer& rows, std::int64_t count) {
  const std::span<const std::byte> bytes = rows.bytes();
  std::size_t at = 0;
  for (std::int64_t row = 0; row < count; ++row) {
    const std::size_t left = bytes.size() - at;
    const std::size_t length =
        layout.is_variable() && left >= sizeof(std::uint32_t) ? layout.length_of(&bytes[at]) : layout.fixed_bytes();
    if (length > left || length < layout.fixed_bytes()) std::abort();
    look_at_row(layout, &bytes[at]);
    at += length;
  }
  if (at != bytes.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  std::span<const std::uint8_t> data(bytes + 1, size - 1);
  const std::string_view front(reinterpret_cast<const char*>(data.data()), std::min<std::size_t>(4, data.size()));
  const bool is_parquet = front == "PAR1", is_pipe = bytes[0] == 'p' && !is_parquet;
  const ballot_arrow_source source{&data, is_pipe ? -1 : static_cast<std::int64_t>(data.size()), read_at};
  ballot_arrow_error error{};
  const std::unique_ptr<ballot_arrow_reader, void (*)(ballot_arrow_reader*)> reader(
      ballot_arrow::open(&source, is_parquet, &error), [](ballot_arrow_reader* opened) {
        if (opened != nullptr) ballot_arrow::close(opened);
      });
  arrow_owned<ArrowSchema> schema;
  if (!reader || !ballot_arrow::schema(reader.get(), schema.get(), &error)) return 0;
  std::vector<arrow_column> columns;
  std::vector<std::int32_t> chosen;
  const arrow_schema whole = read_arrow_schema(*schema);
  for (std::size_t i = 0; i < whole.columns.size(); ++i) {
    if (whole.columns[i].type.kind == arrow_kind::nested || whole.columns[i].type.kind == arrow_kind::interval)
      continue;
    columns.push_back(whole.columns[i]);
    chosen.push_back(static_cast<std::int32_t>(i));
  }
  const row_layout layout(std::move(columns));
  if (!ballot_arrow::choose(reader.get(), chosen.data(), static_cast<std::int32_t>(chosen.size()), &error)) return 0;
  std::uint64_t rows_read = 0;
  constexpr std::uint64_t most_rows = 1 << 16;  // what says that it is longer takes too long
  while (rows_read < most_rows) {
    arrow_owned<ArrowArray> batch;
    if (!ballot_arrow::next(reader.get(), batch.get(), &error) || batch->release == nullptr) return 0;
    if (batch->length > static_cast<std::int64_t>(most_rows)) return 0;
    host_buffer rows;
    try {
      append_rows(layout, *batch, "input", rows_read, rows);
    } catch (const failure&) {
      return 0;
    }
    look_at_rows(layout, rows, batch->length);
    rows_read += static_cast<std::uint64_t>(batch->length);
  }
  return 0;
}
