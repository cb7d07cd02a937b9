// SPDX-License-Identifier: Apache-2.0
#include "files/input_file.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "base/parallel_chunks.hpp"
#include "files/decompressed_stream.hpp"
#include "files/parallel_io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace ballot::app {

input_file::input_file(const std::string& path, first_bytes meaning) {
  if (path == "-") {
    descriptor_ = STDIN_FILENO;
    name_ = "standard input";
  } else {
    name_ = path;
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw_errno(name_);
    owns_ = true;
  }
  struct stat status {};
  int error = fstat(descriptor_, &status) != 0 ? errno : 0;
  if (error == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  if (error != 0) {
    if (owns_) close(descriptor_);  // no destructor runs for a constructor that throws
    throw_errno(name_, error);
  }
  // Files of size 0 may still have contents (those under /proc): they are read as a pipe is.
  is_regular_ = S_ISREG(status.st_mode);
  if (is_regular_ && status.st_size > 0) {
    const off_t position = lseek(descriptor_, 0, SEEK_CUR);  // standard input may have been read from already
    remaining_ = static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size - std::max<off_t>(0, position)));
    posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  try {
    decompress(compression_of_extension(path), meaning);
  } catch (...) {
    if (owns_) close(descriptor_);
    throw;
  }
}

void input_file::decompress(compression expected, first_bytes meaning) {
  if (expected == compression::none && meaning == first_bytes::are_data) return;
  std::array<std::byte, magic_bytes> begin{};
  std::size_t got = 0;
  // Without moving on: a large read from the beginning is one of whole pages, and files under /proc
  // are read at once.
  if (is_regular_) {
    const off_t here = lseek(descriptor_, 0, SEEK_CUR);
    const ssize_t there = pread(descriptor_, begin.data(), begin.size(), std::max<off_t>(0, here));
    got = static_cast<std::size_t>(std::max<ssize_t>(0, there));
  } else {
    got = read_descriptor(begin);
  }
  const auto found = compression_of_magic(std::span(begin).first(got));
  if (expected != compression::none && found != expected)
    throw failure(fmt::format("{}: the extension says {}, but {}", name_, name_of(expected),
                              got == 0 ? "the file is empty"
                              : found == compression::none
                                  ? fmt::format("its first bytes are not those of {}", name_of(expected))
                                  : fmt::format("the content is {}", name_of(found))));
  const std::span<const std::byte> taken = std::span(begin).first(is_regular_ ? 0 : got);
  if (found == compression::none) {
    unread_.assign(taken.begin(), taken.end());
    return;
  }
  remaining_.reset();
  decompressed_ = std::make_unique<decompressed_stream>(descriptor_, name_, found, taken);
}

input_file::~input_file() {
  decompressed_.reset();  // its thread reads the descriptor
  if (owns_) close(descriptor_);
}

input_file::input_file(input_file&& other) noexcept
    : descriptor_(other.descriptor_),
      owns_(std::exchange(other.owns_, false)),
      is_regular_(other.is_regular_),
      name_(std::move(other.name_)),
      remaining_(other.remaining_),
      position_(other.position_),
      unread_(std::move(other.unread_)),
      unread_taken_(std::exchange(other.unread_taken_, 0)),
      rest_(std::move(other.rest_)),
      rest_taken_(other.rest_taken_),
      read_rest_(std::move(other.read_rest_)),
      decompressed_(std::move(other.decompressed_)),
      next_(std::move(other.next_)),
      current_(std::move(other.current_)),
      line_end_(std::move(other.line_end_)),
      so_far_(other.so_far_),
      last_byte_(other.last_byte_) {}

std::size_t input_file::read(std::span<std::byte> into) {
  const std::size_t filled = next_ || current_ ? read_on(into) : read_this_file(into);
  position_ += filled;
  if (remaining_) *remaining_ -= std::min<std::uint64_t>(*remaining_, filled);
  return filled;
}

void input_file::continue_with(next_file next, std::string_view line_end) {
  next_ = std::move(next);
  line_end_ = line_end;
  remaining_.reset();
}

std::size_t input_file::read_on(std::span<std::byte> into) {
  std::size_t filled = 0;
  for (;;) {
    const std::span<std::byte> room = into.subspan(filled);
    const std::size_t got = current_ ? current_->read(room) : read_this_file(room);
    filled += got;
    so_far_.bytes += got;
    so_far_.all_bytes += got;
    if (got != 0) last_byte_ = room[got - 1];
    if (!line_end_.empty())
      so_far_.all_line_ends +=
          static_cast<std::uint64_t>(std::count(room.begin(), room.begin() + std::ptrdiff_t(got), std::byte{'\n'}));
    if (filled == into.size() || !next_) return filled;
    const bool lacks_line_end = !line_end_.empty() && so_far_.bytes != 0 && last_byte_ != std::byte{'\n'};
    const std::uint64_t added = lacks_line_end ? line_end_.size() : 0;
    auto next = next_({so_far_.bytes, so_far_.all_bytes + added, so_far_.all_line_ends + (lacks_line_end ? 1 : 0)});
    if (!next) {
      next_ = nullptr;
      return filled;
    }
    current_ = std::make_unique<input_file>(std::move(*next));
    so_far_.bytes = 0;
    if (!lacks_line_end) continue;
    current_->unread(std::as_bytes(std::span(line_end_)));
  }
}

