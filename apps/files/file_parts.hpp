// SPDX-License-Identifier: Apache-2.0
// Says in which of several files a line is, if they are read one behind the other.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ballot::app {

class file_parts {
 public:
  struct place {
    std::string file;
    std::uint64_t line;  // from 1
  };

  struct seam {
    std::uint64_t bytes_before;  // of all files before this one, without headers
    std::string file;
  };

  // Begins the next file. bytes_before, lines_before: read from the files before it. header_lines:
  // the lines of its own header.
  void begin(std::string name, std::uint64_t bytes_before, std::uint64_t lines_before, std::uint64_t header_lines) {
    const std::lock_guard lock(mutex_);
    parts_.push_back({std::move(name), bytes_before, lines_before, header_lines});
  }
  // The files that begin behind byte `begin` and before byte `end`, counted without headers.
  std::vector<seam> seams_between(std::uint64_t begin, std::uint64_t end) const {
    const std::lock_guard lock(mutex_);
    std::vector<seam> found;
    for (const part& p : parts_)
      if (p.bytes_before > begin && p.bytes_before < end) found.push_back({p.bytes_before, p.name});
    return found;
  }
  // The place of a line, counted from 1 without headers.
  place of_line(std::uint64_t line) const {
    const std::lock_guard lock(mutex_);
    std::size_t at = 0;
    while (at + 1 < parts_.size() && parts_[at + 1].lines_before < line) ++at;
    const part& found = parts_[at];
    return {found.name, line - found.lines_before + found.header_lines};
  }

 private:
  struct part {
    std::string name;
    std::uint64_t bytes_before, lines_before, header_lines;
  };
  mutable std::mutex mutex_;  // one thread reads, another says what is wrong
  std::vector<part> parts_;
};

}  // namespace ballot::app
