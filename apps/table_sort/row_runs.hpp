// SPDX-License-Identifier: Apache-2.0
// Readers and writers of runs of rows, for merges.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "base/phase_clock.hpp"
#include "table_sort/keyed_rows.hpp"
#include "tables/table_batches.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace ballot::app {

// Reads a run in small batches, one at a time.
class row_run_reader {
 public:
  using item = keyed_row;

  row_run_reader(const file_table& header, byte_reader read, const batch_limits& limits, std::span<const sort_key> keys,
                 phase_clock& clock)
      : batches_(header, std::move(read), limits), keys_(keys), clock_(&clock) {}

  bool next(keyed_row& found) {
    while (!batch_ || ++row_ == batch_->rows().rows())
      if (!load()) return false;
    found = {batch_->first_key(row_), batch_.get(), row_};
    return true;
  }

 private:
  bool load() {
    batch_.reset();  // before the next one takes its place
    if (batches_.ended()) return false;
    scoped_phase reading(*clock_, phase::read);
    batch_ = std::make_shared<const keyed_rows>(batches_.next(), keys_);
    row_ = ~std::uint64_t{0};  // before the first
    return true;
  }

  table_batch_reader batches_;
  std::span<const sort_key> keys_;
  phase_clock* clock_;
  std::shared_ptr<const keyed_rows> batch_;
  std::uint64_t row_ = 0;
};

// Collects rows and writes them in chunks.
class row_writer {
 public:
  row_writer(std::uint64_t batch_bytes, std::function<void(std::span<const std::byte>)> write, phase_clock& clock)
      : batch_bytes_(batch_bytes), write_(std::move(write)), clock_(clock) {}

  void row(std::span<const std::byte> bytes, std::string_view line_end) {
    if (batch_.size() + bytes.size() + line_end.size() > batch_bytes_) flush();
    batch_.append(bytes);
    if (!line_end.empty() && (bytes.empty() || bytes.back() != std::byte{'\n'}))
      batch_.append(std::as_bytes(std::span(line_end)));
  }
  void flush() {
    scoped_phase writing(clock_, phase::write);
    write_(batch_.bytes());
    batch_.resize(0);
  }

 private:
  std::uint64_t batch_bytes_;
  std::function<void(std::span<const std::byte>)> write_;
  phase_clock& clock_;
  host_buffer batch_;
};

}  // namespace ballot::app
