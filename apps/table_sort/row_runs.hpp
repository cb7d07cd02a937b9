// Runs of rows, as a merge reads and writes them.
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

// A run as its merge reads it: small pieces, one at a time.
class row_run_reader {
 public:
  using item = keyed_row;

  row_run_reader(const file_table& front, byte_reader read, const piece_limits& limits, std::span<const sort_key> keys,
                 phase_clock& clock)
      : pieces_(front, std::move(read), limits), keys_(keys), clock_(&clock) {}

  bool next(keyed_row& found) {
    while (!piece_ || ++row_ == piece_->rows().rows())
      if (!load()) return false;
    found = {piece_->first_key(row_), piece_.get(), row_};
    return true;
  }

 private:
  bool load() {
    piece_.reset();  // before the next one takes its place
    if (pieces_.ended()) return false;
    scoped_phase reading(*clock_, phase::read);
    piece_ = std::make_shared<const keyed_rows>(pieces_.next(), keys_);
    row_ = ~std::uint64_t{0};  // before the first
    return true;
  }

  table_pieces pieces_;
  std::span<const sort_key> keys_;
  phase_clock* clock_;
  std::shared_ptr<const keyed_rows> piece_;
  std::uint64_t row_ = 0;
};

// Collects rows, and writes them piece by piece.
class row_writer {
 public:
  row_writer(std::uint64_t piece_bytes, const std::function<void(std::span<const std::byte>)>& write,
             phase_clock& clock)
      : piece_bytes_(piece_bytes), write_(write), clock_(clock) {}

  void row(std::span<const std::byte> bytes, std::string_view line_end) {
    if (piece_.size() + bytes.size() + line_end.size() > piece_bytes_) flush();
    piece_.append(bytes);
    if (!line_end.empty() && (bytes.empty() || bytes.back() != std::byte{'\n'}))
      piece_.append(std::as_bytes(std::span(line_end)));
  }
  void flush() {
    scoped_phase writing(clock_, phase::write);
    write_(piece_.bytes());
    piece_.resize(0);
  }

 private:
  std::uint64_t piece_bytes_;
  const std::function<void(std::span<const std::byte>)>& write_;
  phase_clock& clock_;
  host_buffer piece_;
};

}  // namespace ballot::app
