// SPDX-License-Identifier: Apache-2.0
// Runs of a table, one batch at a time: with a GPU, and where rows are checked. Types of key
// columns that are inferred are those of the first batch until another shows that they are not.
// Then the rest is only looked at, and all begins again.
#include "table_sort/sort_table_in_runs.hpp"
#include "table_sort/stored_rows.hpp"

#include <algorithm>
#include <utility>

namespace ballot::app {
std::unique_ptr<file_table> table_run_sorter::make_runs(std::function<void(const file_table&)> seen) {
  seen_ = std::move(seen);
  if (!check_ && worker_.sorts_in_host_memory()) return make_runs_in_parallel();
  const std::uint64_t begin = file_.position();
  const std::optional<std::uint64_t> bytes = file_.remaining();
  // No progress is shown if the input fits into memory; for a pipe that is not known yet.
  bool is_shown = bytes && *bytes > batch_.bytes;
  const auto advance = [this, &is_shown](std::uint64_t read) {
    if (is_shown) shown_.advance(read);
  };
  if (is_shown) shown_.begin("sorting runs", bytes);
  if (bytes) samples_.expect(*bytes);
  table_batch_reader batches(header_, file_, batch_, advance);
  std::unique_ptr<file_table> first;
  {
    scoped_phase reading(clock_, phase::read);
    first = batches.next();
  }
  if (batches.ended()) return first;
  if (!is_shown) {
    shown_.begin("sorting runs", bytes);
    shown_.advance(file_.position() - begin);
    is_shown = true;
  }
  std::optional<temporary_file> kept;
  std::optional<key_types> types = types_of_first(*first, !bytes, kept);
  if (!sort_into_runs(batches, std::move(first), types ? &*types : nullptr, kept ? &*kept : nullptr)) {
    forget_runs();
    settle(*types);  // by all rows, so these types hold
    if (!kept) file_.seek_back_to(begin);
    shown_.begin("sorting runs again: another type", kept ? kept->size() : bytes);
    table_batch_reader again = kept ? table_batch_reader(header_, reader_of(*kept), batch_, advance)
                                    : table_batch_reader(header_, file_, batch_, advance);
    sort_into_runs(again, nullptr, nullptr, nullptr);
  }
  take_types(types);
  run_count_ = runs_->count() + !row_without_end_.empty();
  return nullptr;
}

bool table_run_sorter::infers_types() const {
  return header_.infers_types() &&
         std::any_of(keys_.begin(), keys_.end(), [](const sort_key& key) { return key.is_inferred(); });
}

std::optional<key_types> table_run_sorter::types_of_first(const file_table& first, bool is_pipe,
                                                          std::optional<temporary_file>& kept) {
  if (!infers_types()) return std::nullopt;
  key_types types(keys_);
  types.look_at(first);
  settle(types);
  if (is_pipe) kept.emplace(limits_.directory);
  return types;
}

void table_run_sorter::settle(const key_types& types) {
  keys_ = types.settled();
  wanted_.keys = keys_;
}

void table_run_sorter::take_types(const std::optional<key_types>& types) {
  for (std::size_t i = 0; types && i < keys_.size(); ++i)
    if (types->is_inferred(i)) types_[i] = types->type_of(i);
}

void table_run_sorter::forget_runs() {
  runs_.reset();
  samples_.clear();
  row_without_end_.clear();
  rows_ = bytes_ = blank_lines_ = 0;
  if (check_) check_.emplace();
  seen_ = nullptr;  // it has seen all rows
}

bool table_run_sorter::sort_into_runs(table_batch_reader& batches, std::unique_ptr<file_table> first, key_types* types,
                                      temporary_file* copy) {
  begin_runs();
  const std::optional<key_types> settled_by = types != nullptr ? std::optional(*types) : std::nullopt;
  bool holds = true, is_seen = first != nullptr;  // by the caller
  for (std::unique_ptr<file_table> batch = std::move(first);; is_seen = false) {
    if (!batch) {
      scoped_phase reading(clock_, phase::read);
      batch = batches.next();
    }
    if (copy != nullptr) copy->append(batch->buffer().bytes());
    if (types != nullptr && !is_seen) {
      scoped_phase reading(clock_, phase::read);
      types->look_at(*batch);
      holds = holds && types->agree_with(*settled_by);
    }
    if (holds && batch->rows() != 0) sort_batch(*batch);
    count(*batch);
    batches.reuse(std::exchange(batch, nullptr));
    if (batches.ended()) break;
  }
  largest_row_ = batches.largest_row();
  return holds;
}

void table_run_sorter::sort_batch(const file_table& batch) {
  if (lacks_line_end(batch)) {  // then it is the only one
    const auto row = batch.row(0);
    row_without_end_.assign(row.begin(), row.end());
    return;
  }
  const host_buffer order = sort_rows(batch, wanted_, worker_, clock_);
  const std::span<const std::uint64_t> chosen = order.as<std::uint64_t>();
  if (check_) {
    scoped_phase checking(clock_, phase::verify);
    for (const std::uint64_t row : chosen) check_->add_input(batch.row(row));
  }
  scoped_phase writing(clock_, phase::write);
  runs_->begin_run();
  row_samples::run& sampled = samples_.begin_run(bytes_of_rows(batch, chosen));
  write_batches(batch, chosen, written_at_once(), [&](const written_batch& rows) {
    runs_->append(rows.bytes);
    samples_.add(rows, sampled);
  });
}

}  // namespace ballot::app
