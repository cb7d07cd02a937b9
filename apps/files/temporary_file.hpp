// SPDX-License-Identifier: Apache-2.0
// An unnamed file: it vanishes when it is closed, however the program ends.
//
// It is several files in turn, a stripe each. If several threads write to one file, one writes and
// the others wait, because the system locks it. So a copy to the page cache would take one core's
// time.
//
//     bytes    0 1 2 3 4 5 6 7 8 9      stripes
//     files    0 4 8 | 1 5 9 | 2 6 | 3 7
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

class temporary_file {
 public:
  explicit temporary_file(const std::string& directory);  // throws failure if it cannot be made there
  // Throws what the constructor throws for lack of rights or of a folder, and makes nothing.
  static void require_place(const std::string& directory);
  ~temporary_file();
  temporary_file(temporary_file&& other) noexcept;
  temporary_file& operator=(temporary_file&& other) noexcept;

  std::uint64_t size() const { return size_; }
  void append(std::span<const std::byte> bytes);
  // Makes it so many bytes longer, and returns where they begin: for overwrite(), which several
  // threads may call at once.
  std::uint64_t extend(std::uint64_t bytes);
  void read(std::uint64_t offset, std::span<std::byte> into) const;  // fills `into`
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  // Frees the disk space of bytes that are no longer needed, if the file system can. They then read
  // as zeros.
  void release(std::uint64_t offset, std::uint64_t bytes);

 private:
  struct place {
    int descriptor;
    std::uint64_t offset;
    std::size_t bytes;  // up to the end of the stripe
  };
  place place_of(std::uint64_t offset) const;
  void close_all();

  std::string directory_;
  std::vector<int> descriptors_;
  std::uint64_t size_ = 0;
};

}  // namespace ballot::app
