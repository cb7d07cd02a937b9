// SPDX-License-Identifier: Apache-2.0
// Sort keys of rows: columns of a table as unsigned integers for the engines, and comparisons for
// ties.
//
//     population: u32, descending      ordered bits, u32                        exact
//     city: text                       8 bytes after the bytes that all texts   inexact: ties are broken by comparing
//                                      have in common, big-endian, u64          the whole texts
//     0:10 of a record                 u64 and u32, big-endian                  exact
//
// Empty fields and NaNs come last in both directions, NaNs before empty fields. Numbers that
// compare equal have equal keys (-0 and +0, all NaNs) unless `exact_bits`.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/date_format.hpp"
#include "base/text_order.hpp"
#include "engines/engine.hpp"
#include "tables/table.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

struct sort_key {
  std::string column;
  requested_type requested;
  direction order = direction::ascending;
  bool exact_bits = false;  // floats by their bits, as a single column is sorted: -0 before +0
  // Texts that are dates, or in an order other than that of their bytes; then `requested` is text.
  std::optional<date_format> dates{};
  text_order texts{};

  // Where the bytes of the column are, if their order is the order of the key. Nothing for other
  // keys.
  std::optional<table::equal_texts> bytes_of(const table& from) const;
  bool is_inferred() const { return requested.is_unspecified(); }
  // The column as it is compared: of derived texts their keys.
  table_column column_of(const table& from) const;
  // A bound for the bytes that a batch needs for derived keys, for each byte of its rows.
  std::size_t derived_bytes_a_byte() const { return texts.is_bytes() ? 0 : texts.key_bytes_a_byte(); }
};

// Parses COLUMN[:TYPE | :text | :date(FORMAT) | :natural | :version | :locale[(NAME)]][:nocase][:asc|:desc]. The
// longest column name that fits is taken. Throws usage_error.
sort_key parse_sort_key(const std::string& text, const table& of, direction order);

// One key for each of `by`. If `by` is empty: the only column of the table, by its bits. No key if
// the table has several columns.
std::vector<sort_key> parse_sort_keys(const table& of, const std::vector<std::string>& by, direction order);

std::vector<std::string> columns_of(std::span<const sort_key> keys);

class row_keys {
 public:
  // Reads the columns. Keeps references to `from`. keeps_fields: keeps the fields of all columns,
  // for checks. Otherwise the fields are dropped where the keys determine the order.
  row_keys(const table& from, std::span<const sort_key> keys, bool keeps_fields = true);

  // Keys that can be compared with those of other parts of the same table. Equal keys mean equal
  // fields. How many keys a column has, and of which type, depends on the type of the column alone,
  // except for flags (below).
  static row_keys of_part(const table& from, std::span<const sort_key> keys);
  // Throws usage_error if there are no such keys: texts without a length, or of more than 32 bytes.
  static void require_keys_of_parts(const table& header, std::span<const sort_key> keys);
  // Adds a flag in front of a column's keys: whether the field is empty. If one part of a table
  // needs it, all parts have to have it.
  void add_flags(std::size_t of);  // a part

  std::span<const key_column> columns() const { return columns_; }
  // Sorts runs of rows whose keys are equal but inexact. `rows` are in the order of columns(). If
  // `repeats` are given, they are one for each row, and 0. They become 1 where a row equals the row
  // before it, if this is seen on the way. Returns whether it was.
  bool break_ties(std::span<std::uint64_t> rows, std::span<std::uint8_t> repeats = {}) const;
  bool equal(std::uint64_t a, std::uint64_t b) const { return compare_from(0, a, b) == 0; }

  // A key column, also for checks.
  struct part {
    table_column column;
    direction order;
    bool exact_bits;
    std::size_t first_key = 0, key_count = 0;  // in columns()
    bool is_exact = true;                      // equal keys mean equal fields
    std::size_t common_prefix = 0;             // of texts: bytes that all share, which the key leaves out
    bool has_flags = false;                    // the first key says whether a field is empty
  };
  std::span<const part> parts() const { return parts_; }
  void add_types(std::vector<column_type>& to) const {
    for (const part& p : parts_) to.push_back(p.column);
  }

 private:
  row_keys() = default;
  void add(const table& from, const sort_key& key, bool keeps_fields, bool is_of_part);
  key_column flags_of(const part& p) const;
  void add_numbers(part& p);
  template <class BytesOf>
  void add_bytes(part& p, const BytesOf& bytes_of);
  void add_texts(part& p);
  void add_padded_texts(part& p, std::size_t length);
  key_column& add_keys(part& p, std::size_t key_bytes);
  bool same_keys(std::size_t first_part, std::size_t last_part, std::uint64_t a, std::uint64_t b) const;
  int compare_from(std::size_t first_part, std::uint64_t a, std::uint64_t b) const;

  std::uint64_t rows_ = 0;
  std::vector<part> parts_;
  std::vector<key_column> columns_;
};

}  // namespace ballot::app
