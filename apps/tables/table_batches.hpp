// The rows of a file or of a run, read in batches that fit into the memory there is for them.
//
//     front | row row row ro|w row row r|ow row      what is read at a time ends anywhere
//             '---batch---' '--batch--' '-batch-'    a batch is a table of whole rows; the rest begins the next one
//
// A last row that comes without a line end is a batch of its own, unless there is only one batch: written among others it
// would get a line end, and could not be told from one that had it.
#pragma once

#include <ballot/core/namespace.hpp>

#include "tables/file_table.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>

namespace ballot::app {

// A row may take this part of the memory: then merges, too, have room for rows as long.
constexpr std::uint64_t longest_row_share = 16;

struct batch_limits {
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bytes = unlimited;        // all that a batch may take, with what is read beyond it
  std::uint64_t bytes_a_row = 0;          // of that, beside the row's own bytes
  std::uint64_t longest_row = unlimited;  // with its bytes_a_row
  std::uint64_t rows = unlimited;
};

// Fills as far as there are bytes: fewer than asked for mean the end.
using byte_reader = std::function<std::size_t(std::span<std::byte>)>;
// Is told of bytes that have been read.
using read_listener = std::function<void(std::uint64_t)>;

class table_batch_reader {
 public:
  // Of a file that stands behind its front. Refers to both. Throws failure where the file's length cannot be right.
  table_batch_reader(const file_table& header, input_file& file, const batch_limits& limits,
                     read_listener listener = {});
  // Of rows that have been read before, as in a run, or in a file that goes through batches once more.
  table_batch_reader(const file_table& header, byte_reader read, const batch_limits& limits,
                     read_listener listener = {});

  // The next batch; the last one may have no rows. Throws failure where a row does not fit.
  std::unique_ptr<file_table> next();
  bool ended() const { return ended_; }                       // that was the last one
  std::uint64_t largest_row() const { return largest_row_; }  // so far, with its bytes_a_row

 private:
  void read_into(file_table& batch);
  [[noreturn]] void throw_too_long(const file_table& batch) const;

  const file_table* header_;
  byte_reader read_;
  read_listener listener_;
  batch_limits limits_;
  std::size_t chunk_bytes_;
  bool checks_length_ = false;
  host_buffer carried_;  // bytes behind the last batch
  std::uint64_t batches_ = 0, bytes_read_ = 0, line_ends_ = 0, largest_row_ = 0;
  bool input_ended_ = false, ended_ = false;
};

}  // namespace ballot::app
