// SPDX-License-Identifier: Apache-2.0
#include "files/output_file.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "files/parallel_io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace ballot::app {
namespace {

// The number of an already open descriptor that the path is another name for: /dev/stdout,
// /dev/fd/3.
std::optional<int> open_descriptor_named(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    path.remove_prefix(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
    if (error == std::errc{} && end == path.data() + path.size() && number >= 0) return number;
  }
  return std::nullopt;
}

// One step along a chain of symbolic links; nothing where `path` is not a link.
std::optional<std::string> followed(const std::string& path) {
  char link[PATH_MAX];
  const ssize_t length = readlink(path.c_str(), link, sizeof link);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof link) return std::nullopt;
  const std::string next(link, static_cast<std::size_t>(length));
  return next.starts_with('/') ? next : parent_folder(path) + "/" + next;
}

// What a path names, after following links.
struct named_target {
  std::optional<int> descriptor;  // one that is open already
  std::string path;
  bool exists = false;
  struct stat status {};

  bool is_written_directly() const { return descriptor || (exists && !S_ISREG(status.st_mode)); }
};

// Throws failure, with `name`, where no file can be written.
named_target target_of(const std::string& path, const std::string& name) {
  constexpr int longest_chain = 40;  // as the kernel has it
  named_target found;
  found.path = path;
  for (int links = 0;; ++links) {
    // Not opened again: its position and append mode are the caller's.
    found.descriptor = path == "-" ? STDOUT_FILENO : open_descriptor_named(found.path);
    if (found.descriptor) return found;
    const auto next = followed(found.path);
    if (!next) break;
    if (links == longest_chain) throw_errno(name, ELOOP);
    found.path = *next;
  }
  found.exists = stat(found.path.c_str(), &found.status) == 0;
  if (!found.exists && errno != ENOENT) throw_errno(name);
  if (found.exists && S_ISDIR(found.status.st_mode)) throw_errno(name, EISDIR);
  if (found.is_written_directly()) return found;
  // Renaming over a write-protected file would work, and is not what the protection is for.
  if (found.exists && faccessat(AT_FDCWD, found.path.c_str(), W_OK, AT_EACCESS) != 0) throw_errno(name);
  if (found.path.empty() || found.path.ends_with('/')) throw_errno(name, found.path.empty() ? ENOENT : EISDIR);
  return found;
}

// Gives a new file the owner, the group and the rights of the old one, as far as that is allowed.
// Only root can give files to another user. Others may give them to a group that they belong to.
void take_owner_and_rights(int fresh, const struct stat& old, const std::string& name) {
  struct stat now {};
  if (fstat(fresh, &now) != 0) throw_errno(name);
  const bool has_both =
      (now.st_uid == old.st_uid && now.st_gid == old.st_gid) || fchown(fresh, old.st_uid, old.st_gid) == 0;
  const bool has_group = has_both || now.st_gid == old.st_gid || fchown(fresh, static_cast<uid_t>(-1), old.st_gid) == 0;
  mode_t rights = old.st_mode & 07777;
  // The rights of the old group are not those of another one, which gets what all others have.
  // setuid and setgid were granted by the old owner or group: a new one has not.
  if (!has_group) rights &= ~static_cast<mode_t>(S_IRWXG) | (rights & S_IRWXO) << 3;
  if (!has_both) rights &= ~static_cast<mode_t>(S_ISUID);
  if (!has_group) rights &= ~static_cast<mode_t>(S_ISGID);
  const int stays_private_otherwise = fchmod(fresh, rights);
  (void)stays_private_otherwise;
}

[[noreturn]] void refuse_to_share(const std::string& name) {
  throw failure(fmt::format("{}: several processes write parts of a regular file that is not compressed", name));
}

}  // namespace

bool is_standard_output(const std::string& path) { return path == "-" || open_descriptor_named(path) == STDOUT_FILENO; }

output_file::output_file(const std::string& path, std::optional<int> level)
    : name_(path == "-" ? "standard output" : path) {
  if (const compression kind = compression_of_extension(path); kind != compression::none) try {
      encoder_ = make_encoder(kind, level);
    } catch (const failure& problem) {
      throw failure(fmt::format("{}: {}", name_, problem.what()));
    }
  open_target(path);
}

