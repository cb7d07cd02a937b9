// SPDX-License-Identifier: Apache-2.0
// The merge of a table's runs: in slices, or row by row where rows are long for the memory.
#include "external_sort/merge_runs.hpp"
#include "table_sort/merge_slices.hpp"
#include "table_sort/row_runs.hpp"
#include "table_sort/sort_table_in_runs.hpp"
#include "table_sort/stored_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::uint64_t share_read_to_cut = 4;

// The same for slices, where it is not known how long the rows' columns are: as if they were the
// rows.
slice_limits slice_limits_for(const batch_limits& limits) {
  std::uint64_t bytes_a_byte = 1;
  for (const auto& derived : limits.derived) bytes_a_byte += derived.bytes_a_byte;
  // A row counts as bytes_a_row at least. So a slice has no more rows than the engine takes.
  const std::uint64_t bytes = limits.bytes / bytes_a_byte;
  const bool has_fewer = limits.bytes_a_row != 0 && limits.rows < bytes / limits.bytes_a_row;
  return {has_fewer ? limits.rows * limits.bytes_a_row : bytes, limits.bytes_a_row};
}

}  // namespace

std::uint64_t table_run_sorter::merge_some(const sorted_runs& runs, std::size_t first, std::size_t last, bool is_last,
                                           const writer& write) {
  scoped_phase merging(clock_, phase::compute);
  // One buffer per run, one for the output, and one for a batch that is held longer for its last
  // row.
  const std::uint64_t buffer = std::max(buffer_bytes(memory_, last - first + 3), smallest_buffer());
  batch_limits limits = batch_;
  limits.bytes = buffer;
  limits.longest_row = batch_limits::unlimited;
  std::vector<row_run_reader> readers;
  readers.reserve(last - first + 1);
  for (std::size_t run = first; run < last; ++run)
    readers.emplace_back(
        header_, [run = sorted_runs::reader(runs, run)](std::span<std::byte> into) mutable { return run.read(into); },
        limits, keys_, clock_);
  if (is_last && !row_without_end_.empty())
    readers.emplace_back(header_, reader_of(row_without_end_), limits, keys_, clock_);
  row_writer out(buffer, write, clock_);
  const std::uint64_t most = wanted_.most.value_or(~std::uint64_t{0});
  std::uint64_t count = 0;
  keyed_row kept;
  std::shared_ptr<const keyed_rows> batch_of_kept;
  if (check_) check_->begin();
  merge_runs(readers, [&](const keyed_row& row, std::size_t run) {
    if (count == most) return false;
    const bool is_kept = !wanted_.unique || !batch_of_kept || kept <=> row != 0;
    if (check_) {
      scoped_phase checking(clock_, phase::verify);
      check_->check_output(row, run, is_kept, wanted_.unique);
    }
    if (!is_kept) return true;
    if (wanted_.unique) {
      kept = row;
      if (batch_of_kept.get() != row.batch) batch_of_kept = row.batch->shared_from_this();
    }
    out.row(row.bytes(), is_last ? header_.line_end() : std::string_view{});
    ++count;
    return true;
  });
  out.flush();
  return count;
}

std::uint64_t table_run_sorter::merge_in_slices(const slice_limits& limits, std::size_t at_once, const writer& write) {
  scoped_phase merging(clock_, phase::compute);
  shown_.begin(fmt::format("merging {} runs", runs_->count()), runs_->bytes());
  if (check_) {
    if (!row_without_end_.empty()) check_->add_input(row_without_end_);
    check_->begin();
  }
  const row_slices slices(header_, *runs_, samples_, row_without_end_, keys_, limits, worker_, clock_);
  slice_writer merge(header_, wanted_, worker_, clock_, written_at_once(), check_ ? &*check_ : nullptr, at_once,
                     limits.bytes_a_row);
  return merge(slices, [&](std::span<const std::byte> rows) {
    write(rows);
    shown_.advance(rows.size());
  });
}

std::uint64_t table_run_sorter::merge(const writer& write) {
  // Some of the rows that --top leaves out are not even read.
  const bool checks_rows = check_ && !wanted_.most;
  const slice_limits whole = slice_limits_for(batch_);
  // With a GPU, and for checks, there is one slice at a time.
  std::size_t at_once = !check_ && worker_.sorts_in_host_memory() ? most_at_once() : 1;
  const auto share = [&] { return slice_limits{whole.bytes / at_once, whole.bytes_a_row}; };
  // Not so many that what is read twice, to cut them, is more than a share of the whole.
  const auto reads_much = [&] {
    return row_slices::bytes_read_to_cut(samples_, share()) > runs_->bytes() / share_read_to_cut;
  };
  while (at_once > 1 && (!row_slices::can_cut(samples_, largest_row_, share()) || reads_much())) --at_once;
  if (row_slices::can_cut(samples_, largest_row_, share())) {
    const std::uint64_t count = merge_in_slices(share(), at_once, write);
    if (checks_rows) check_->end_of_pass();
    return count;
  }
  at_once = runs_at_once(memory_, smallest_buffer());
  while (runs_->count() > at_once) {
    shown_.begin(fmt::format("merging {} runs into fewer", runs_->count()), runs_->bytes());
    merge_into_fewer(*runs_, at_once, limits_.directory,
                     [&](const sorted_runs& some, std::size_t first, std::size_t last, sorted_runs& into) {
                       merge_some(some, first, last, false, [&](std::span<const std::byte> rows) {
                         into.append(rows);
                         shown_.advance(rows.size());
                       });
                     });
    if (checks_rows) check_->end_of_pass();
  }
  shown_.begin(fmt::format("merging {} runs", runs_->count()), runs_->bytes());
  if (check_ && !row_without_end_.empty()) check_->add_input(row_without_end_);
  const std::uint64_t count = merge_some(*runs_, 0, runs_->count(), true, [&](std::span<const std::byte> rows) {
    write(rows);
    shown_.advance(rows.size());
  });
  if (checks_rows) check_->end_of_pass();
  return count;
}

}  // namespace ballot::app
