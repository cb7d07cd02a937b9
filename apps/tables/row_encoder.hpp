// SPDX-License-Identifier: Apache-2.0
// Rows in another format, or some of their columns: batch by batch, as bytes.
#pragma once

#include <ballot/core/namespace.hpp>

#include "tables/file_table.hpp"
#include "tables/output_columns.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

class row_encoder {
 public:
  using writer = std::function<void(std::span<const std::byte>)>;
  virtual ~row_encoder() = default;
  // Before the first batch, once.
  virtual std::string header(std::uint64_t rows) const = 0;
  // All rows of a batch. Throws failure where a field cannot be written so.
  virtual void encode(const file_table& batch, const writer& write) const = 0;
  // Behind the last.
  virtual void finish(const writer&) const {}
};

// Facts about a column that follow only from all rows that are written.
struct column_facts {
  column_type type;              // of a column whose type is inferred, or requested
  std::size_t longest_text = 0;  // bytes
  bool has_missing = false;
};

// CSV of CSV: fields are copied as they are. No facts are needed.
std::unique_ptr<row_encoder> make_csv_projector(const table& from, const std::vector<output_column>& columns,
                                                const table_request& source, char delimiter);
// JSON Lines of JSON Lines: values are copied as they are; what a row lacks, its copy lacks.
std::unique_ptr<row_encoder> make_json_projector(const std::vector<output_column>& columns);
// From any table.
std::unique_ptr<row_encoder> make_csv_encoder(const std::vector<output_column>& columns, char delimiter);
std::unique_ptr<row_encoder> make_json_encoder(const std::vector<output_column>& columns,
                                               const std::vector<column_facts>& facts);
std::unique_ptr<row_encoder> make_npy_encoder(const table& from, const std::vector<output_column>& columns,
                                              const std::vector<column_facts>& facts);
// Arrow and Parquet. `name`: of the output.
std::unique_ptr<row_encoder> make_arrow_encoder(const table& from, const std::vector<output_column>& columns,
                                                const std::vector<column_facts>& facts, converted_format format,
                                                const std::string& name);
// .npy of fixed rows: bytes are copied. Null where a column has none to copy.
std::unique_ptr<row_encoder> make_npy_projector(const table& from, const std::vector<output_column>& columns);

// Calls encode(text, first row, last row) for parts of the rows on all cores, and writes the texts
// in order.
void write_parts(std::uint64_t rows, const row_encoder::writer& write,
                 const std::function<void(std::string&, std::uint64_t, std::uint64_t)>& encode);

}  // namespace ballot::app
