// SPDX-License-Identifier: Apache-2.0
#include "table_sort/sort_table.hpp"

#include "table_sort/repeated_rows.hpp"
#include "table_sort/verify_table.hpp"

namespace ballot::app {

host_buffer sort_rows(const table& of, const row_sort& wanted, engine& worker, phase_clock& clock,
                      std::vector<column_type>* types) {
  host_buffer rows(static_cast<std::size_t>(of.rows()) * sizeof(std::uint64_t));
  const row_keys keys = [&] {
    scoped_phase reading(clock, phase::read);
    return row_keys(of, wanted.keys, wanted.verify);
  }();
  if (types != nullptr) keys.add_types(*types);
  std::vector<std::uint8_t> repeats;
  if (of.rows() != 0) {
    worker.order(keys.columns(), rows.as<std::uint64_t>(), clock);
    scoped_phase computing(clock, phase::compute);
    if (wanted.unique) repeats.resize(of.rows());
    if (!keys.break_ties(rows.as<std::uint64_t>(), repeats)) repeats.clear();
  }
  if (wanted.verify) {
    scoped_phase checking(clock, phase::verify);
    verify_order(keys.parts(), rows.as<std::uint64_t>());
  }
  if (wanted.unique)
    drop_repeated_rows(
        rows, wanted.verify, clock, [&](std::uint64_t a, std::uint64_t b) { return keys.equal(a, b); },
        [&](std::uint64_t a, std::uint64_t b) { return rows_are_equal(keys.parts(), a, b); }, repeats);
  if (wanted.most && *wanted.most < rows.size() / sizeof(std::uint64_t))
    rows.resize(static_cast<std::size_t>(*wanted.most) * sizeof(std::uint64_t));
  return rows;
}

}  // namespace ballot::app
