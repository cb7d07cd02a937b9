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

  // How many bytes are still to come, where the system knows: for a regular file.
  std::optional<std::uint64_t> remaining() const { return remaining_; }

  // Fills `into` as far as there are bytes: fewer than asked for mean the end.
  std::size_t read(std::span<std::byte> into);

  // For who had to read further than what was looked for: the next read() begins with these.
  void unread(std::span<const std::byte> bytes);

  // How many bytes were read, less those given back. Reading can go on from an earlier place where remaining() was known.
  std::uint64_t position() const { return position_; }
  void seek_back_to(std::uint64_t position);

 private:
  // By several threads, where that pays: what it leaves is for read(), which also knows where the end is.
  std::size_t read_in_parallel(std::span<std::byte> into);

  int descriptor_ = -1;
  bool owns_ = false;
  std::string name_;
  std::optional<std::uint64_t> remaining_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> unread_;
  std::size_t unread_taken_ = 0;  // of those
};

// Everything that is still to come.
host_buffer read_rest(input_file& file);

}  // namespace ballot::app
