// SPDX-License-Identifier: Apache-2.0
// The rows of an .npy: its items, the rows of a table of two dimensions, or structures. They are
// copied as they are, and so keep their type: big-endian numbers, f16, times, texts.
#include "base/failure.hpp"
#include "base/text.hpp"
#include "columns/npy.hpp"
#include "files/input_file.hpp"
#include "tables/fixed_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

class npy_table final : public fixed_table_of_kind<npy_table> {
 public:
  npy_table(input_file& file, std::optional<dtype> expected, std::uint64_t memory) : fixed_table_of_kind(file.name()) {
    try {
      header_ = read_npy_header(file);
      if (header_.shape.empty()) throw failure("the array is 0-dimensional: there are no rows");
      if (header_.shape.size() > 2)
        throw failure(fmt::format("the array is {}-dimensional, shape ({}): tables of 1 and 2 dimensions are read",
                                  header_.shape.size(), fmt::join(header_.shape, ", ")));
      for (const npy_field& field : npy_fields(header_)) {
        fields_.emplace_back(field.name, column_of(field));
        item_bytes_ += field.bytes;
        constexpr std::uint64_t bytes_of_a_copy = 64;  // beside its characters
        if (const auto& type = fields_.back().second.type; type && type->kind == npy_type::wide)
          expect_copies(field.bytes + bytes_of_a_copy);
      }
      if (expected && (header_.structured || !fields_[0].second.type || fields_[0].second.type->read_as != expected))
        throw failure(fmt::format("--dtype {} contradicts the file, whose items are {}", name_of(*expected),
                                  header_.descr.substr(0, 60)));
      std::uint64_t row_bytes = item_bytes_;
      for (std::size_t i = 1; i < header_.shape.size(); ++i) {
        if (header_.shape[i] != 0 && row_bytes > std::numeric_limits<std::uint64_t>::max() / header_.shape[i])
          throw failure(fmt::format("bad .npy header: an array of shape ({})", fmt::join(header_.shape, ", ")));
        row_bytes *= header_.shape[i];
        columns_ *= header_.shape[i];
      }
      if (header_.structured && header_.shape.size() > 1)
        throw failure(fmt::format("the array of structures is {}-dimensional: only 1-dimensional ones are read",
                                  header_.shape.size()));
      expect_rows(row_bytes, header_.shape[0]);
      if (header_.fortran_order && header_.shape[0] > 1 && columns_ > 1) turn_round(file, memory);
    } catch (const usage_error&) {
      throw;
    } catch (const failure& problem) {
      const std::string_view what = problem.what();
      throw failure(what.starts_with(name()) ? std::string(what) : fmt::format("{}: {}", name(), what));
    }
  }

  std::string header(std::uint64_t rows) const override {
    npy_header header = header_;
    header.shape[0] = rows;
    return npy_preamble(header);
  }
  // An array of structures: the fields, or the items of a row as "value", and then "count".
  std::string counted_header(std::uint64_t rows) const override {
    npy_header header;
    header.structured = true;
    header.shape = {rows};
    if (header_.structured) {
      std::string name = "count";
      for (int i = 2; find(name); ++i) name = fmt::format("count{}", i);
      const std::size_t end = header_.descr.rfind(']');
      const std::size_t last = header_.descr.find_last_not_of(", ", end - 1);
      header.descr = fmt::format("{}{}('{}', '<u8')]", header_.descr.substr(0, last + 1),
                                 header_.descr[last] == '[' ? "" : ", ", name);
    } else {
      const std::string length = header_.shape.size() > 1 ? fmt::format(", ({},)", columns_) : "";
      header.descr = fmt::format("[('value', '{}'{}), ('count', '<u8')]", header_.descr, length);
    }
    return npy_preamble(header);
  }
  void join(const file_table& other) override {
    const npy_header& theirs = static_cast<const npy_table&>(other).header_;
    if (theirs.descr != header_.descr)
      throw failure(fmt::format("{}: its items are {}, and those of {} {}", other.name(), theirs.descr.substr(0, 60),
                                name(), header_.descr.substr(0, 60)));
    if (!std::equal(theirs.shape.begin() + 1, theirs.shape.end(), header_.shape.begin() + 1, header_.shape.end()))
      throw failure(fmt::format("{}: its shape is ({}), and that of {} ({})", other.name(),
                                fmt::join(theirs.shape, ", "), name(), fmt::join(header_.shape, ", ")));
    announce_more(*static_cast<const npy_table&>(other).announced());
  }
  std::string only_column() const override { return header_.shape.size() == 1 && !header_.structured ? "value" : ""; }
  bool is_matrix() const override { return header_.shape.size() == 2; }
  std::vector<std::string> column_names() const override {
    if (!only_column().empty()) return {only_column()};
    std::vector<std::string> names;
    if (header_.structured) {
      for (const auto& [name, column] : fields_)
        if (!name.empty()) names.push_back(name);
    } else {
      for (std::uint64_t i = 0; i < columns_; ++i) names.push_back(std::to_string(i));
    }
    return names;
  }
  std::string columns_in_words() const override {
    if (!only_column().empty()) return only_column();
    if (!header_.structured) return columns_ == 0 ? "none" : fmt::format("0 to {}", columns_ - 1);
    return listed(column_names());
  }

 private:
  std::string descr_of(std::string_view column, const fixed_column&) const override {
    if (!header_.structured) return header_.descr;
    for (const npy_field& field : npy_fields(header_))
      if (field.name == column) return field.descr;
    return {};
  }
  fixed_column column_of(const npy_field& field) const {
    fixed_column column{field.offset, field.bytes, npy_type_of(field.descr)};
    if (column.type->kind == npy_type::other) {
      column.type.reset();
      column.bytes = 0;  // copied with the row, but not a key
    }
    column.empty_is_missing = header_.structured;  // in an array of texts alone an empty one comes first, as in NumPy
    return column;
  }

  // Rows lie one behind the other in C order alone.
  void turn_round(input_file& file, std::uint64_t memory) {
    host_buffer items = read_rest(file);
    check_length(items.size());
    if (items.size() > memory / 2)
      throw failure(
          fmt::format("in Fortran order, which is turned round in memory: {} bytes twice are more than the {} "
                      "there are (--memory)",
                      items.size(), memory));
    file.replace_rest(in_c_order(std::as_const(items).bytes(), header_.shape, item_bytes_));
    header_.fortran_order = false;
  }

  std::optional<fixed_column> find(std::string_view name) const override {
    if (header_.structured) {
      for (const auto& [candidate, column] : fields_)
        if (!candidate.empty() && candidate == name) return column;
      return std::nullopt;
    }
    fixed_column column = fields_[0].second;
    if (name == only_column()) return column;
    std::uint64_t number = 0;
    if (!only_column().empty() || !is_count(name, number) || number >= columns_) return std::nullopt;
    column.offset = number * item_bytes_;
    return column;
  }

  npy_header header_;
  std::vector<std::pair<std::string, fixed_column>> fields_;
  std::uint64_t item_bytes_ = 0;
  std::uint64_t columns_ = 1;
};

}  // namespace

std::unique_ptr<file_table> open_npy_table(input_file& file, std::optional<dtype> expected, std::uint64_t memory) {
  return std::make_unique<npy_table>(file, expected, memory);
}

}  // namespace ballot::app
