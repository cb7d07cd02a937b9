// SPDX-License-Identifier: Apache-2.0
// Sorted runs, one after the other in one temporary file, so that any number of runs needs one open
// file.
#pragma once

#include <ballot/core/namespace.hpp>

#include "files/temporary_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

class sorted_runs {
 public:
  explicit sorted_runs(const std::string& directory) : file_(directory) {}

  void begin_run() { begins_.push_back(file_.size()); }
  void append(std::span<const std::byte> bytes) { file_.append(bytes); }  // to the run begun last

  // Begins a run of so many bytes, and returns where they are; then write() fills it, from several
  // threads if need be.
  std::uint64_t make_room_for_run(std::uint64_t bytes) {
    begin_run();
    return file_.extend(bytes);
  }
  void write(std::uint64_t place, std::span<const std::byte> bytes) { file_.overwrite(place, bytes); }

  std::size_t count() const { return begins_.size(); }
  std::uint64_t bytes() const { return file_.size(); }
  // Frees the space of the runs first to last - 1.
  void release(std::size_t first, std::size_t last) {
    file_.release(begin_of(first), begin_of(last) - begin_of(first));
  }

  // Fills `into` from a run, beginning at a byte of it.
  void read(std::size_t run, std::uint64_t offset, std::span<std::byte> into) const {
    file_.read(begin_of(run) + offset, into);
  }

  // The same bytes in another order.
  void overwrite(std::size_t run, std::uint64_t offset, std::span<const std::byte> bytes) {
    file_.overwrite(begin_of(run) + offset, bytes);
  }

  // A run, read from front to back.
  class reader {
   public:
    reader(const sorted_runs& runs, std::size_t run)
        : file_(&runs.file_), offset_(runs.begin_of(run)), end_(runs.begin_of(run + 1)) {}
    // Fills `into` and returns the number of bytes read. Fewer than requested mean the end.
    std::size_t read(std::span<std::byte> into) {
      const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), end_ - offset_));
      file_->read(offset_, into.first(taken));
      offset_ += taken;
      return taken;
    }

   private:
    const temporary_file* file_;
    std::uint64_t offset_, end_;
  };

 private:
  std::uint64_t begin_of(std::size_t run) const { return run == begins_.size() ? file_.size() : begins_[run]; }

  temporary_file file_;
  std::vector<std::uint64_t> begins_;
};

}  // namespace ballot::app
