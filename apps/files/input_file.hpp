// SPDX-License-Identifier: Apache-2.0
// A file, a pipe or standard input, read from front to back.
#pragma once

#include <ballot/core/namespace.hpp>
#include "base/host_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

class input_file {
 public:
  explicit input_file(const std::string& path);  // "-" is standard input
  ~input_file();
  input_file(input_file&& other) noexcept;
  input_file& operator=(input_file&&) = delete;

  const std::string& name() const { return name_; }  // as messages show it

  // The number of remaining bytes, if known: for a regular file.
  std::optional<std::uint64_t> remaining() const { return remaining_; }

  // Fills `into` and returns the number of bytes read. Fewer than requested mean the end.
  std::size_t read(std::span<std::byte> into);

  // Puts bytes back that were read too far: the next read() begins with these.
  void unread(std::span<const std::byte> bytes);

  // The number of bytes read, less those put back. Seeking back is possible if remaining() was known.
  std::uint64_t position() const { return position_; }
  void seek_back_to(std::uint64_t position);

 private:
  // Reads a large part on several threads. read() handles the rest and detects the end.
  std::size_t read_in_parallel(std::span<std::byte> into);

  int descriptor_ = -1;
  bool owns_ = false;
  std::string name_;
  std::optional<std::uint64_t> remaining_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> unread_;
  std::size_t unread_taken_ = 0;  // of those
};

// Reads all remaining bytes.
host_buffer read_rest(input_file& file);

}  // namespace ballot::app
