// Tables: a file in memory as rows of bytes that travel whole, and columns by name that say which row goes where.
//
//     csv     RFC 4180, with a header; rows keep their quoting        lines    whole lines, one column "line"
//     npy     rows along the first axis; fields, or columns 0..k-1   records  rows of --record-bytes, OFFSET:LENGTH
//     sosd    a count (u64), then u64 or u32 items                   text     a number a line; raw: items of --dtype
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"
#include "base/phase_clock.hpp"
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

enum class table_format { csv, lines, npy, records, sosd, text, raw };

struct table_request {
  std::string path;
  table_format format;
  char delimiter = ',';                       // csv
  std::vector<std::string> nulls{};           // csv: words for missing values
  std::optional<dtype> type;                  // raw, text, sosd; of an .npy, to be compared with what it says
  std::optional<std::uint64_t> record_bytes;  // records
};

class table {
 public:
  virtual ~table() = default;
  virtual const std::string& name() const = 0;  // as messages show it
  virtual std::uint64_t rows() const = 0;
  virtual std::uint64_t bytes() const = 0;  // of the file
  virtual std::span<const std::byte> row(std::uint64_t i) const = 0;
  // What a file of so many rows begins with.
  virtual std::string header(std::uint64_t rows) const = 0;
  // Ends a row that came without a line end; empty for binary formats.
  virtual std::string_view line_end() const { return {}; }
  virtual std::uint64_t blank_lines() const { return 0; }

  virtual bool has_column(std::string_view name) const = 0;
  virtual std::string columns_in_words() const = 0;  // "a, b, c"
  // Throws usage_error where the column is not there, is there twice, or cannot be what is wished for, and failure where
  // its fields cannot.
  virtual table_column column(const std::string& name, const requested_type& requested) const = 0;
  // Whether columns are numbers or text by what is in them; then it can be looked at before the whole is there.
  virtual bool infers_types() const { return false; }
  virtual void infer_type(const std::string& /* column */, type_inference&) const {}
  // The one column of a table that has no more: "value" or "line"; empty otherwise.
  virtual std::string only_column() const { return {}; }

 protected:
  [[noreturn]] void throw_no_column(std::string_view name) const;
};

// Reads the whole file. Throws failure, or usage_error where the request contradicts itself.
std::unique_ptr<table> open_table(const table_request& request, phase_clock& clock);

// Rows of a table in the order of `chosen`, batch by batch, each of about so many bytes. With a line end after every row
// where the format has lines, also the last.
void write_batches(const table& from, std::span<const std::uint64_t> chosen, std::size_t batch_bytes,
                   const std::function<void(std::span<const std::byte>)>& write);

// The same as a file of the table's format.
void write_rows(const table& from, std::span<const std::uint64_t> chosen, output_file& to, phase_clock& clock);

}  // namespace ballot::app
