// SPDX-License-Identifier: Apache-2.0
#include "table_sort/row_slices.hpp"

#include "table_sort/sort_table.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ballot::app {
namespace {

std::unique_ptr<file_table> parsed(const file_table& header, std::span<const sort_key> keys, host_buffer bytes) {
  auto rows = header.without_rows(0);
  rows->remember_fields(columns_of(keys));
  rows->buffer() = std::move(bytes);
  batch_room room;
  rows->find_rows(true, room);
  return rows;
}

// Calls f for each stretch of a run, from one sample to the next: with its bytes, and with its
// share of the limits.
template <class F>
void for_each_stretch(const row_samples::run& run, const slice_limits& limits, const F& f) {
  for (std::size_t i = 0; i < run.samples.size(); ++i) {
    const bool is_last = i + 1 == run.samples.size();
    const std::uint64_t bytes = (is_last ? run.bytes : run.samples[i + 1].offset) - run.samples[i].offset;
    const std::uint64_t rows = (is_last ? run.rows : run.samples[i + 1].rows_before) - run.samples[i].rows_before;
    f(bytes, bytes + rows * limits.bytes_a_row);
  }
}

// The bytes that the samples leave open at the end of a slice, in all runs together.
std::uint64_t open_bytes(const row_samples& samples, const slice_limits& limits) {
  std::uint64_t open = 0;
  for (const auto& run : samples.runs()) {
    std::uint64_t widest = 0;
    for_each_stretch(run, limits, [&](std::uint64_t, std::uint64_t cost) { widest = std::max(widest, cost); });
    open += widest;
  }
  return open;
}

std::uint64_t most_open(const slice_limits& limits) { return limits.bytes / 4 * 3; }

// The bytes that slices may have, less those that are open at their ends.
std::uint64_t most_of_slice(const row_samples& samples, std::uint64_t last_row, const slice_limits& limits) {
  const std::uint64_t open = open_bytes(samples, limits) + last_row + limits.bytes_a_row;
  return limits.bytes - std::min(most_open(limits), open);
}

}  // namespace

bool row_slices::can_cut(const row_samples& samples, std::uint64_t largest_row, const slice_limits& limits) {
  return largest_row <= samples.longest_row() && open_bytes(samples, limits) <= most_open(limits);
}

std::uint64_t row_slices::bytes_read_to_cut(const row_samples& samples, const slice_limits& limits) {
  std::uint64_t cost_of_all = 0, a_cut = 0;
  for (const auto& run : samples.runs()) {
    for_each_stretch(run, limits, [&](std::uint64_t, std::uint64_t cost) { cost_of_all += cost; });
    if (!run.samples.empty()) a_cut += run.bytes / run.samples.size();
  }
  return cost_of_all / std::max<std::uint64_t>(most_of_slice(samples, 0, limits), 1) * a_cut;
}

row_slices::row_slices(const file_table& header, const sorted_runs& runs, row_samples& samples,
                       std::span<const std::byte> last_row, std::span<const sort_key> keys, const slice_limits& limits,
                       engine& worker, phase_clock& clock)
    : header_(header), runs_(runs), samples_(samples), last_row_(last_row), keys_(keys) {
  host_buffer rows = samples.take_rows();
  for (const auto& run : samples.runs()) {
    first_sample_.push_back(rank_.size());
    rank_.resize(rank_.size() + run.samples.size());
  }
  const std::unique_ptr<file_table> sampled = parsed(header, keys, std::move(rows));
  row_sort by_keys;
  by_keys.keys = keys;
  const host_buffer order = sort_rows(*sampled, by_keys, worker, clock);
  const std::span<const std::uint64_t> in_order = order.as<std::uint64_t>();
  for (std::size_t i = 0; i < in_order.size(); ++i) rank_[in_order[i]] = i;
  choose_cuts(in_order, most_of_slice(samples, last_row.size(), limits), limits);
  host_buffer rows_of_cuts;
  for (const cut& at : cuts_) rows_of_cuts.append(sampled->row(first_sample_[at.run] + at.index));
  rows_of_cuts_ = std::make_shared<const keyed_rows>(parsed(header, keys, std::move(rows_of_cuts)), keys);
}