std::size_t input_file::read_this_file(std::span<std::byte> into) {
  std::size_t filled = std::min(into.size(), unread_.size() - unread_taken_);
  if (filled != 0) {
    std::memcpy(into.data(), unread_.data() + unread_taken_, filled);
    unread_taken_ += filled;
  }
  if (rest_) {
    const std::size_t taken = std::min(into.size() - filled, rest_->size() - rest_taken_);
    if (taken != 0) parallel_copy(into.data() + filled, std::as_const(*rest_).bytes().subspan(rest_taken_, taken));
    rest_taken_ += taken;
    filled += taken;
  } else if (read_rest_) {
    filled += read_rest_(into.subspan(filled));
  } else if (decompressed_) {
    filled += decompressed_->read(into.subspan(filled));
  } else {
    filled += read_in_parallel(into.subspan(filled));
    filled += read_descriptor(into.subspan(filled));
  }
  return filled;
}

std::size_t input_file::read_descriptor(std::span<std::byte> into) {
  constexpr std::size_t most_at_once = std::size_t{1} << 30;  // Linux moves less than 2 GiB in a call
  std::size_t filled = 0;
  while (filled < into.size()) {
    const ssize_t got = ::read(descriptor_, into.data() + filled, std::min(into.size() - filled, most_at_once));
    if (got == 0) break;
    if (got < 0) {
      if (errno == EINTR) continue;
      throw_errno(name_);
    }
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

std::size_t input_file::read_in_parallel(std::span<std::byte> into) {
  const chunking plan = read_chunking();
  if (!remaining_ || plan.threads < 2 || into.size() <= plan.bytes) return 0;
  const off_t here = lseek(descriptor_, 0, SEEK_CUR);
  if (here < 0) return 0;
  const std::size_t got = read_at(descriptor_, name_, static_cast<std::uint64_t>(here), into, plan);
  // The position is where read() would have left it: also for who shares standard input with this
  // program.
  if (lseek(descriptor_, here + static_cast<off_t>(got), SEEK_SET) < 0) throw_errno(name_);
  return got;
}

void input_file::unread(std::span<const std::byte> bytes) {
  unread_.erase(unread_.begin(), unread_.begin() + std::ptrdiff_t(unread_taken_));
  unread_taken_ = 0;
  unread_.insert(unread_.begin(), bytes.begin(), bytes.end());
  position_ -= bytes.size();
  if (remaining_) *remaining_ += bytes.size();
}

void input_file::replace_rest(host_buffer bytes) {
  unread_.clear();
  unread_taken_ = 0;
  rest_ = std::move(bytes);
  rest_taken_ = 0;
  is_regular_ = false;  // opened once more it would be another
  remaining_ = rest_->size();
  position_ = 0;
}

void input_file::replace_rest(reader read, std::string name) {
  name_ = std::move(name);
  unread_.clear();
  unread_taken_ = 0;
  read_rest_ = std::move(read);
  is_regular_ = false;
  remaining_.reset();
  position_ = 0;
}

std::optional<input_file::place> input_file::place_in_regular_file() const {
  if (!is_regular_ || decompressed_ || rest_ || next_ || unread_taken_ != unread_.size()) return std::nullopt;
  const off_t here = lseek(descriptor_, 0, SEEK_CUR);
  if (here < 0) return std::nullopt;
  std::byte first{};  // of a file that says that it is empty, and may not be
  if (!remaining_ && pread(descriptor_, &first, 1, here) != 0) return std::nullopt;
  return place{descriptor_, static_cast<std::uint64_t>(here), remaining_.value_or(0)};
}

void input_file::seek_back_to(std::uint64_t position) {
  if (rest_) {
    rest_taken_ = static_cast<std::size_t>(position);
    remaining_ = rest_->size() - rest_taken_;
    unread_.clear();
    unread_taken_ = 0;
    position_ = position;
    return;
  }
  // Relative to where the descriptor is: standard input may have been read from before this program
  // began.
  const std::uint64_t back = position_ + (unread_.size() - unread_taken_) - position;
  if (lseek(descriptor_, -static_cast<off_t>(back), SEEK_CUR) < 0) throw_errno(name_);
  if (remaining_) *remaining_ += position_ - position;
  unread_.clear();
  unread_taken_ = 0;
  position_ = position;
}

host_buffer read_rest(input_file& file) {
  constexpr std::size_t chunk_bytes = std::size_t{8} << 20;
  host_buffer bytes;
  for (std::size_t filled = 0;;) {
    bytes.resize(filled + static_cast<std::size_t>(file.remaining().value_or(chunk_bytes)) + 1);
    const std::size_t got = file.read(bytes.bytes().subspan(filled));
    filled += got;
    if (filled < bytes.size()) {
      bytes.resize(filled);
      return bytes;
    }
  }
}

}  // namespace ballot::app
