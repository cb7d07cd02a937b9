// SPDX-License-Identifier: Apache-2.0
// A file, a pipe or standard input, read from front to back. Compressed bytes are decompressed
// (compression.hpp). The extension or the first bytes show the format.
#pragma once

#include <ballot/core/namespace.hpp>
#include "base/host_buffer.hpp"
#include "files/compression.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

class decompressed_stream;

// Whether the first bytes of a file tell that it is compressed. Those of raw data may be anything.
enum class first_bytes { tell_compression, are_data };

class input_file {
 public:
  // "-" is standard input. Throws failure, also where the extension (.gz, .zst) is not what the
  // file is.
  explicit input_file(const std::string& path, first_bytes meaning = first_bytes::tell_compression);
  ~input_file();
  input_file(input_file&& other) noexcept;
  input_file& operator=(input_file&&) = delete;

  const std::string& name() const { return name_; }  // as messages show it

  // The number of remaining bytes, if known: for a regular file that is not compressed.
  std::optional<std::uint64_t> remaining() const { return remaining_; }

  // Whether the file can be opened once more: it is not a pipe, and not standard input.
  bool can_be_reopened() const { return owns_ && is_regular_; }

  // Fills `into` and returns the number of bytes read. Fewer than requested mean the end.
  std::size_t read(std::span<std::byte> into);

  // Puts bytes back that were read too far: the next read() begins with these.
  void unread(std::span<const std::byte> bytes);
  // Goes on with these bytes in place of what the file still has.
  void replace_rest(host_buffer bytes);

  // The same with a function that fills memory as read() does. The file may have been moved from.
  using reader = std::function<std::size_t(std::span<std::byte>)>;
  void replace_rest(reader read, std::string name);

  // Where the rest can be read by positions: in a regular file that is not compressed.
  struct place {
    int descriptor;
    std::uint64_t offset, bytes;
  };
  std::optional<place> place_in_regular_file() const;

  // At the end of this file, goes on with the file that `next` returns, and so on until it returns
  // none. `next` is told what was read of the file that has just ended, and of all files since this
  // call. `line_end` is added to the last line of a file that lacks its line end; empty for data.
  struct ended_part {
    std::uint64_t bytes, all_bytes, all_line_ends;
  };
  using next_file = std::function<std::optional<input_file>(const ended_part&)>;
  void continue_with(next_file next, std::string_view line_end);

  // The number of bytes read, less those put back. Seeking back is possible if remaining() was
  // known.
  std::uint64_t position() const { return position_; }
  void seek_back_to(std::uint64_t position);

 private:
  void decompress(compression expected, first_bytes meaning);
  std::size_t read_this_file(std::span<std::byte> into);
  std::size_t read_on(std::span<std::byte> into);
  std::size_t read_descriptor(std::span<std::byte> into);
  // Reads a large part on several threads. read() handles the rest and detects the end.
  std::size_t read_in_parallel(std::span<std::byte> into);

  int descriptor_ = -1;
  bool owns_ = false, is_regular_ = false;
  std::string name_;
  std::optional<std::uint64_t> remaining_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> unread_;
  std::size_t unread_taken_ = 0;  // of those
  std::optional<host_buffer> rest_;
  std::size_t rest_taken_ = 0;
  reader read_rest_;
  std::unique_ptr<decompressed_stream> decompressed_;

  // Of the files that follow.
  next_file next_;
  std::unique_ptr<input_file> current_;  // null: this one
  std::string line_end_;
  ended_part so_far_{};
  std::byte last_byte_{};
};

// Reads all remaining bytes.
host_buffer read_rest(input_file& file);

}  // namespace ballot::app
