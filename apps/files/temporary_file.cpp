// SPDX-License-Identifier: Apache-2.0
#include "files/temporary_file.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "files/parallel_io.hpp"
#include "files/unlinked_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace ballot::app {
namespace {

std::string described(const std::string& directory) { return "a temporary file in " + directory; }

}  // namespace

temporary_file::temporary_file(const std::string& directory) : directory_(directory) {
  descriptor_ = open_unlinked(directory, 0600, described(directory));
  if (descriptor_ < 0)
    descriptor_ = named_temporary_file(directory, 0600, described(directory)).descriptor();  // for a moment
}

temporary_file::~temporary_file() {
  if (descriptor_ >= 0) close(descriptor_);
}

temporary_file::temporary_file(temporary_file&& other) noexcept
    : directory_(std::move(other.directory_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(std::exchange(other.size_, 0)) {}

temporary_file& temporary_file::operator=(temporary_file&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

void temporary_file::append(std::span<const std::byte> bytes) {
  write_at(descriptor_, described(directory_), size_, bytes);
  size_ += bytes.size();
}

void temporary_file::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (read_at(descriptor_, described(directory_), offset, into) < into.size())
    throw failure(described(directory_) + ": became shorter while it was read");
}

void temporary_file::release(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  const int error_is_harmless = fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                          static_cast<off_t>(offset), static_cast<off_t>(bytes));
  (void)error_is_harmless;  // the space then comes back when the file is closed
}

}  // namespace ballot::app
