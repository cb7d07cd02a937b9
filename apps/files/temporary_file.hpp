// SPDX-License-Identifier: Apache-2.0
// An unnamed file: it vanishes when it is closed, however the program ends.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ballot::app {

class temporary_file {
 public:
  explicit temporary_file(const std::string& directory);  // throws failure if it cannot be made there
  ~temporary_file();
  temporary_file(temporary_file&& other) noexcept;
  temporary_file& operator=(temporary_file&& other) noexcept;

  std::uint64_t size() const { return size_; }
  void append(std::span<const std::byte> bytes);
  void read(std::uint64_t offset, std::span<std::byte> into) const;  // fills `into`
  // Frees the disk space of bytes that are no longer needed, if the file system can. They then read as zeros.
  void release(std::uint64_t offset, std::uint64_t bytes);

 private:
  std::string directory_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace ballot::app
