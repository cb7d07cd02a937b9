// SPDX-License-Identifier: Apache-2.0
#include <ballot/c/columns.hpp>
#include <ballot/core/namespace.hpp>

namespace ballot_c {
namespace {

void require_column_count(const char* function, std::int32_t columns) {
  if (columns < 1 || columns > most_columns)
    fail(function, joined({"`columns` is ", std::to_string(columns), ", columns are 1 to 16"}));
}

}  // namespace

void require_column_types(const char* function, std::int32_t columns, const ballot_type* types) {
  require_column_count(function, columns);
  if (types == nullptr) fail(function, "`types` is null");
  for (std::int32_t c = 0; c < columns; ++c) require_type(function, "types", types[c], accepts::anything_to_move);
}

void require_columns(const char* function, const char* name, std::int32_t columns, const ballot_array* in,
                     bool first_may_be_counted) {
  require_column_count(function, columns);
  if (in == nullptr) fail(function, joined({"`", name, "` is null"}));
  for (std::int32_t c = 0; c < columns; ++c) {
    const type_info type =
        require_array(function, name, in[c], accepts::anything_to_move, first_may_be_counted && c == 0);
    if (in[c].length != in[0].length)
      fail(function, joined({"`", name, "` column ", std::to_string(c), " has ", decimal(in[c].length),
                             " items, column 0 has ", decimal(in[0].length)}));
    if (type.is_positions && type.bytes == 4 && has_wide_positions(in[c].length))
      fail(function, joined({"`", name, "` column ", std::to_string(c), " has ", decimal(in[c].length),
                             " positions, more than 32 bits count"}));
  }
}

void require_outputs(const char* function, const char* name, std::int32_t columns, const ballot_array* in,
                     const ballot_array* out, u64 least, const char* in_name) {
  if (out == nullptr) fail(function, joined({"`", name, "` is null"}));
  for (std::int32_t c = 0; c < columns; ++c) {
    require_array(function, name, out[c], accepts::anything_to_move);
    const bool is_of_positions = info_of(in[c].type).is_positions;
    const ballot_type wanted = in[c].type == BALLOT_POSITIONS_U32   ? BALLOT_U32
                               : in[c].type == BALLOT_POSITIONS_U64 ? BALLOT_U64
                                                                    : in[c].type;
    require_same_type(function, name, out[c].type, is_of_positions ? "positions" : in_name, wanted);
    if (least != 0 && out[c].length != least)
      ballot::detail::require_same_length(function, in_name, least, name, out[c].length);
  }
}

}  // namespace ballot_c
