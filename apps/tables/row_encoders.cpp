// SPDX-License-Identifier: Apache-2.0
// Encoders of any table: columns are taken out of a batch, as keys are, and written as numbers and
// texts.
#include "base/failure.hpp"
#include "base/text.hpp"
#include "columns/npy_header.hpp"
#include "columns/npy_type.hpp"
#include "files/text_encoding.hpp"
#include "tables/json_reader.hpp"
#include "tables/row_encoder.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ballot::app {
namespace {

std::vector<table_column> columns_of(const file_table& batch, const std::vector<output_column>& wanted,
                                     const std::vector<column_facts>* facts, bool is_binary) {
  std::vector<table_column> columns;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    requested_type requested = wanted[i].requested;
    if (batch.infers_types() && requested.is_unspecified()) {
      if (facts == nullptr || (*facts)[i].type.is_text) requested.as_text = true;
      else requested.type = (*facts)[i].type.type;
    }
    columns.push_back(batch.column_to_write(wanted[i].name, requested, is_binary));
  }
  return columns;
}

template <class T>
void append_number(std::string& to, T value) {
  char digits[32];  // the longest shortest double is 24 characters
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  static_cast<void>(error);
  to.append(digits, end);
}

void append_number(std::string& to, const table_column& column, std::uint64_t row) {
  visit_dtype(column.type, [&]<class T>(std::type_identity<T>) { append_number(to, column.numbers.as<T>()[row]); });
}

void append_csv_text(std::string& to, std::string_view text, char delimiter) {
  const bool needs_quotes =
      text.find(delimiter) != std::string_view::npos || text.find_first_of("\"\r\n") != std::string_view::npos;
  if (!needs_quotes) {
    to += text;
    return;
  }
  to += '"';
  for (const char c : text) to.append(c == '"' ? 2 : 1, c);
  to += '"';
}

class csv_encoder final : public row_encoder {
 public:
  csv_encoder(const std::vector<output_column>& columns, char delimiter) : columns_(columns), delimiter_(delimiter) {}
  std::string header(std::uint64_t) const override {
    std::string line;
    bool is_first = true;
    for (const output_column& column : columns_) {
      if (!std::exchange(is_first, false)) line += delimiter_;
      append_csv_text(line, column.name, delimiter_);
    }
    if (line.empty()) line = "\"\"";  // an empty line would be no header
    return line + "\n";
  }
  void encode(const file_table& batch, const writer& write) const override {
    const auto columns = columns_of(batch, columns_, nullptr, false);
    write_parts(batch.rows(), write, [&](std::string& to, std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t row = first; row < last; ++row) {
        bool is_first = true;
        for (const table_column& column : columns) {
          if (!std::exchange(is_first, false)) to += delimiter_;
          if (column.is_text) append_csv_text(to, column.texts[row], delimiter_);
          else if (!column.is_empty(row)) append_number(to, column, row);
        }
        // An empty line would be no row.
        if (columns.size() == 1 && (to.empty() || to.back() == '\n')) to += "\"\"";
        to += '\n';
      }
    });
  }

 private:
  std::vector<output_column> columns_;
  char delimiter_;
};

class json_encoder final : public row_encoder {
 public:
  json_encoder(const std::vector<output_column>& columns, const std::vector<column_facts>& facts)
      : columns_(columns), facts_(facts) {
    for (const output_column& column : columns) {
      if (first_not_utf8(column.name))
        throw usage_error(fmt::format("column {}: its name is not UTF-8, which JSON must be", in_quotes(column.name)));
      append_json_string(names_.emplace_back(), column.name);
    }
  }
  std::string header(std::uint64_t) const override { return {}; }
  void encode(const file_table& batch, const writer& write) const override {
    const auto columns = columns_of(batch, columns_, &facts_, false);
    write_parts(batch.rows(), write, [&](std::string& to, std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t row = first; row < last; ++row) {
        to += '{';
        for (std::size_t i = 0; i < columns.size(); ++i) {
          if (i != 0) to += ',';
          to += names_[i];
          to += ':';
          append(to, columns[i], row, batch.name());
        }
        to += "}\n";
      }
    });
  }

 private:
  static void append(std::string& to, const table_column& column, std::uint64_t row, const std::string& file) {
    if (column.is_empty(row)) {
      to += "null";
    } else if (column.is_text) {
      if (first_not_utf8(column.texts[row]))
        throw failure(fmt::format("{}: column {} has a text that is not UTF-8, which JSON must be: {}", file,
                                  in_quotes(column.name), in_quotes(column.texts[row])));
      if (column.is_literal) to += column.texts[row];
      else append_json_string(to, column.texts[row]);
    } else {
      visit_dtype(column.type, [&]<class T>(std::type_identity<T>) {
        const T value = column.numbers.as<T>()[row];
        if constexpr (std::is_floating_point_v<T>) {
          if (std::isnan(value)) return void(to += "null");
          if (std::isinf(value)) return void(to += value < 0 ? "-1e999" : "1e999");  // reads as an infinity
        }
        append_number(to, value);
      });
    }
  }

  std::vector<output_column> columns_;
  std::vector<column_facts> facts_;
  std::vector<std::string> names_;
};

