// SPDX-License-Identifier: Apache-2.0
// The rows of an Arrow file or stream, or of a Parquet file (columnar/row_layout.hpp). Keys and
// conditions see integers, floats and texts as they are; booleans as 0 and 1; dates, times and
// instants as the numbers that the file has (days, or units since 1970); decimals as f64, as far as
// that is exact (15 digits); keys of longer ones are their bytes.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/bulk_vector.hpp"
#include "columnar/row_layout.hpp"
#include "tables/file_table.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

class arrow_table final : public file_table {
 public:
  // `read`: the columns of the schema that are in the rows.
  arrow_table(std::string name, std::shared_ptr<const arrow_schema> schema, const std::vector<std::size_t>& read,
              row_layout layout);

  std::uint64_t rows() const override { return layout_->is_variable() ? begins_.size() : fixed_rows_; }
  std::span<const std::byte> row(std::uint64_t i) const override;
  std::string header(std::uint64_t) const override { return {}; }
  bool has_column(std::string_view name) const override { return find(name).has_value(); }
  std::string columns_in_words() const override;
  std::vector<std::string> column_names() const override;
  std::string only_column() const override { return schema_->columns.size() == 1 ? schema_->columns[0].name : ""; }
  table_column column(const std::string& name, const requested_type& requested) const override;
  table_column column_to_compare(const std::string& name, const requested_type& requested) const override;
  table_column column_to_write(const std::string& name, const requested_type& requested, bool is_binary) const override;
  void append_counted(std::span<const std::byte> row, std::uint64_t count, host_buffer& to) const override;
  std::string counted_header(std::uint64_t) const override { return {}; }
  std::unique_ptr<file_table> counted_table() const override;

  std::unique_ptr<file_table> without_rows(std::uint64_t) const override;
  void find_rows(bool is_end, batch_room& room) override;
  void count_derived(const std::string& column, std::size_t bytes_a_byte) override;
  void join(const file_table& other) override;

  const arrow_schema& schema() const { return *schema_; }
  const row_layout& layout() const { return *layout_; }
  // The place of a column in the rows.
  std::size_t place_of(const std::string& name) const;

 private:
  arrow_table(const arrow_table& other, std::shared_ptr<const row_layout> layout);
  // In the schema. Throws usage_error where two columns have the name.
  std::optional<std::size_t> find(std::string_view name) const;
  void take_numbers(std::size_t place, table_column& to) const;
  void take_texts(std::size_t place, table_column& to) const;
  void take_decimals(std::size_t place, table_column& to) const;
  void take_written(std::size_t place, table_column& to) const;
  void append_written(std::string& to, std::size_t place, const std::byte* row) const;
  void widen(std::size_t place, table_column& to) const;
  void find_missing(std::size_t place, table_column& to) const;

  static constexpr std::size_t not_read = ~std::size_t{0};
  std::shared_ptr<const arrow_schema> schema_;
  std::vector<std::size_t> places_;  // of the columns of the schema
  std::shared_ptr<const row_layout> layout_;
  struct derived {
    std::size_t place, bytes_a_byte;
  };
  std::vector<derived> derived_;
  mutable std::unique_ptr<row_layout> counted_;  // of append_counted(), which one thread calls
  bulk_vector<std::uint64_t> begins_;
  std::uint64_t fixed_rows_ = 0;
};

std::unique_ptr<file_table> open_arrow_table(const table_request& request, input_file& file, std::uint64_t memory);

}  // namespace ballot::app
