// SPDX-License-Identifier: Apache-2.0
#include "table_sort/row_slices.hpp"

#include "table_sort/sort_table.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ballot::app {
namespace {

std::unique_ptr<file_table> parsed(const file_table& header, host_buffer bytes) {
  auto rows = header.without_rows(0);
  rows->buffer() = std::move(bytes);
  batch_room room;
  rows->find_rows(true, room);
  return rows;
}

// What the samples leave open at the end of a slice, in all runs together.
std::uint64_t open_bytes(const row_samples& samples, const slice_limits& limits) {
  std::uint64_t open = 0;
  for (const auto& run : samples.runs()) {
    std::uint64_t widest = 0;
    for (std::size_t i = 0; i < run.samples.size(); ++i) {
      const bool is_last = i + 1 == run.samples.size();
      const std::uint64_t bytes = (is_last ? run.bytes : run.samples[i + 1].offset) - run.samples[i].offset;
      const std::uint64_t rows = (is_last ? run.rows : run.samples[i + 1].rows_before) - run.samples[i].rows_before;
      widest = std::max(widest, bytes + rows * limits.bytes_a_row);
    }
    open += widest;
  }
  return open;
}

}  // namespace

bool row_slices::can_cut(const row_samples& samples, std::uint64_t largest_row, const slice_limits& limits) {
  // Of rows that are much longer than a slice's share, too few are sampled.
  return largest_row <= samples.spacing() && open_bytes(samples, limits) <= limits.bytes / 2;
}

row_slices::row_slices(const file_table& header, const sorted_runs& runs, const row_samples& samples,
                       std::span<const std::byte> last_row, std::span<const sort_key> keys, const slice_limits& limits,
                       engine& worker, phase_clock& clock)
    : header_(header), runs_(runs), samples_(samples), last_row_(last_row), keys_(keys) {
  for (std::size_t run = 0; run < samples.runs().size(); ++run)
    for (std::size_t i = 0; i < samples.runs()[run].samples.size(); ++i) sampled_.push_back({run, i});
  host_buffer rows;
  for (const auto& run : samples.runs()) rows.append(run.sampled.bytes());
  auto sampled = parsed(header, std::move(rows));
  row_sort by_keys;
  by_keys.keys = keys;
  const host_buffer order = sort_rows(*sampled, by_keys, worker, clock);
  order_.assign(order.as<std::uint64_t>().begin(), order.as<std::uint64_t>().end());
  rank_.resize(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
  sampled_rows_ = std::make_shared<const keyed_rows>(std::move(sampled), keys);
  choose_cuts(limits);
}

void row_slices::choose_cuts(const slice_limits& limits) {
  const std::uint64_t open = open_bytes(samples_, limits) + last_row_.size() + limits.bytes_a_row;
  const std::uint64_t most = limits.bytes - std::min(limits.bytes / 2, open);
  std::uint64_t taken = 0;
  for (const std::uint64_t place : order_) {
    const auto [run, index] = sampled_[place];
    const auto& of = samples_.runs()[run];
    const auto& here = of.samples[index];
    const bool is_last = index + 1 == of.samples.size();
    const std::uint64_t bytes = (is_last ? of.bytes : of.samples[index + 1].offset) - here.offset;
    const std::uint64_t rows = (is_last ? of.rows : of.samples[index + 1].rows_before) - here.rows_before;
    const std::uint64_t cost = bytes + rows * limits.bytes_a_row;
    if (taken != 0 && taken + cost > most) {
      cuts_.push_back(static_cast<std::size_t>(place));
      taken = 0;
    }
    taken += cost;
  }
}

std::uint64_t row_slices::bytes_of(std::size_t run) const {
  return run == samples_.runs().size() ? last_row_.size() : samples_.runs()[run].bytes;
}

std::unique_ptr<file_table> row_slices::rows_of(const gap& bytes, std::size_t run) const {
  host_buffer read(static_cast<std::size_t>(bytes.end - bytes.begin));
  if (run == samples_.runs().size()) std::memcpy(read.data(), last_row_.data() + bytes.begin, read.size());
  else runs_.read(run, bytes.begin, read.bytes());
  return parsed(header_, std::move(read));
}

// Where the rows of a run that come before the cut end.
std::uint64_t row_slices::place_in(std::size_t run, std::size_t cut) const {
  const sampled_row of_cut = sampled_[cut];
  if (run == of_cut.run) return samples_.runs()[run].samples[of_cut.index].offset;
  gap between{0, bytes_of(run)};
  if (run < samples_.runs().size()) {
    const auto& samples = samples_.runs()[run].samples;
    const std::size_t first = static_cast<std::size_t>(
        std::lower_bound(sampled_.begin(), sampled_.end(), run,
                         [](const sampled_row& sample, std::size_t wanted) { return sample.run < wanted; }) -
        sampled_.begin());
    // Samples of a run are in order, so that their ranks ascend.
    const auto begin = rank_.begin() + std::ptrdiff_t(first), end = begin + std::ptrdiff_t(samples.size());
    const auto after = static_cast<std::size_t>(std::lower_bound(begin, end, rank_[cut]) - begin);
    if (after == 0) return 0;
    between.begin = samples[after - 1].offset;
    if (after < samples.size()) between.end = samples[after].offset;
  }
  if (between.begin == between.end) return between.begin;
  const auto rows = std::make_shared<const keyed_rows>(rows_of(between, run), keys_);
  const keyed_row limit{sampled_rows_->first_key(cut), sampled_rows_.get(), cut};
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
                    [&](std::size_t run) { ends[run] = is_last ? bytes_of(run) : place_in(run, cuts_[slice]); });
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
  return parsed(header_, std::move(memory));
}

}  // namespace ballot::app
