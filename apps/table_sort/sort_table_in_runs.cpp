// SPDX-License-Identifier: Apache-2.0
#include "table_sort/sort_table_in_runs.hpp"

#include "external_sort/merge_runs.hpp"
#include "table_sort/merge_slices.hpp"
#include "table_sort/row_runs.hpp"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace ballot::app {
namespace {

// What is made of a row while a batch is sorted: its place and number, what the engine and the comparisons afterwards
// move (80 bytes); of each column the field, the number, whether it is empty, and keys (48). While a run is read it is
// less.
constexpr std::uint64_t bytes_a_row = 80, bytes_a_key = 48;

// Reads bytes in memory.
byte_reader reader_of(std::span<const std::byte> bytes) {
  return [bytes](std::span<std::byte> into) mutable {
    const std::size_t taken = std::min(into.size(), bytes.size());
    if (taken != 0) std::memcpy(into.data(), bytes.data(), taken);
    bytes = bytes.subspan(taken);
    return taken;
  };
}

// Reads a file that has been written; keeps a reference.
byte_reader reader_of(const temporary_file& kept) {
  return [&kept, offset = std::uint64_t{0}](std::span<std::byte> into) mutable {
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), kept.size() - offset));
    kept.read(offset, into.first(taken));
    offset += taken;
    return taken;
  };
}

constexpr std::uint64_t samples_of_memory = 4096;  // of as many rows as fit
constexpr std::uint64_t most_short_runs = 96;

bool lacks_line_end(const table& batch) {
  if (batch.rows() == 0 || batch.line_end().empty()) return false;
  const auto last = batch.row(batch.rows() - 1);
  return last.empty() || last.back() != std::byte{'\n'};
}

// The limits of a batch that is sorted by these keys.
batch_limits batch_limits_for(std::uint64_t memory_bytes, std::span<const sort_key> keys, engine& worker) {
  batch_limits limits{memory_bytes / 8 * 7,  // the rest is for what is being written
                      bytes_a_row + keys.size() * bytes_a_key, memory_bytes / longest_row_share,
                      std::max<std::uint64_t>(worker.order_capacity(), 1)};
  for (const sort_key& key : keys)
    if (key.derived_bytes_a_byte() != 0) limits.derived.push_back({key.column, key.derived_bytes_a_byte()});
  return limits;
}

// The same for slices, where it is not known how long the rows' columns are: as if they were the rows.
slice_limits slice_limits_for(const batch_limits& limits) {
  std::uint64_t bytes_a_byte = 1;
  for (const auto& derived : limits.derived) bytes_a_byte += derived.bytes_a_byte;
  return {limits.bytes / bytes_a_byte, limits.bytes_a_row};
}

}  // namespace

table_run_sorter::table_run_sorter(const file_table& header, input_file& file, const row_sort& wanted, engine& worker,
                                   const run_limits& limits, phase_clock& clock)
    : header_(header),
      file_(file),
      wanted_(wanted),
      keys_(wanted.keys.begin(), wanted.keys.end()),
      worker_(worker),
      limits_(limits),
      clock_(clock),
      memory_(limits.memory()),
      batch_(batch_limits_for(memory_, keys_, worker)),
      shown_(limits.shows_progress),
      samples_(memory_ / samples_of_memory) {
  wanted_.keys = keys_;
  for (const sort_key& key : keys_) types_.push_back(key.column_of(header));
  if (wanted.verify) check_.emplace();
}

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
  std::optional<key_types> types;
  std::optional<temporary_file> kept;  // for the case that the types turn out to be others
  if (infers_types()) {
    types.emplace(keys_);
    types->look_at(*first);
    keys_ = types->settled();
    wanted_.keys = keys_;
    if (!bytes) kept.emplace(limits_.directory);
  }
  if (!is_large) {
    if (kept) kept->append(first->buffer().bytes());
    runs_.emplace(limits_.directory);
    sort_batch(*first);
    count(*first);
    batches.reuse(std::move(first));
    batches.set_limits(batch_.of(at_once));
  }
  if (!sort_in_parallel(batches, std::move(first), types ? &*types : nullptr, kept ? &*kept : nullptr)) {
    keys_ = types->settled();
    wanted_.keys = keys_;
    runs_.reset();
    samples_.clear();
    row_without_end_.clear();
    rows_ = bytes_ = blank_lines_ = 0;
    if (!kept) file_.seek_back_to(begin);
    shown_.begin("sorting runs again: another type", kept ? kept->size() : bytes);
    table_batch_reader again = kept ? table_batch_reader(header_, reader_of(*kept), batch_.of(at_once), advance)
                                    : table_batch_reader(header_, file_, batch_.of(at_once), advance);
    sort_in_parallel(again, nullptr, nullptr, nullptr);
  }
  for (std::size_t i = 0; types && i < keys_.size(); ++i)
    if (types->is_inferred(i)) types_[i] = types->type_of(i);
  run_count_ = runs_->count() + !row_without_end_.empty();
  return nullptr;
}

