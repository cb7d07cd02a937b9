// SPDX-License-Identifier: Apache-2.0
#include "table_select/select_rows.hpp"

#include "base/failure.hpp"
#include "table_sort/repeated_rows.hpp"
#include "table_sort/verify_table.hpp"

#include <fmt/format.h>

#include <cstring>
#include <numeric>

namespace ballot::app {
namespace {

template <class SaysYes>
void verify_selection(std::uint64_t rows, std::span<const std::uint64_t> chosen, const SaysYes& is_selected) {
  std::size_t next = 0;
  for (std::uint64_t row = 0; row < rows; ++row) {
    const bool is_there = next < chosen.size() && chosen[next] == row;
    if (is_there != is_selected(row))
      throw_verification_failure(fmt::format("row {} is {}", row, is_there ? "selected and should not be" : "missing"));
    next += is_there;
  }
  if (next != chosen.size()) throw_verification_failure("row numbers are out of range or not in order");
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace

host_buffer select_rows(const table& of, const row_selection& wanted, engine& worker, phase_clock& clock,
                        std::vector<column_type>* types) {
  host_buffer chosen;
  if (wanted.where != nullptr) {
    const bound_condition condition = [&] {
      scoped_phase reading(clock, phase::read);
      return bound_condition(*wanted.where, of, worker.sorts_in_host_memory());
    }();
    if (types != nullptr) condition.add_types(*types);
    row_predicate predicate = condition.predicate();
    predicate.invert = wanted.invert;
    if (of.rows() != 0) chosen = worker.select(predicate, of.rows(), clock);
    if (wanted.verify) {
      scoped_phase checking(clock, phase::verify);
      verify_selection(of.rows(), chosen.as<std::uint64_t>(),
                       [&](std::uint64_t row) { return condition.evaluate(row) != wanted.invert; });
    }
  } else if (wanted.flags != nullptr) {
    const host_buffer flags = read_all(*wanted.flags, clock);
    require_one_flag_per_item(*wanted.flags, flags.size(), of.rows());
    row_predicate predicate{};
    predicate.columns[0] = {flags.data(), nullptr, dtype::u8};
    predicate.column_count = predicate.size = 1;
    predicate.steps[0] = {row_op::truth};
    predicate.invert = wanted.invert;
    if (of.rows() != 0) chosen = worker.select(predicate, of.rows(), clock);
    if (wanted.verify) {
      scoped_phase checking(clock, phase::verify);
      verify_selection(of.rows(), chosen.as<std::uint64_t>(),
                       [&](std::uint64_t row) { return (flags.data()[row] != std::byte{0}) != wanted.invert; });
    }
  } else {
    chosen.resize(static_cast<std::size_t>(of.rows()) * sizeof(std::uint64_t));
    const std::span<std::uint64_t> rows = chosen.as<std::uint64_t>();
    std::iota(rows.begin(), rows.end(), std::uint64_t{0});
  }
  if (!wanted.unique) return chosen;
  if (wanted.keys.empty()) {
    // The last row may lack its line end. It can equal the others nevertheless.
    const auto content = [&](std::uint64_t row) {
      auto bytes = of.row(row);
      if (!of.line_end().empty() && !bytes.empty() && bytes.back() == std::byte{'\n'}) {
        bytes = bytes.first(bytes.size() - 1);
        if (!bytes.empty() && bytes.back() == std::byte{'\r'}) bytes = bytes.first(bytes.size() - 1);
      }
      return bytes;
    };
    const auto equal = [&](std::uint64_t a, std::uint64_t b) { return same_bytes(content(a), content(b)); };
    drop_repeated_rows(chosen, wanted.verify, clock, equal, equal);
    return chosen;
  }
  const row_keys keys = [&] {
    scoped_phase reading(clock, phase::read);
    return row_keys(of, wanted.keys);
  }();
  if (types != nullptr) keys.add_types(*types);
  drop_repeated_rows(
      chosen, wanted.verify, clock, [&](std::uint64_t a, std::uint64_t b) { return keys.equal(a, b); },
      [&](std::uint64_t a, std::uint64_t b) { return rows_are_equal(keys.parts(), a, b); });
  return chosen;
}

host_buffer mask_of(std::uint64_t rows, std::span<const std::uint64_t> chosen) {
  host_buffer mask(static_cast<std::size_t>(rows));
  if (rows != 0) std::memset(mask.data(), 0, mask.size());
  for (const std::uint64_t row : chosen) mask.data()[row] = std::byte{1};
  return mask;
}

}  // namespace ballot::app
