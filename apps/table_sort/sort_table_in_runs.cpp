// SPDX-License-Identifier: Apache-2.0
#include "table_sort/sort_table_in_runs.hpp"

#include <tbb/task_arena.h>

#include <algorithm>

namespace ballot::app {
namespace {

// The bytes for a row while a batch is sorted: its place (16) and number (8), the words that the
// engine and the comparisons afterwards move (32), and some to spare. For each column: where the
// field is (8), the text (16) or number, whether it is empty (1), and keys (8 or 12). While a run
// is read they are fewer.
constexpr std::uint64_t bytes_a_row = 64, bytes_a_key = 40;

constexpr std::uint64_t share_of_samples = 8;       // of the memory
constexpr std::uint64_t least_samples = 512 << 10;  // part of what the program takes for itself

}  // namespace

batch_limits limits_of_sorted_batch(std::uint64_t memory_bytes, std::span<const sort_key> keys, engine& worker) {
  batch_limits limits{memory_bytes / 8 * 7,  // the rest is for what is being written
                      bytes_a_row + keys.size() * bytes_a_key, memory_bytes / longest_row_share,
                      std::max<std::uint64_t>(worker.order_capacity(), 1)};
  for (const sort_key& key : keys)
    if (key.derived_bytes_a_byte() != 0) limits.derived.push_back({key.column, key.derived_bytes_a_byte()});
  limits.columns = columns_of(keys);
  return limits;
}

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
      batch_(limits_of_sorted_batch(memory_, keys_, worker)),
      shown_(limits.shows_progress),
      samples_(std::max(memory_ / share_of_samples, least_samples)) {
  wanted_.keys = keys_;
  for (const sort_key& key : keys_) types_.push_back(key.column_of(header));
  if (wanted.verify) check_.emplace();
}

void table_run_sorter::count(const file_table& batch) {
  rows_ += batch.rows();
  bytes_ += batch.bytes();
  blank_lines_ += batch.blank_lines();
  if (!seen_) return;
  scoped_phase reading(clock_, phase::read);
  seen_(batch);
}

// Batches and slices in memory at a time, where each is one thread's.
std::size_t table_run_sorter::most_at_once() const {
  constexpr std::uint64_t smallest_worth_a_thread = 256 << 10, most = 8;
  const auto threads = static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency());
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(memory_ / smallest_worth_a_thread, 1, std::min(threads, most)));
}

// How many batches are sorted at a time. More at a time are smaller, and make more runs. The merge
// has to be able to handle as many slices at a time, if the other batches are like this one.
std::size_t table_run_sorter::at_once_after(const file_table& batch, std::uint64_t all_bytes) const {
  const auto row = static_cast<double>(batch.bytes()) / static_cast<double>(std::max<std::uint64_t>(batch.rows(), 1));
  const double memory_a_byte = (row + static_cast<double>(batch_.bytes_a_row)) / row;
  const double spacing = static_cast<double>(samples_.spacing(static_cast<std::uint64_t>(row)));
  std::size_t at_once = most_at_once();
  const auto has_room = [&] {
    const double limit = static_cast<double>(batch_.bytes) / static_cast<double>(at_once);
    const double runs = static_cast<double>(all_bytes) / (limit * 0.9 / memory_a_byte);
    return runs * spacing * memory_a_byte < limit * 0.6;  // row_slices::can_cut() allows three quarters
  };
  while (at_once > 1 && !has_room()) --at_once;
  return at_once;
}

std::optional<std::uint64_t> table_run_sorter::count() const {
  if (wanted_.unique) return std::nullopt;
  return std::min(rows_, wanted_.most.value_or(rows_));
}

}  // namespace ballot::app
