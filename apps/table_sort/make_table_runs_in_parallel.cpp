// SPDX-License-Identifier: Apache-2.0
// Runs of a table, several batches at a time. Types of key columns that are inferred are those of
// the first batch until another shows that they are not; then all begins again.
#include "table_sort/sort_table_in_runs.hpp"
#include "table_sort/stored_rows.hpp"

#include <algorithm>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::uint64_t most_short_runs = 96;

}  // namespace

std::unique_ptr<file_table> table_run_sorter::make_runs_in_parallel() {
  const std::uint64_t begin = file_.position();
  const std::optional<std::uint64_t> bytes = file_.remaining();
  const bool is_large = bytes && *bytes > batch_.bytes;  // more than a batch; else that is not known yet
  bool is_shown = is_large;
  const auto advance = [this, &is_shown](std::uint64_t read) {
    if (is_shown) shown_.advance(read);
  };
  if (is_shown) shown_.begin("sorting runs", bytes);
  std::size_t at_once = most_at_once();
  if (bytes) samples_.expect(*bytes);
  table_batch_reader batches(header_, file_, is_large ? batch_.of(at_once) : batch_, advance);
  std::unique_ptr<file_table> first;
  {
    scoped_phase reading(clock_, phase::read);
    first = batches.next();
    if (batches.ended()) return first;
  }
  if (!is_shown) {
    shown_.begin("sorting runs", bytes);
    shown_.advance(file_.position() - begin);
    is_shown = true;
  }
  std::optional<temporary_file> kept;
  std::optional<key_types> types = types_of_first(*first, !bytes, kept);
  if (is_large) {
    at_once = at_once_after(*first, *bytes);
    batches.set_limits(batch_.of(at_once));
  } else {
    if (kept) kept->append(first->buffer().bytes());
    begin_runs();
    sort_batch(*first);
    count(*first);
    batches.reuse(std::move(first));
    batches.set_limits(batch_.of(at_once));
  }
  bool holds = sort_in_parallel(batches, std::move(first), at_once, types ? &*types : nullptr, kept ? &*kept : nullptr);
  while (!holds) {  // at most three times: seen types add up, and they are i64, u64, f64 and text
    settle(*types);
    forget_runs();
    if (!kept) file_.seek_back_to(begin);
    shown_.begin("sorting runs again: another type", kept ? kept->size() : bytes);
    table_batch_reader again = kept ? table_batch_reader(header_, reader_of(*kept), batch_.of(at_once), advance)
                                    : table_batch_reader(header_, file_, batch_.of(at_once), advance);
    holds = sort_in_parallel(again, nullptr, at_once, &*types, nullptr);
  }
  take_types(types);
  run_count_ = runs_->count() + !row_without_end_.empty();
  return nullptr;
}

bool table_run_sorter::sort_in_parallel(table_batch_reader& batches, std::unique_ptr<file_table> first,
                                        std::size_t at_once, key_types* types, temporary_file* copy) {
  scoped_phase computing(clock_, phase::compute);
  if (!runs_) begin_runs();
  const std::optional<key_types> settled_by = types != nullptr ? std::optional(*types) : std::nullopt;
  std::optional<key_types> of_last_row;
  std::uint64_t until = 0, made = 0;  // runs
  const auto next = [&](std::unique_ptr<file_table> used) -> std::unique_ptr<file_table> {
    if (batches.ended() || made == until) return nullptr;
    scoped_phase reading(clock_, phase::read);
    if (used) batches.reuse(std::move(used));
    auto batch = first ? std::move(first) : batches.next();
    ++made;
    count(*batch);
    if (copy != nullptr) copy->append(batch->buffer().bytes());
    if (!lacks_line_end(*batch)) return batch;
    const auto row = batch->row(0);
    row_without_end_.assign(row.begin(), row.end());
    if (types != nullptr) of_last_row.emplace(*settled_by).look_at(*batch);
    return nullptr;
  };
  // Many runs are a burden for those who cut them. If the number of runs was not known: then fewer
  // at a time, which are longer.
  const bool is_planned = samples_.knows_bytes();
  bool holds = true;
  for (bool is_first = true; !batches.ended() || first; is_first = false) {
    until += at_once > 1 && !is_planned ? most_short_runs : ~std::uint64_t{0} - until;
    if (!is_first) batches.set_limits(batch_.of(at_once));
    holds &=
        parallel_runs{wanted_, worker_, at_once, written_by_each(at_once), clock_, settled_by ? &*settled_by : nullptr}
            .make(next, types, *runs_, samples_);
    at_once = std::max<std::size_t>(1, at_once / 2);
  }
  if (of_last_row) {
    types->add(*of_last_row);
    holds &= types->agree_with(*settled_by);
  }
  largest_row_ = std::max(largest_row_, batches.largest_row());
  return holds;
}

}  // namespace ballot::app
