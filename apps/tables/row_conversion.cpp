// SPDX-License-Identifier: Apache-2.0
#include "tables/row_conversion.hpp"

#include "base/failure.hpp"
#include "tables/table_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ballot::app {
namespace {

bool has_types(const std::vector<output_column>& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [](const output_column& column) { return !column.requested.is_unspecified(); });
}

}  // namespace

void inferred_columns::look_at(const table& rows) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].requested.is_unspecified()) rows.infer_type(columns_[i].name, found_[i]);
}

std::optional<inferred_columns> row_conversion::columns_to_infer(const conversion_request& request,
                                                                 const table_request& source, const table& from) {
  if (!from.infers_types() || request.format == converted_format::csv) return std::nullopt;
  std::vector<output_column> columns = output_columns(request, from);
  const bool copies_json = request.format == converted_format::json_lines && source.format == table_format::json_lines;
  if (copies_json && !has_types(columns)) return std::nullopt;
  return inferred_columns(std::move(columns));
}

row_conversion::row_conversion(const conversion_request& request, const table_request& source, const file_table& header,
                               const std::string& directory, output_file& to)
    : request_(request),
      header_(header),
      directory_(directory),
      to_(to),
      columns_(output_columns(request, header)),
      types_(columns_.size()),
      facts_(columns_.size()),
      places_(std::make_shared<file_parts>()) {
  const std::string head = header.header(0);
  header_lines_ = static_cast<std::uint64_t>(std::count(head.begin(), head.end(), '\n'));
  places_->begin(header.name() + ", in the order of the output", 0, 0, 0);
  const bool has_types = app::has_types(columns_);
  for (const output_column& column : columns_) (void)header.column(column.name, column.requested);  // throws
  const bool is_csv = source.format == table_format::csv, is_json = source.format == table_format::json_lines;
  if (request.format == converted_format::npy) {
    copies_bytes_ = !has_types && (encoder_ = make_npy_projector(header, columns_)) != nullptr;
    kept_.emplace(directory_);
    return;
  }
  if (is_columnar(request.format)) {
    if (header.infers_types()) {
      kept_.emplace(directory_);
      return;
    }
    for (std::size_t i = 0; i < columns_.size(); ++i)
      facts_[i].type = header.column(columns_[i].name, columns_[i].requested);
    encoder_ = make_arrow_encoder(header, columns_, facts_, request.format, to.name());
  } else if (request.format == converted_format::csv) {
    if (is_csv && !has_types) encoder_ = make_csv_projector(header, columns_, source, request.delimiter);
    else encoder_ = make_csv_encoder(columns_, request.delimiter);
  } else if (is_json && !has_types) {
    encoder_ = make_json_projector(columns_);
  } else if (!header.infers_types()) {
    encoder_ = make_json_encoder(columns_, facts_);
  } else {
    kept_.emplace(directory_);
    return;
  }
  const std::string begin = encoder_->header(0);
  to_.write(std::as_bytes(std::span(begin)));
}

std::unique_ptr<file_table> row_conversion::table_of(std::span<const std::byte> rows) {
  auto batch = header_.without_rows(header_lines_ + rows_);
  batch->use_parts(places_);
  batch->buffer().append(rows);
  batch_room room;
  batch->find_rows(true, room);
  return batch;
}

void row_conversion::add(std::span<const std::byte> rows) {
  if (rows.empty()) return;
  if (kept_ && copies_bytes_) {
    kept_->append(rows);
    largest_ = std::max<std::uint64_t>(largest_, rows.size());
    rows_ += table_of(rows)->rows();
    return;
  }
  const auto batch = table_of(rows);
  if (request_.columns.empty()) batch->require_known_columns();
  rows_ += batch->rows();
  if (!kept_) return write_batch(*batch);
  learn(*batch);
  kept_->append(rows);
  largest_ = std::max<std::uint64_t>(largest_, rows.size());
}

void row_conversion::learn(const file_table& batch) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    requested_type requested = columns_[i].requested;
    const bool is_inferred = batch.infers_types() && requested.is_unspecified();
    if (is_inferred) {
      if (!are_types_known_) batch.infer_type(columns_[i].name, types_[i]);
      requested.as_text = true;
    }
    const table_column column = batch.column_to_write(columns_[i].name, requested, true);
    if (!is_inferred) static_cast<column_type&>(facts_[i].type) = column;
    for (const std::string_view text : column.texts)
      facts_[i].longest_text = std::max(facts_[i].longest_text, text.size());
    facts_[i].has_missing =
        facts_[i].has_missing || std::find(column.empty.begin(), column.empty.end(), 1) != column.empty.end();
  }
}

void row_conversion::write_batch(const file_table& batch) {
  encoder_->encode(batch, [this](std::span<const std::byte> bytes) { to_.write(bytes); });
}

void row_conversion::finish() {
  if (!kept_) return write_end();
  if (!encoder_) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (header_.infers_types() && columns_[i].requested.is_unspecified())
        facts_[i].type = types_[i].type_of(columns_[i].name);
      else if (rows_ == 0) facts_[i].type = header_.column_to_write(columns_[i].name, columns_[i].requested, true);
    }
    encoder_ = request_.format == converted_format::npy ? make_npy_encoder(header_, columns_, facts_)
               : is_columnar(request_.format)
                   ? make_arrow_encoder(header_, columns_, facts_, request_.format, to_.name())
                   : make_json_encoder(columns_, facts_);
  }
  const std::string begin = encoder_->header(rows_);
  to_.write(std::as_bytes(std::span(begin)));
  write_kept();
  write_end();
}

void row_conversion::write_end() {
  encoder_->finish([this](std::span<const std::byte> bytes) { to_.write(bytes); });
}

void row_conversion::write_kept() {
  constexpr std::uint64_t batch_bytes = std::uint64_t{32} << 20;
  batch_limits limits;
  limits.bytes = batch_bytes + 4 * largest_;  // a row is not larger than what was added with it
  std::uint64_t offset = 0;
  table_batch_reader batches(
      header_,
      [&](std::span<std::byte> into) {
        const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), kept_->size() - offset));
        kept_->read(offset, into.first(taken));
        kept_->release(offset, taken);
        offset += taken;
        return taken;
      },
      limits);
  do {
    const auto batch = batches.next();
    batch->use_parts(places_);
    write_batch(*batch);
  } while (!batches.ended());
}

}  // namespace ballot::app