std::string quoted_for_python(std::string_view text) {
  const auto refuse = [&](std::string_view what) {
    throw usage_error(fmt::format("column {}: a name {} cannot be a field of an .npy", in_quotes(text), what));
  };
  if (first_not_utf8(text)) refuse("that is not UTF-8");
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') refuse("with quotes or backslashes");
    if (static_cast<unsigned char>(c) < ' ') refuse("with line ends or other control characters");
    quoted += c;
  }
  return quoted + "'";
}

class npy_encoder final : public row_encoder {
 public:
  npy_encoder(const table& from, const std::vector<output_column>& columns, const std::vector<column_facts>& facts)
      : columns_(columns), facts_(facts) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const column_facts& fact = facts[i];
      field made;
      if (fact.type.is_text) {
        made.bytes = std::max<std::size_t>(fact.longest_text, 1);
        made.descr = fmt::format("|S{}", made.bytes);
      } else {
        // Types that can say that there is no number.
        const bool is_time = fact.type.npy_descr.find("8[") != std::string::npos;
        const bool is_float = fact.type.type == dtype::f32 || fact.type.type == dtype::f64 || is_time;
        if (fact.has_missing && !is_float && !columns[i].requested.is_unspecified())
          throw failure(fmt::format("{}: column {} has missing fields, which {} cannot hold: use {}:f64", from.name(),
                                    in_quotes(columns[i].name), name_of(fact.type.type), columns[i].name));
        made.type = fact.has_missing && !is_float ? dtype::f64 : fact.type.type;
        made.bytes = size_of(made.type);
        made.descr = npy_descr_of(made.type);
        if (made.type == fact.type.type && !fact.type.npy_descr.empty()) made.descr = fact.type.npy_descr;
      }
      row_bytes_ += made.bytes;
      fields_.push_back(std::move(made));
    }
    header_.shape = {0};
    header_.descr = fields_.front().descr;
    if (!from.only_column().empty()) return;
    header_.structured = true;
    header_.descr = "[";
    for (std::size_t i = 0; i < fields_.size(); ++i)
      header_.descr +=
          fmt::format("{}({}, '{}')", i == 0 ? "" : ", ", quoted_for_python(columns[i].name), fields_[i].descr);
    header_.descr += "]";
  }
  std::string header(std::uint64_t rows) const override {
    npy_header header = header_;
    header.shape[0] = rows;
    return npy_preamble(header);
  }
  void encode(const file_table& batch, const writer& write) const override {
    const auto columns = columns_of(batch, columns_, &facts_, true);
    host_buffer made(static_cast<std::size_t>(batch.rows() * row_bytes_));
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, batch.rows(), 1 << 14), [&](const auto& range) {
      std::byte* to = made.data() + range.begin() * row_bytes_;
      for (std::uint64_t row = range.begin(); row != range.end(); ++row)
        for (std::size_t i = 0; i < columns.size(); ++i) {
          put(columns[i], fields_[i], row, to, batch.name());
          to += fields_[i].bytes;
        }
    });
    write(made.bytes());
  }

 private:
  struct field {
    std::string descr;
    std::size_t bytes = 0;
    dtype type{};
  };

  static void put(const table_column& column, const field& as, std::uint64_t row, std::byte* to,
                  const std::string& file) {
    if (column.is_text) {
      const std::string_view text = column.texts[row];
      std::memset(to, 0, as.bytes);
      if (!text.empty()) std::memcpy(to, text.data(), text.size());
      return;
    }
    visit_dtype(column.type, [&]<class T>(std::type_identity<T>) {
      const T value = column.numbers.as<T>()[row];
      if constexpr (std::is_floating_point_v<T>) {
        const T shown = column.is_empty(row) ? std::numeric_limits<T>::quiet_NaN() : value;
        std::memcpy(to, &shown, sizeof shown);
      } else {
        if (as.type == column.type) {
          std::memcpy(to, &value, sizeof value);
          if (sizeof value == sizeof not_a_time && column.is_empty(row))
            std::memcpy(to, &not_a_time, sizeof not_a_time);
          return;
        }
        // Integers with missing fields among them.
        const double shown =
            column.is_empty(row) ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(value);
        constexpr double exact = 0x1p53;
        if (std::fabs(shown) > exact)
          throw failure(
              fmt::format("{}: column {} has missing fields and integers beyond 2^53 ({}): no number of NumPy "
                          "holds both; use {}:text",
                          file, in_quotes(column.name), value, column.name));
        std::memcpy(to, &shown, sizeof shown);
      }
    });
  }

  std::vector<output_column> columns_;
  std::vector<column_facts> facts_;
  std::vector<field> fields_;
  std::uint64_t row_bytes_ = 0;
  npy_header header_;
};

}  // namespace

std::unique_ptr<row_encoder> make_csv_encoder(const std::vector<output_column>& columns, char delimiter) {
  return std::make_unique<csv_encoder>(columns, delimiter);
}

std::unique_ptr<row_encoder> make_json_encoder(const std::vector<output_column>& columns,
                                               const std::vector<column_facts>& facts) {
  return std::make_unique<json_encoder>(columns, facts);
}

std::unique_ptr<row_encoder> make_npy_encoder(const table& from, const std::vector<output_column>& columns,
                                              const std::vector<column_facts>& facts) {
  return std::make_unique<npy_encoder>(from, columns, facts);
}

}  // namespace ballot::app
