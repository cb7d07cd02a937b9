// SPDX-License-Identifier: Apache-2.0
// Reads the columns of an Arrow file or stream, or of a Parquet file, batch by batch, as rows.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "columnar/arrow_type.hpp"
#include "columnar/plugin.hpp"
#include "columnar/row_layout.hpp"
#include "files/input_file.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

class arrow_reader {
 public:
  // Takes the file's place: reads by positions, or the bytes of a pipe or a compressed file in
  // order. These are held in memory if the format needs positions (Parquet). Throws failure, also
  // if they are more than `memory` bytes.
  arrow_reader(input_file& file, bool is_parquet, std::uint64_t memory);
  ~arrow_reader();
  arrow_reader(const arrow_reader&) = delete;
  arrow_reader& operator=(const arrow_reader&) = delete;

  const std::string& name() const { return name_; }
  const arrow_schema& schema() const { return schema_; }
  // Before the first read: the columns of the rows, as indices in ascending order. Returns their
  // layout.
  const row_layout& choose(const std::vector<std::size_t>& columns);
  // Fills `into` with bytes of rows. Fewer than asked for mean the end.
  std::size_t read(std::span<std::byte> into);

 private:
  static std::int64_t read_at(void* self, std::int64_t offset, std::int64_t bytes, void* into);
  std::int64_t take(std::int64_t offset, std::span<std::byte> into);
  bool next_batch();
  [[noreturn]] void throw_problem(const ballot_arrow_error& error);

  std::string name_;
  const ballot_arrow_functions& library_;
  // One of three: a descriptor of a regular file, the bytes that were read of a pipe, or the pipe.
  int descriptor_ = -1;
  std::uint64_t base_ = 0, size_ = 0;
  host_buffer held_;
  std::unique_ptr<input_file> pipe_;
  ballot_arrow_source source_{};
  std::mutex problem_guard_;
  std::exception_ptr problem_;  // of a function that the library has called
  ballot_arrow_reader* reader_ = nullptr;

  arrow_schema schema_;
  row_layout layout_;
  host_buffer rows_;
  std::size_t taken_ = 0;
  std::uint64_t rows_read_ = 0;
  bool has_ended_ = false;
};

}  // namespace ballot::app