bool table_run_sorter::sort_in_parallel(table_batch_reader& batches, std::unique_ptr<file_table> first,
                                        key_types* types, temporary_file* copy) {
  scoped_phase computing(clock_, phase::compute);
  if (!runs_) runs_.emplace(limits_.directory);
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
  // Many runs are a burden for those who cut them: then rather fewer at a time, which are longer.
  std::size_t at_once = most_at_once();
  bool holds = true;
  for (bool is_first = true; !batches.ended() || first; is_first = false) {
    until += at_once > 1 ? most_short_runs : ~std::uint64_t{0} - until;
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

void table_run_sorter::count(const file_table& batch) {
  rows_ += batch.rows();
  bytes_ += batch.bytes();
  blank_lines_ += batch.blank_lines();
}

// Batches and slices in memory at a time, where each is one thread's.
std::size_t table_run_sorter::most_at_once() const {
  constexpr std::uint64_t smallest_worth_a_thread = 256 << 10, most = 8;
  const auto threads = static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency());
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(memory_ / smallest_worth_a_thread, 1, std::min(threads, most)));
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
  runs_.emplace(limits_.directory);
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
  row_samples::run& sampled = samples_.begin_run();
  write_batches(batch, chosen, written_at_once(), [&](const written_batch& rows) {
    runs_->append(rows.bytes);
    samples_.add(rows, sampled);
  });
}

std::optional<std::uint64_t> table_run_sorter::count() const {
  if (wanted_.unique) return std::nullopt;
  return std::min(rows_, wanted_.most.value_or(rows_));
}

std::uint64_t table_run_sorter::merge_some(const sorted_runs& runs, std::size_t first, std::size_t last, bool is_last,
                                           const writer& write) {
  scoped_phase merging(clock_, phase::compute);
  // One buffer per run, one for the output, and one for a batch that is held longer for its last row.
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
  slice_writer merge(header_, wanted_, worker_, clock_, written_at_once(), check_ ? &*check_ : nullptr, at_once);
  return merge(slices, [&](std::span<const std::byte> rows) {
    write(rows);
    shown_.advance(rows.size());
  });
}

std::uint64_t table_run_sorter::merge(const writer& write) {
  // Of the rows that --top leaves out some are not even read.
  const bool checks_rows = check_ && !wanted_.most;
  const slice_limits whole = slice_limits_for(batch_);
  // With a GPU, and for checks, there is one slice at a time.
  std::size_t at_once = !check_ && worker_.sorts_in_host_memory() ? most_at_once() : 1;
  const auto share = [&] { return slice_limits{whole.bytes / at_once, whole.bytes_a_row}; };
  while (at_once > 1 && !row_slices::can_cut(samples_, largest_row_, share())) --at_once;
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
