// SPDX-License-Identifier: Apache-2.0
// Writes rows in another format, or some of their columns. Where the output cannot begin before all
// rows are known (an .npy has their count, and texts as long as the longest; JSON has numbers or
// texts), they wait in a temporary file.
#pragma once

#include <ballot/core/namespace.hpp>

#include "files/output_file.hpp"
#include "files/temporary_file.hpp"
#include "tables/row_encoder.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ballot::app {

// The types of columns that are inferred, from rows of the input.
class inferred_columns {
 public:
  explicit inferred_columns(std::vector<output_column> columns)
      : columns_(std::move(columns)), found_(columns_.size()) {}
  void look_at(const table& rows);  // adds these
  const std::vector<type_inference>& found() const { return found_; }

 private:
  std::vector<output_column> columns_;
  std::vector<type_inference> found_;
};

class row_conversion {
 public:
  // The columns whose types the output depends on, if they are inferred.
  static std::optional<inferred_columns> columns_to_infer(const conversion_request& request,
                                                          const table_request& source, const table& from);

  // `header`: of the input, without rows. `directory`: for the temporary file. Keeps references.
  // Throws usage_error where a column is not there.
  row_conversion(const conversion_request& request, const table_request& source, const file_table& header,
                 const std::string& directory, output_file& to);

  // The types of columns are these, of all rows of the input, and not those of the rows that are
  // written. Call before add().
  void take_types(const inferred_columns& of_input) {
    types_ = of_input.found();
    are_types_known_ = true;
  }
  void add(std::span<const std::byte> rows);  // whole rows, as the input has them, with line ends
  void finish();                              // writes what is left; the file is not committed

 private:
  std::unique_ptr<file_table> table_of(std::span<const std::byte> rows);
  void learn(const file_table& batch);
  void write_batch(const file_table& batch);
  void write_kept();
  void write_end();

  const conversion_request& request_;
  const file_table& header_;
  std::string directory_;
  output_file& to_;
  std::vector<output_column> columns_;
  std::unique_ptr<row_encoder> encoder_;  // null: before all rows are known
  bool copies_bytes_ = false;             // nothing has to be learnt of the columns
  std::uint64_t header_lines_ = 0;

  std::optional<temporary_file> kept_;
  std::vector<type_inference> types_;
  bool are_types_known_ = false;
  std::vector<column_facts> facts_;
  std::uint64_t rows_ = 0, largest_ = 0;  // bytes of what was added at a time
  std::shared_ptr<file_parts> places_;    // for messages: a row of the output
};

}  // namespace ballot::app