void row_slices::choose_cuts(std::span<const std::uint64_t> in_order, std::uint64_t most, const slice_limits& limits) {
  // The bytes that each sample stands for, in the order of the table of samples.
  std::vector<std::uint64_t> costs;
  costs.reserve(rank_.size());
  for (const auto& run : samples_.runs())
    for_each_stretch(run, limits, [&](std::uint64_t, std::uint64_t cost) { costs.push_back(cost); });
  std::uint64_t taken = 0;
  for (const std::uint64_t place : in_order) {
    if (taken != 0 && taken + costs[place] > most) {
      const auto run = static_cast<std::size_t>(std::upper_bound(first_sample_.begin(), first_sample_.end(), place) -
                                                first_sample_.begin() - 1);
      cuts_.push_back({run, static_cast<std::size_t>(place) - first_sample_[run]});
      taken = 0;
    }
    taken += costs[place];
  }
}

std::uint64_t row_slices::bytes_of(std::size_t run) const {
  return run == samples_.runs().size() ? last_row_.size() : samples_.runs()[run].bytes;
}

std::unique_ptr<file_table> row_slices::rows_of(const gap& bytes, std::size_t run) const {
  host_buffer read(static_cast<std::size_t>(bytes.end - bytes.begin));
  if (run == samples_.runs().size()) std::memcpy(read.data(), last_row_.data() + bytes.begin, read.size());
  else runs_.read(run, bytes.begin, read.bytes());
  return parsed(header_, keys_, std::move(read));
}

// Where the rows of a run that come before the cut end.
std::uint64_t row_slices::place_in(std::size_t run, std::size_t number) const {
  const cut of_cut = cuts_[number];
  if (run == of_cut.run) return samples_.runs()[run].samples[of_cut.index].offset;
  gap between{0, bytes_of(run)};
  if (run < samples_.runs().size()) {
    const auto& samples = samples_.runs()[run].samples;
    // Samples of a run are in order, so that their ranks ascend.
    const auto begin = rank_.begin() + std::ptrdiff_t(first_sample_[run]);
    const auto end = begin + std::ptrdiff_t(samples.size());
    const std::uint64_t rank = rank_[first_sample_[of_cut.run] + of_cut.index];
    const auto after = static_cast<std::size_t>(std::lower_bound(begin, end, rank) - begin);
    if (after == 0) return 0;
    between.begin = samples[after - 1].offset;
    if (after < samples.size()) between.end = samples[after].offset;
  }
  if (between.begin == between.end) return between.begin;
  const auto rows = std::make_shared<const keyed_rows>(rows_of(between, run), keys_);
  const keyed_row limit{rows_of_cuts_->first_key(number), rows_of_cuts_.get(), number};
  std::uint64_t low = 0, high = rows->rows().rows();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto order = keyed_row{rows->first_key(middle), rows.get(), middle} <=> limit;
    if (order < 0 || (order == 0 && run < of_cut.run)) low = middle + 1;
    else high = middle;
  }
  if (low == rows->rows().rows()) return between.end;
  const auto whole = rows->rows().row(0), row = rows->rows().row(low);
  return between.begin + static_cast<std::uint64_t>(row.data() - whole.data());
}

std::vector<std::uint64_t> row_slices::ends_of(std::size_t slice) const {
  std::vector<std::uint64_t> ends(runs());
  const bool is_last = slice == cuts_.size();
  tbb::parallel_for(std::size_t{0}, ends.size(),
                    [&](std::size_t run) { ends[run] = is_last ? bytes_of(run) : place_in(run, slice); });
  return ends;
}

std::unique_ptr<file_table> row_slices::rows(std::span<const std::uint64_t> begins,
                                             std::span<const std::uint64_t> until, host_buffer memory,
                                             std::vector<std::uint64_t>& ends) const {
  ends.assign(runs(), 0);
  std::uint64_t bytes = 0;
  for (std::size_t run = 0; run < ends.size(); ++run) ends[run] = bytes += until[run] - begins[run];
  if (bytes == 0) return nullptr;
  memory.resize(static_cast<std::size_t>(bytes));
  for (std::size_t run = 0; run < ends.size(); ++run) {
    const auto size = static_cast<std::size_t>(until[run] - begins[run]);
    if (size == 0) continue;
    const auto into = memory.bytes().subspan(static_cast<std::size_t>(ends[run]) - size, size);
    if (run == samples_.runs().size()) std::memcpy(into.data(), last_row_.data() + begins[run], size);
    else runs_.read(run, begins[run], into);
  }
  return parsed(header_, keys_, std::move(memory));
}

}  // namespace ballot::app
