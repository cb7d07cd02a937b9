// SPDX-License-Identifier: Apache-2.0
// The places of some fields of CSV rows. They are noted while the rows are found, so that a column
// can be read without another search.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/bulk_vector.hpp"
#include "tables/column_type.hpp"
#include "tables/field_ends.hpp"
#include "tables/split_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ballot::app {

// A field within its row, without its quotes.
class field_place {
 public:
  field_place() = default;
  field_place(std::size_t begin, std::size_t size, bool doubled)
      : begin_(begin + size > most ? unknown : static_cast<std::uint32_t>(begin)),
        size_(static_cast<std::uint32_t>(size) & most),
        doubled_(doubled) {}

  // A field of a row that begins at `row`; nothing where it is too far behind that.
  std::optional<field_bytes> in(const char* row) const {
    if (begin_ == unknown) return std::nullopt;
    return field_bytes{std::string_view(row + begin_, size_), doubled_ != 0};
  }
  std::size_t size() const { return size_; }
  bool doubled() const { return doubled_ != 0; }

 private:
  static constexpr std::uint32_t most = ~std::uint32_t{0} >> 1, unknown = ~std::uint32_t{0};
  std::uint32_t begin_, size_ : 31, doubled_ : 1;
};

// Rows, and of each that is not blank the places of the remembered fields.
struct found_records {
  std::vector<found_row> rows;
  std::vector<field_place> places;

  void clear() {
    rows.clear();
    places.clear();
  }
};

// The places of the fields `wanted` (their numbers, of `fields` in a row) of all rows of `lines`,
// row by row.
template <class Places>
void add_places(std::string_view lines, const field_ends& ends, std::size_t fields, std::span<const std::size_t> wanted,
                Places& places) {
  const std::uint32_t* const at = ends.places.data();
  const std::size_t before = places.size();
  places.resize(before + ends.line_feeds * wanted.size());
  field_place* to = places.data() + before;
  for (std::size_t row = 0, row_begin = 0; row < ends.line_feeds; row_begin = at[++row * fields - 1] + std::size_t{1}) {
    for (const std::size_t index : wanted) {
      const std::size_t place = row * fields + index;
      std::size_t begin = index == 0 ? row_begin : at[place - 1] + std::size_t{1}, end = at[place];
      if (index + 1 == fields && end != begin && lines[end - 1] == '\r') --end;
      bool doubled = false;
      if (ends.has_quotes && end != begin && lines[begin] == '"') {
        ++begin;
        --end;
        doubled = std::memchr(lines.data() + begin, '"', end - begin) != nullptr;
      }
      *to++ = {begin - row_begin, end - begin, doubled};
    }
  }
}

}  // namespace ballot::app
