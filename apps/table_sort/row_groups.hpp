// SPDX-License-Identifier: Apache-2.0
// Neighbouring rows with equal keys as one row each with a count, for --group-count. Rows come in
// pieces of any size, in their order; a group may go on in the next piece.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "base/phase_clock.hpp"
#include "files/output_file.hpp"
#include "files/temporary_file.hpp"
#include "table_sort/row_keys.hpp"
#include "tables/file_table.hpp"
#include "tables/row_conversion.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

struct grouping {
  std::vector<sort_key> keys;                                      // their types are known; none: whole rows
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  // groups
  bool verify = false;
};

class row_groups {
 public:
  using writer = std::function<void(std::span<const std::byte>)>;

  // Keeps references to `header` and `clock`.
  row_groups(const file_table& header, grouping by, writer write, phase_clock& clock)
      : header_(header), by_(std::move(by)), write_(std::move(write)), clock_(clock) {}

  // Whole rows, each with its line end.
  void add(std::span<const std::byte> rows);
  // Returns the number of groups written. Throws verification_failure.
  std::uint64_t finish();

 private:
  void emit(std::span<const std::byte> row, std::uint64_t count);
  void write();
  void check(const row_keys& keys, std::span<const std::uint8_t> begins) const;

  const file_table& header_;
  grouping by_;
  writer write_;
  phase_clock& clock_;
  host_buffer first_;          // the first row of the last group so far
  std::uint64_t pending_ = 0;  // the rows of that group
  std::uint64_t rows_ = 0, counted_ = 0, written_ = 0;
  host_buffer out_;
};

// The output of row_groups: behind a header, which may have the number of groups in it.
class grouped_output {
 public:
  // directory: for a temporary file, where the header has to wait; empty: memory serves. Throws
  // usage_error if rows of the format have no room for a count. conversion: of rows that are
  // written in another form (of columnar files); null: none. Keeps references.
  grouped_output(const file_table& header, std::string directory, const conversion_request* conversion = nullptr,
                 const table_request* source = nullptr)
      : header_(header), directory_(std::move(directory)), conversion_(conversion), source_(source) {
    waits_ = header.counted_header(1) != header.counted_header(2);
  }

  void begin(output_file& to);
  void write(std::span<const std::byte> rows, output_file& to);
  void finish(std::uint64_t groups, output_file& to);  // commits the file

 private:
  const file_table& header_;
  std::string directory_;
  const conversion_request* conversion_;
  const table_request* source_;
  std::unique_ptr<file_table> counted_;
  std::optional<row_conversion> converted_;
  bool waits_;
  std::optional<temporary_file> kept_;
  host_buffer kept_in_memory_;
};

// Keys whose types are inferred get those that they have in the table; or these, one for each key.
void settle_types(std::vector<sort_key>& keys, const table& of);
void settle_types(std::vector<sort_key>& keys, std::span<const column_type> types);

}  // namespace ballot::app
