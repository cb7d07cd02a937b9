// SPDX-License-Identifier: Apache-2.0
#include "table_select/select_first_rows.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace ballot::app {

bool can_select_in_batches(const file_table& header, const row_condition* where) {
  if (where == nullptr || !header.infers_types()) return true;
  return std::none_of(where->nodes.begin(), where->nodes.end(),
                      [](const condition_node& node) { return node.kind == condition_kind::column && !node.type; });
}

batch_limits limits_of_first_rows() {
  batch_limits limits;
  limits.bytes =
      std::numeric_limits<std::uint64_t>::max() / 2;  // rows of any length; the chunks that are read are small
  limits.rows = std::uint64_t{1} << 18;
  return limits;
}

first_rows select_first_rows(const file_table& header, input_file& file, const row_selection& wanted,
                             std::uint64_t most, engine& worker, phase_clock& clock) {
  const batch_limits limits = limits_of_first_rows();
  first_rows found;
  std::optional<table_batch_reader> batches;
  {
    scoped_phase reading(clock, phase::read);
    batches.emplace(header, file, limits);
  }
  found.rows = header.without_rows(0);
  while (found.numbers.size() < most && !batches->ended()) {
    auto batch = [&] {
      scoped_phase reading(clock, phase::read);
      return batches->next();
    }();
    const host_buffer chosen = select_rows(*batch, wanted, worker, clock, found.types.empty() ? &found.types : nullptr);
    auto places = std::as_const(chosen).as<std::uint64_t>();
    places =
        places.first(static_cast<std::size_t>(std::min<std::uint64_t>(places.size(), most - found.numbers.size())));
    const std::uint64_t before = found.rows_read;
    found.rows_read += batch->rows();
    found.bytes_read += batch->bytes();
    found.blank_lines += batch->blank_lines();
    for (const std::uint64_t row : places) {
      found.rows->buffer().append(batch->row(row));
      found.numbers.push_back(before + row);
    }
    if (found.rows_read == before && batches->ended()) break;
  }
  batch_room room;
  found.rows->find_rows(true, room);
  return found;
}

}  // namespace ballot::app
