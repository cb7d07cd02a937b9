// SPDX-License-Identifier: Apache-2.0
// Selects rows of a text while it is read, in the memory of a few pieces of it:
//
//     read     |....row|row....row|row....   pieces of whole rows, one after the other
//     select       |        |        |       on all cores, each piece a table of its own
//     write        '--------'--------'-->    in order
//
// A piece ends where a row seems to end (file_table::end_of_last_row). This is certain when its
// rows have been found. The first piece begins with a row, and so does each that follows a piece
// whose rows end with it. Inferred types of columns are those of the first piece. They are certain
// when every piece was read with them.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/phase_clock.hpp"
#include "conditions/row_condition.hpp"
#include "files/input_file.hpp"
#include "tables/column_type.hpp"
#include "tables/file_table.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace ballot::app {

struct piecewise_selection {
  const row_condition* where;
  bool invert = false;
  bool verify = false;
  bool wants_rows = true, wants_numbers = false;
  std::size_t piece_bytes = std::size_t{256} << 10;
  // Of the first piece, as an earlier selection from the same file found that it is enough. Then
  // there is one attempt, and `begin` is called once.
  std::optional<std::size_t> first_piece_bytes{};
};

struct selected_in_pieces {
  std::uint64_t rows = 0, bytes = 0, blank_lines = 0, selected = 0;
  std::vector<column_type> types{};
  std::size_t first_piece_bytes = 0;  // which was enough
};

// The selected rows of a piece, each with its line end, and their numbers; those that are wanted.
using selected_rows_listener =
    std::function<void(std::span<const std::byte> rows, std::span<const std::uint64_t> numbers)>;

// Whether a table of this header can be cut so, and the file be read again.
bool can_select_in_pieces(const file_table& header, const input_file& file);

// About how much memory that takes on this machine.
std::uint64_t memory_of_pieces();

// `file` stands behind its header. A file that grows meanwhile is taken as it was when it was
// opened: it may be the one that the rows are appended to. Calls `begin`, and `take` in the order
// of the rows; `begin` again where it has to begin anew. Returns nothing, with the file where it
// was, if the first piece does not show the types of the columns, or if a row has an error. A
// caller that reads the whole table then finds and reports the error. Throws verification_failure.
std::optional<selected_in_pieces> select_in_pieces(const file_table& header, input_file& file,
                                                   const piecewise_selection& wanted,
                                                   const std::function<void()>& begin,
                                                   const selected_rows_listener& take, phase_clock& clock);

}  // namespace ballot::app
