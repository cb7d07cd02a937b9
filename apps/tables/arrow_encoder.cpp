// SPDX-License-Identifier: Apache-2.0
// Rows of any table as columns of Arrow. Those of an Arrow table keep their types, with units,
// zones and digits.
#include "base/failure.hpp"
#include "base/text.hpp"
#include "columnar/arrow_writer.hpp"
#include "files/text_encoding.hpp"
#include "tables/arrow_table.hpp"
#include "tables/row_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace ballot::app {
namespace {

ballot_arrow_format format_of(converted_format format) {
  if (format == converted_format::parquet) return ballot_arrow_parquet;
  return format == converted_format::arrow_stream ? ballot_arrow_stream : ballot_arrow_file;
}

// NumPy's types that are more than numbers: their kind, and how their 64 bits are written.
std::string format_of_descr(const std::string& descr) {
  if (descr == "|b1") return "b";
  const bool is_date = descr.starts_with("<M8["), is_duration = descr.starts_with("<m8[");
  if (!is_date && !is_duration) return {};
  const std::string unit = descr.substr(4, descr.size() - 5);
  if (unit != "s" && unit != "ms" && unit != "us" && unit != "ns") return unit == "D" && is_date ? "tdD" : "";
  return is_date ? fmt::format("ts{}:", unit[0]) : fmt::format("tD{}", unit[0]);
}

class arrow_encoder final : public row_encoder {
 public:
  arrow_encoder(const table& from, const std::vector<output_column>& columns, const std::vector<column_facts>& facts,
                converted_format format, std::string name)
      : columns_(columns), facts_(facts), format_(format), name_(std::move(name)) {
    const auto* const rows = dynamic_cast<const arrow_table*>(&from);
    if (rows != nullptr) schema_.metadata = rows->schema().metadata;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      places_.emplace_back();
      arrow_column made;
      if (rows != nullptr && columns[i].requested.is_unspecified()) {
        places_.back() = rows->place_of(columns[i].name);
        made = rows->layout().columns()[*places_.back()];
      } else {
        const auto stored = rows == nullptr ? from.stored(columns[i].name) : std::nullopt;
        const column_type& type = facts[i].type;
        made.type.format = type.is_missing ? "n" : type.is_text ? "u" : format_of_descr(stored ? stored->descr : "");
        if (made.type.format.empty()) made.type.format = arrow_format_of(type.type);
        made.name = columns[i].name;
      }
      schema_.columns.push_back(std::move(made));
    }
  }

  std::string header(std::uint64_t) const override {
    writer_ = std::make_unique<arrow_writer>(name_, format_of(format_), schema_);
    std::string begin(reinterpret_cast<const char*>(writer_->bytes().data()), writer_->bytes().size());
    writer_->bytes().resize(0);
    return begin;
  }

  void encode(const file_table& batch, const writer& write) const override {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;  // ends of texts have 32 bits
    std::uint64_t first = 0, bytes = 0;
    for (std::uint64_t row = 0; row < batch.rows(); ++row) {
      const std::uint64_t size = batch.row(row).size();
      if (bytes + size > most_bytes && row != first) {
        encode_rows(batch, first, row, write);
        first = row;
        bytes = 0;
      }
      bytes += size;
    }
    if (first != batch.rows()) encode_rows(batch, first, batch.rows(), write);
  }

  void finish(const writer& write) const override {
    writer_->finish();
    write_out(write);
  }

 private:
  void write_out(const writer& write) const {
    write(std::as_const(writer_->bytes()).bytes());
    writer_->bytes().resize(0);
  }

  void encode_rows(const file_table& batch, std::uint64_t first, std::uint64_t last, const writer& write) const {
    batch_maker made(static_cast<std::int64_t>(last - first));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      try {
        if (places_[i])
          made.add_column(static_cast<const arrow_table&>(batch).layout(), *places_[i],
                          [&](std::int64_t row) { return batch.row(first + static_cast<std::uint64_t>(row)).data(); });
        else add_read(made, batch, i, first);
      } catch (const failure& problem) {
        throw failure(fmt::format("{}: column {} has {}", batch.name(), in_quotes(columns_[i].name), problem.what()));
      }
    }
    writer_->write(made);
    write_out(write);
  }

  // A column that is taken out of the rows, as keys are.
  void add_read(batch_maker& made, const file_table& batch, std::size_t i, std::uint64_t first) const {
    requested_type requested = columns_[i].requested;
    if (batch.infers_types() && requested.is_unspecified()) {
      if (facts_[i].type.is_text) requested.as_text = true;
      else requested.type = facts_[i].type.type;
    }
    const std::string& format = schema_.columns[i].type.format;
    if (format == "n") return made.add_nothing();
    const table_column column = batch.column(columns_[i].name, requested);
    const auto at = [&](std::int64_t row) { return first + static_cast<std::uint64_t>(row); };
    if (column.is_text)
      return made.add_texts(false, [&](std::int64_t row) -> std::string_view {
        if (column.is_empty(at(row))) return {};
        const std::string_view text = column.texts[at(row)];
        if (first_not_utf8(text))
          throw failure(fmt::format("a text that is not UTF-8, which those of Arrow are: {}", in_quotes(text)));
        return text.data() == nullptr ? std::string_view("") : text;
      });
    if (format == "b")
      return made.add_bits([&](std::int64_t row) {
        return column.is_empty(at(row)) ? -1 : column.numbers.as<std::uint8_t>()[at(row)] != 0 ? 1 : 0;
      });
    if (format == "tdD")
      return made.add_values(sizeof(std::int32_t), [&](std::int64_t row, std::byte* to) {
        if (column.is_empty(at(row))) return false;
        const std::int64_t days = column.numbers.as<std::int64_t>()[at(row)];
        const auto narrow = static_cast<std::int32_t>(days);
        if (narrow != days) throw failure(fmt::format("a date of {} days since 1970: Arrow's have 32 bits", days));
        std::memcpy(to, &narrow, sizeof narrow);
        return true;
      });
    visit_dtype(column.type, [&]<class T>(std::type_identity<T>) {
      made.add_values(sizeof(T), [&](std::int64_t row, std::byte* to) {
        if (column.is_empty(at(row))) return false;
        std::memcpy(to, column.numbers.data() + at(row) * sizeof(T), sizeof(T));
        return true;
      });
    });
  }

  std::vector<output_column> columns_;
  std::vector<column_facts> facts_;
  converted_format format_;
  std::string name_;
  arrow_schema schema_;
  std::vector<std::optional<std::size_t>> places_;  // of columns whose bytes are copied
  mutable std::unique_ptr<arrow_writer> writer_;
};

}  // namespace

std::unique_ptr<row_encoder> make_arrow_encoder(const table& from, const std::vector<output_column>& columns,
                                                const std::vector<column_facts>& facts, converted_format format,
                                                const std::string& name) {
  return std::make_unique<arrow_encoder>(from, columns, facts, format, name);
}

}  // namespace ballot::app
