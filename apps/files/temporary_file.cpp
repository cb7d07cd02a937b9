// SPDX-License-Identifier: Apache-2.0
#include "files/temporary_file.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "base/parallel_chunks.hpp"
#include "files/parallel_io.hpp"
#include "files/unlinked_file.hpp"

#include <fcntl.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace ballot::app {
namespace {

// More files than threads: threads that each write a run of their own then seldom meet in one.
constexpr std::size_t stripe = std::size_t{1} << 20, most_threads = 8, files_a_thread = 2;

std::string described(const std::string& directory) { return "a temporary file in " + directory; }

}  // namespace

temporary_file::temporary_file(const std::string& directory) : directory_(directory) {
  const std::size_t threads = chunking_for_cores(most_threads).threads;
  const std::size_t files = threads == 1 ? 1 : threads * files_a_thread;
  try {
    while (descriptors_.size() < files) {
      descriptors_.reserve(files);
      int opened = open_unlinked(directory, 0600, described(directory));
      if (opened < 0)
        opened = named_temporary_file(directory, 0600, described(directory)).descriptor();  // for a moment
      descriptors_.push_back(opened);
    }
  } catch (...) {
    close_all();
    throw;
  }
}

void temporary_file::require_place(const std::string& directory) {
  require_place_for_files(directory, described(directory));
}

temporary_file::~temporary_file() { close_all(); }

void temporary_file::close_all() {
  // On a tmpfs this frees the memory of the files, 0.2 s a GB.
  tbb::parallel_for(
      std::size_t{0}, descriptors_.size(), [&](std::size_t i) { close(descriptors_[i]); }, tbb::simple_partitioner());
  descriptors_.clear();
}

temporary_file::temporary_file(temporary_file&& other) noexcept
    : directory_(std::move(other.directory_)),
      descriptors_(std::move(other.descriptors_)),
      size_(std::exchange(other.size_, 0)) {
  other.descriptors_.clear();
}

temporary_file& temporary_file::operator=(temporary_file&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(descriptors_, other.descriptors_);
  std::swap(size_, other.size_);
  return *this;
}

temporary_file::place temporary_file::place_of(std::uint64_t offset) const {
  const std::uint64_t number = offset / stripe, within = offset % stripe, files = descriptors_.size();
  return {descriptors_[number % files], number / files * stripe + within, static_cast<std::size_t>(stripe - within)};
}

void temporary_file::append(std::span<const std::byte> bytes) {
  const std::string name = described(directory_);
  // Each thread its own file.
  const std::size_t files = descriptors_.size();
  const auto write_stripes = [&](int only) {
    for (std::size_t at = 0; at < bytes.size();) {
      const place to = place_of(size_ + at);
      const std::size_t size = std::min(to.bytes, bytes.size() - at);
      if (only < 0 || only == to.descriptor)
        write_at(to.descriptor, name, to.offset, bytes.subspan(at, size), {.bytes = size, .threads = 1});
      at += size;
    }
  };
  if (bytes.size() <= stripe || files == 1) write_stripes(-1);
  else
    tbb::parallel_for(
        std::size_t{0}, files, [&](std::size_t i) { write_stripes(descriptors_[i]); }, tbb::simple_partitioner());
  size_ += bytes.size();
}

std::uint64_t temporary_file::extend(std::uint64_t bytes) {
  const std::uint64_t begin = size_;
  size_ += bytes;
  return begin;
}

void temporary_file::read(std::uint64_t offset, std::span<std::byte> into) const {
  const std::string name = described(directory_);
  chunking plan = read_chunking();
  plan.bytes = stripe;
  for_each_chunk(into.size(), plan, [&](std::size_t begin, std::size_t size) {
    for (std::size_t at = begin; at < begin + size;) {
      const place from = place_of(offset + at);
      const std::size_t part = std::min(from.bytes, begin + size - at);
      if (read_at(from.descriptor, name, from.offset, into.subspan(at, part), {.bytes = part, .threads = 1}) < part)
        throw failure(name + ": became shorter while it was read");
      at += part;
    }
  });
}

void temporary_file::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const place to = place_of(offset);
    const std::size_t size = std::min(to.bytes, bytes.size());
    write_at(to.descriptor, described(directory_), to.offset, bytes.first(size), {.bytes = size, .threads = 1});
    bytes = bytes.subspan(size);
    offset += size;
  }
}

void temporary_file::release(std::uint64_t offset, std::uint64_t bytes) {
  for (const std::uint64_t end = offset + bytes; offset < end;) {
    const place at = place_of(offset);
    const std::uint64_t size = std::min<std::uint64_t>(at.bytes, end - offset);
    const int error_is_harmless = fallocate(at.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                            static_cast<off_t>(at.offset), static_cast<off_t>(size));
    (void)error_is_harmless;  // the space then comes back when the file is closed
    offset += size;
  }
}

}  // namespace ballot::app