void output_file::open_target(const std::string& path) {
  named_target target = target_of(path, name_);
  if (!target.is_written_directly()) {
    target_ = std::move(target.path);
    return open_beside_target(target.exists ? &target.status : nullptr);
  }
  descriptor_ = target.descriptor ? dup(*target.descriptor) : open(target.path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw_errno(name_);
}

output_file::outlook output_file::look_at(const std::string& path) {
  const named_target target = target_of(path, path);
  if (target.descriptor) return {};
  if (target.is_written_directly()) {
    if (faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) != 0) throw_errno(path);
    return {};
  }
  require_place_for_files(parent_folder(target.path), path);  // the new file is made beside the old one
  outlook found{true, {}};
  if (target.exists) found.replaces = static_cast<std::uint64_t>(target.status.st_size);
  return found;
}

std::optional<std::string> output_file::folder_of(const std::string& path) {
  try {
    const named_target target = target_of(path, path);
    if (target.is_written_directly()) return std::nullopt;
    return parent_folder(target.path);
  } catch (const failure&) {
    return std::nullopt;
  }
}

void output_file::open_beside_target(const struct stat* old) {
  // A file that replaces a private file is private from the start; a new one gets the mode that any
  // new file gets.
  const mode_t mode = old != nullptr ? 0600 : 0666;
  const std::string folder = parent_folder(target_);
  descriptor_ = open_unlinked(folder, mode, name_);
  if (descriptor_ < 0) descriptor_ = named_.emplace(folder, mode, name_).descriptor();
  if (old != nullptr) take_owner_and_rights(descriptor_, *old, name_);
}

output_file::~output_file() {
  if (descriptor_ >= 0) close(descriptor_);
}

void output_file::write(std::span<const std::byte> bytes) {
  if (!encoder_) return write_coded(bytes);
  encoder_->add(bytes, [this](std::span<const std::byte> coded) { write_coded(coded); });
}

void output_file::write_coded(std::span<const std::byte> bytes) {
  if (!target_.empty()) {
    write_at(descriptor_, name_, written_, bytes);
    written_ += bytes.size();
    start_writing_back();
    return;
  }
  constexpr std::size_t most_at_once = std::size_t{1} << 30;  // Linux moves less than 2 GiB in a call
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), std::min(bytes.size(), most_at_once));
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_errno(name_);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

// commit() waits until everything is on the disk: it is less to wait for if the disk has begun
// before.
void output_file::start_writing_back() {
  // Never a page that is going to be written to again: that would wait for the disk.
  constexpr std::uint64_t worth_a_call = std::uint64_t{16} << 20;
  const std::uint64_t complete = written_ / worth_a_call * worth_a_call;
  if (complete == written_back_) return;
  const int error_comes_again_with_fsync =
      sync_file_range(descriptor_, static_cast<off_t>(written_back_), static_cast<off_t>(complete - written_back_),
                      SYNC_FILE_RANGE_WRITE);
  (void)error_comes_again_with_fsync;
  written_back_ = complete;
}

void output_file::require_shareable(const std::string& path) {
  if (is_standard_output(path) || open_descriptor_named(path) || compression_of_extension(path) != compression::none)
    refuse_to_share(path);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (stat(parent_folder(path).c_str(), &status) != 0) throw_errno(path);
  } else if (S_ISDIR(status.st_mode)) {
    throw_errno(path, EISDIR);
  } else if (!S_ISREG(status.st_mode)) {
    refuse_to_share(path);
  }
}

std::string output_file::share(std::uint64_t bytes) {
  if (target_.empty() || encoder_) refuse_to_share(name_);
  if (!named_) named_.emplace(descriptor_, parent_folder(target_), name_);
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) throw_errno(name_);
  return named_->path();
}

void output_file::commit() {
  if (encoder_) encoder_->finish([this](std::span<const std::byte> coded) { write_coded(coded); });
  if (target_.empty()) return close_descriptor();
  if (fsync(descriptor_) != 0) throw_errno(name_);
  if (named_) {
    close_descriptor();  // where a network file system reports what it could not write
    named_->rename_to(target_, name_);
    named_.reset();
  } else {
    // A file that has a name can be replaced only by one that has a name. Then there are two for a
    // moment. A process that is killed just then leaves the second.
    if (!link_to_path(descriptor_, target_, name_))
      named_temporary_file(descriptor_, parent_folder(target_), name_).rename_to(target_, name_);
    close_descriptor();
  }
  // The new name, too, should survive a power cut. File systems that cannot promise that refuse;
  // the file is there anyway.
  const int folder = open(parent_folder(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
}

void output_file::close_descriptor() {
  const int closed = close(std::exchange(descriptor_, -1));
  if (closed != 0) throw_errno(name_);
}

}  // namespace ballot::app
