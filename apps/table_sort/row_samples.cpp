// SPDX-License-Identifier: Apache-2.0
#include "table_sort/row_samples.hpp"

#include <algorithm>

namespace ballot::app {

std::uint64_t row_samples::spacing(std::uint64_t row_bytes) const {
  const std::uint64_t all = expected_ != 0 ? std::max(expected_, bytes_) : 2 * bytes_;
  const auto share = static_cast<double>(row_bytes + sizeof(sample)) / static_cast<double>(memory_ + 1);
  return std::max(least_spacing, static_cast<std::uint64_t>(static_cast<double>(all) * share));
}

row_samples::run& row_samples::begin_run(std::uint64_t bytes) {
  bytes_ += bytes;
  run& begun = runs_.emplace_back();
  const std::uint64_t count = count_;
  begun.spacing = spacing(count == 0 ? 64 : of_samples_ / count);
  begun.samples.reserve(static_cast<std::size_t>(bytes / begun.spacing) + 2);
  return begun;
}

void row_samples::add(const written_batch& rows, run& to) {
  const auto ends = rows.places.subspan(1);
  for (std::size_t row = 0; row < ends.size(); ++row) {
    const std::uint64_t offset = to.bytes + rows.places[row];
    if (offset < to.next) {  // the next row that begins behind it
      const auto place = std::lower_bound(rows.places.begin(), rows.places.end() - 1, to.next - to.bytes);
      row = static_cast<std::size_t>(place - rows.places.begin());
      if (row >= ends.size()) break;
    }
    const auto bytes = rows.bytes.subspan(rows.places[row], rows.places[row + 1] - rows.places[row]);
    to.samples.push_back({to.bytes + rows.places[row], to.rows + row});
    to.sampled.append(bytes);
    of_samples_ += bytes.size();
    ++count_;
    // Fewer long rows are kept, because they would fill the memory.
    to.next = to.samples.back().offset + std::max<std::uint64_t>(to.spacing, share_of_long_rows * bytes.size());
  }
  to.bytes += rows.bytes.size();
  to.rows += ends.size();
}

host_buffer row_samples::take_rows() {
  host_buffer rows;
  for (run& of : runs_) {
    rows.append(of.sampled.bytes());
    of.sampled = host_buffer();
  }
  return rows;
}

void row_samples::clear() {
  runs_.clear();
  bytes_ = count_ = of_samples_ = 0;
}

}  // namespace ballot::app
