// SPDX-License-Identifier: Apache-2.0
// Rows of Arrow's columns as bytes, so that they can be sorted, selected and kept in temporary
// files as rows of other formats are. Nothing of a value is lost: from rows columns are made again.
//
//     | length, u32 | nulls, a bit each | values of a fixed size, of texts their ends, u32 | texts |
//
// The length is there only where some column has texts; ends count from the beginning of the row.
// Equal rows have equal bytes: a null is zeros. Values are not aligned.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "columnar/arrow_type.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

class row_layout {
 public:
  row_layout() = default;
  explicit row_layout(std::vector<arrow_column> columns);

  const std::vector<arrow_column>& columns() const { return columns_; }
  bool is_variable() const { return !texts_.empty(); }
  std::uint64_t fixed_bytes() const { return fixed_bytes_; }  // of a row, less its texts
  std::uint64_t offset(std::size_t column) const { return offsets_[column]; }
  const std::vector<std::size_t>& texts() const { return texts_; }  // the columns of texts

  std::uint32_t length_of(const std::byte* row) const { return load<std::uint32_t>(row); }
  bool is_null(const std::byte* row, std::size_t column) const {
    return (std::to_integer<unsigned>(row[nulls_ + column / 8]) >> column % 8 & 1u) != 0;
  }
  void set_null(std::byte* row, std::size_t column) const {
    row[nulls_ + column / 8] |= std::byte{1} << static_cast<int>(column % 8);
  }
  std::string_view text(const std::byte* row, std::size_t column) const {
    const std::uint32_t end = load<std::uint32_t>(row + offsets_[column]);
    const std::uint32_t begin = before_[column] == none ? static_cast<std::uint32_t>(fixed_bytes_)
                                                        : load<std::uint32_t>(row + offsets_[before_[column]]);
    return {reinterpret_cast<const char*>(row) + begin, end - begin};
  }
  template <class T>
  static T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  std::vector<arrow_column> columns_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::size_t> texts_, before_;  // the column of texts before it
  std::uint64_t nulls_ = 0, fixed_bytes_ = 0;
};

// Appends the rows of a batch, whose columns are those of the layout. Throws failure where a row is
// too long: `name` is that of the file, and `first` the number of its first row.
void append_rows(const row_layout& layout, const ArrowArray& batch, const std::string& name, std::uint64_t first,
                 host_buffer& to);

}  // namespace ballot::app
