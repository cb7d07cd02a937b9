// SPDX-License-Identifier: Apache-2.0
// Files of which each process reads and writes a part. All see the same files, by the same names.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "processes/process_group.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ballot::app {

// Items of one size in the rest of a file.
class part_reader {
 public:
  // The rest of the file is all items. Throws failure if parts of it cannot be read: pipes,
  // compressed files, rows that were turned round in memory.
  part_reader(const input_file& file, std::uint64_t item_bytes);
  std::uint64_t items() const { return items_; }
  // Collective. Throws failure if not all processes see as many items of one size.
  void require_agreement(const process_group& group) const;
  host_buffer read(const process_group& group) const;  // the part of this process

 private:
  const input_file* file_;
  input_file::place place_;
  std::uint64_t item_bytes_, items_;
};

// A file that all write, and that is there when all have written it. Collective, except for
// write().
class part_writer {
 public:
  part_writer(const process_group& group, const std::string& path, std::uint64_t bytes);
  ~part_writer();
  part_writer(const part_writer&) = delete;
  part_writer& operator=(const part_writer&) = delete;

  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  void commit();

 private:
  const process_group& group_;
  std::string shown_;
  std::optional<output_file> file_;  // of process 0
  int descriptor_ = -1;
};

}  // namespace ballot::app
