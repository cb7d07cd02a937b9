// SPDX-License-Identifier: Apache-2.0
// A table: a file in memory as rows of bytes, which are copied whole, and columns by name, for keys
// and conditions.
//
//     csv     RFC 4180, with a header; rows keep their quoting        lines    whole lines, one column "line"
//     npy     rows along the first axis; fields, or columns 0..k-1   records  rows of --record-bytes, OFFSET:LENGTH
//     jsonl   a JSON object a line, its members the columns
//     arrow   Arrow and Parquet: rows made of columns (columnar/row_layout.hpp), which are made
//             columns again
//     sosd    a count (u64), then u64 or u32 items                   text     a number a line; raw: items of --dtype
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"
#include "base/host_buffer.hpp"
#include "base/phase_clock.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "tables/column.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

enum class table_format { csv, lines, npy, records, sosd, text, raw, json_lines, arrow, parquet };

// Whether a compressed file can be told by its first bytes.
inline first_bytes first_bytes_of(table_format f) {
  const bool may_be_anything = f == table_format::records || f == table_format::sosd || f == table_format::raw;
  return may_be_anything ? first_bytes::are_data : first_bytes::tell_compression;
}

inline bool is_columnar(table_format f) { return f == table_format::arrow || f == table_format::parquet; }

// The columns that a run looks at: of columnar files no others are read.
struct used_columns {
  bool all = true;
  std::vector<std::string> named{};    // whole names
  std::vector<std::string> of_keys{};  // --by
  std::vector<std::string> written{};  // --columns
};

struct table_request {
  std::string path;
  table_format format;
  char delimiter = ',';                         // csv
  std::vector<std::string> nulls{};             // csv: words for missing values
  bool has_header = true;                       // csv
  std::vector<std::string> more_paths{};        // files that are read behind the first, as if they were one
  std::optional<dtype> type{};                  // raw, text, sosd; for .npy it must be the type of the file
  std::optional<std::uint64_t> record_bytes{};  // records
  used_columns used{};                          // arrow, parquet
};

class table {
 public:
  virtual ~table() = default;
  virtual const std::string& name() const = 0;  // as messages show it
  virtual std::uint64_t rows() const = 0;
  virtual std::uint64_t bytes() const = 0;  // of the file
  virtual std::span<const std::byte> row(std::uint64_t i) const = 0;
  // The place of rows that all have one size and follow each other.
  struct equal_rows {
    const std::byte* first = nullptr;
    std::size_t bytes = 0;  // of each
  };
  virtual std::optional<equal_rows> rows_of_one_size() const { return std::nullopt; }
  // The header of a file with so many rows.
  virtual std::string header(std::uint64_t rows) const = 0;
  // The place of a column's bytes in a row, and NumPy's type for them; nothing where rows are text.
  struct stored_column {
    std::uint64_t offset, bytes;
    std::string descr;
  };
  virtual std::optional<stored_column> stored(std::string_view /* column */) const { return std::nullopt; }
  // The texts of a column, where all have one size and are at the same place of each row.
  struct equal_texts {
    const std::byte* first = nullptr;
    std::size_t bytes = 0, row_bytes = 0;
  };
  virtual std::optional<equal_texts> texts_of_one_size(std::string_view /* column */) const { return std::nullopt; }
  // Whether all columns are of one type and have no names: rows of some of them are an array of two
  // dimensions again.
  virtual bool is_matrix() const { return false; }
  // The header, and a row, with a field "count" behind the others. If the format has no room for
  // it, counted_header() throws usage_error.
  virtual std::string counted_header(std::uint64_t rows) const;
  virtual void append_counted(std::span<const std::byte> row, std::uint64_t count, host_buffer& to) const;
  // The line end for a row that lacks one; empty for binary formats.
  virtual std::string_view line_end() const { return {}; }
  virtual std::uint64_t blank_lines() const { return 0; }
  // The place of a row, for messages: "file:17".
  virtual std::string place_of_row(std::uint64_t row) const;

  virtual bool has_column(std::string_view name) const = 0;
  virtual std::string columns_in_words() const = 0;  // "a, b, c"
  // Where a column is missing: throws failure if an error in the file may be the cause.
  virtual void require_known_header() const {}
  // The names of all columns, in their order; none where columns are not counted (records).
  virtual std::vector<std::string> column_names() const {
    return only_column().empty() ? std::vector<std::string>{} : std::vector{only_column()};
  }
  // Throws usage_error if the column is missing, ambiguous, or cannot have the requested type, and
  // failure if a field does not fit the type.
  virtual table_column column(const std::string& name, const requested_type& requested) const = 0;
  // The column as keys are made of it: in the same order, but its texts may be none that one would
  // write.
  virtual table_column column_to_compare(const std::string& name, const requested_type& requested) const {
    return column(name, requested);
  }
  // The column as it is written in another format: as numbers and texts of a line, or (is_binary)
  // as items.
  virtual table_column column_to_write(const std::string& name, const requested_type& requested,
                                       bool /* is_binary */) const {
    return column(name, requested);
  }
  // Whether the types of columns are inferred from their fields. infer_type() adds the fields of
  // this batch.
  virtual bool infers_types() const { return false; }
  virtual void infer_type(const std::string& /* column */, type_inference&) const {}
  // The name of the only column, "value" or "line"; empty if there are several.
  virtual std::string only_column() const { return {}; }

 protected:
  [[noreturn]] void throw_no_column(std::string_view name) const;
};

// Reads the whole file. Throws failure, or usage_error if the request is contradictory.
std::unique_ptr<table> open_table(const table_request& request, phase_clock& clock);

// Rows of a batch that is written: places[i] is where row i of it begins; its end follows.
struct written_batch {
  std::span<const std::byte> bytes;
  std::span<const std::size_t> places;
};

// Collects rows from the front of `chosen`: about `most_bytes` bytes, but at least one row. Does so
// on this thread. The rows look as those of write_batches() do. Returns how many they are.
std::size_t collect_rows(const table& from, std::span<const std::uint64_t> chosen, std::size_t most_bytes,
                         std::vector<std::size_t>& places, host_buffer& bytes);
// The bytes of all of them.
std::uint64_t bytes_of_rows(const table& from, std::span<const std::uint64_t> chosen);

// Writes the rows `chosen` in batches of about `batch_bytes` bytes, two of which are in memory: one
// is collected while the other is written. In formats with lines every row gets a line end.
void write_batches(const table& from, std::span<const std::uint64_t> chosen, std::size_t batch_bytes,
                   const std::function<void(const written_batch&)>& write);

// The same with the header, to a file.
void write_rows(const table& from, std::span<const std::uint64_t> chosen, output_file& to, phase_clock& clock);

}  // namespace ballot::app
