// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a file or of a run in batches that fit into the memory for them.
//
//     header | row row row ro|w row row r|ow row     a read ends anywhere
//              '---batch---' '--batch--' '-batch-'   a batch is a table of whole rows; the rest begins the next batch
//
// A last row without a line end is a batch of its own, unless there is only one batch. Sorted among
// others it would get a line end, and would look like an equal row that had one.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/phase_clock.hpp"
#include "tables/file_table.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ballot::app {

// The share of the memory that one row may take. Merges then have room for rows of that size, too.
constexpr std::uint64_t longest_row_share = 16;

struct batch_limits {
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bytes = unlimited;        // for a batch and the bytes read beyond it
  std::uint64_t bytes_a_row = 0;          // of that, per row, beside the row itself
  std::uint64_t longest_row = unlimited;  // with its bytes_a_row
  std::uint64_t rows = unlimited;
  std::uint64_t enough = unlimited;  // bytes with which a batch ends, although there is room for more
  // Columns from whose texts keys are derived, and how many bytes of key a byte of text needs.
  // These bytes count as bytes of the row.
  struct derived_column {
    std::string column;
    std::size_t bytes_a_byte;
  };
  std::vector<derived_column> derived{};
  std::vector<std::string> columns{};  // that are going to be read

  std::size_t chunk() const;  // bytes that are read at a time
  // For rows: bytes read beyond a batch are held twice, at its end and as the beginning of the next.
  std::uint64_t room() const { return bytes == unlimited ? unlimited : bytes - 2 * chunk(); }

  // Of each of so many batches that are in memory at a time.
  batch_limits of(std::size_t batches) const {
    batch_limits share = *this;
    share.bytes /= batches;
    return share;
  }
};

// Fills `into` and returns the number of bytes read. Fewer than requested mean the end.
using byte_reader = std::function<std::size_t(std::span<std::byte>)>;
// Called with the number of bytes after each read.
using read_listener = std::function<void(std::uint64_t)>;

class table_batch_reader {
 public:
  // For a file that stands behind its header. Keeps references to both. Throws failure if the
  // file's length is wrong.
  table_batch_reader(const file_table& header, input_file& file, const batch_limits& limits,
                     read_listener listener = {});
  // For rows that have been read before, as in a run, or in a file that is read a second time.
  table_batch_reader(const file_table& header, byte_reader read, const batch_limits& limits,
                     read_listener listener = {});

  // The next batch; the last one may have no rows. Throws failure if a row is too long.
  std::unique_ptr<file_table> next();
  // Takes the memory of a batch that is not needed any more, for the next one.
  void reuse(std::unique_ptr<file_table> used) {
    spare_ = std::move(used->buffer());
    spare_.resize(0);
  }
  // From the next batch on.
  void set_limits(const batch_limits& limits);
  bool ended() const { return ended_; }                       // the last batch has been returned
  std::uint64_t largest_row() const { return largest_row_; }  // so far, with its bytes_a_row

 private:
  void read_into(file_table& batch);
  void require_rows_within_files(file_table& batch, std::uint64_t begin) const;
  [[noreturn]] void throw_too_long(const file_table& batch) const;

  const file_table* header_;
  byte_reader read_;
  read_listener listener_;
  batch_limits limits_;
  std::size_t chunk_bytes_;
  bool is_source_ = false;  // an input file, not rows that have been read before
  host_buffer carried_;     // bytes read beyond the last batch
  host_buffer spare_;
  std::uint64_t batches_ = 0, bytes_read_ = 0, line_ends_ = 0, largest_row_ = 0, rows_of_last_ = 0;
  bool input_ended_ = false, ended_ = false;
};

// All rows of a file that stands behind its header, as one batch.
std::unique_ptr<table> read_table(const file_table& header, input_file& file, phase_clock& clock);

}  // namespace ballot::app
