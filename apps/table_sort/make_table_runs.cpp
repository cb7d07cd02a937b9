// SPDX-License-Identifier: Apache-2.0
// Runs of a table, one batch at a time: with a GPU, and where rows are checked. Types of key columns that are inferred
// take a pass of their own.
#include "table_sort/sort_table_in_runs.hpp"
#include "table_sort/stored_rows.hpp"

#include <algorithm>
#include <utility>

namespace ballot::app {
std::unique_ptr<file_table> table_run_sorter::make_runs() {
  if (!check_ && worker_.sorts_in_host_memory()) return make_runs_in_parallel();
  const std::uint64_t begin = file_.position();
  const std::optional<std::uint64_t> bytes = file_.remaining();
  const bool is_read_twice = infers_types();
  const char* const doing = is_read_twice ? "looking at columns" : "sorting runs";
  // No progress is shown if the input fits into memory; for a pipe that is not known yet.
  bool is_shown = bytes && *bytes > batch_.bytes;
  const auto advance = [this, &is_shown](std::uint64_t read) {
    if (is_shown) shown_.advance(read);
  };
  if (is_shown) shown_.begin(doing, bytes);
  if (bytes) samples_.expect(*bytes);
  std::optional<table_batch_reader> batches;
  std::unique_ptr<file_table> batch;
  {
    scoped_phase reading(clock_, phase::read);
    batches.emplace(header_, file_, batch_, advance);
    batch = batches->next();
  }
  if (batches->ended()) return batch;
  if (!is_shown) {
    shown_.begin(doing, bytes);
    shown_.advance(file_.position() - begin);
    is_shown = true;
  }
  if (!is_read_twice) {
    sort_into_runs(*batches, std::move(batch));
    return nullptr;
  }
  std::optional<temporary_file> kept;
  if (!bytes) kept.emplace(limits_.directory);
  infer_types(*batches, std::move(batch), kept ? &*kept : nullptr);
  if (kept) {
    batches.emplace(header_, reader_of(*kept), batch_, advance);
  } else {
    file_.seek_back_to(begin);
    batches.emplace(header_, file_, batch_, advance);
  }
  shown_.begin("sorting runs", kept ? kept->size() : bytes);
  sort_into_runs(*batches, nullptr);
  return nullptr;
}

bool table_run_sorter::infers_types() const {
  return header_.infers_types() &&
         std::any_of(keys_.begin(), keys_.end(), [](const sort_key& key) { return key.is_inferred(); });
}

void table_run_sorter::infer_types(table_batch_reader& batches, std::unique_ptr<file_table> batch,
                                   temporary_file* copy) {
  scoped_phase reading(clock_, phase::read);
  std::vector<type_inference> inference(keys_.size());
  for (;; batch = batches.next()) {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (keys_[i].is_inferred() && !inference[i].is_settled()) batch->infer_type(keys_[i].column, inference[i]);
    if (copy != nullptr) copy->append(batch->buffer().bytes());
    if (batches.ended()) break;
    batches.reuse(std::move(batch));
  }
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (keys_[i].is_inferred()) {
      types_[i] = inference[i].type_of(keys_[i].column);
      keys_[i].requested = inference[i].as_request();
    }
}

void table_run_sorter::sort_into_runs(table_batch_reader& batches, std::unique_ptr<file_table> batch) {
  begin_runs();
  for (;;) {
    if (!batch) {
      scoped_phase reading(clock_, phase::read);
      batch = batches.next();
    }
    if (batch->rows() != 0) sort_batch(*batch);
    count(*batch);
    batches.reuse(std::move(batch));
    if (batches.ended()) break;
  }
  largest_row_ = batches.largest_row();
  run_count_ = runs_->count() + !row_without_end_.empty();
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
