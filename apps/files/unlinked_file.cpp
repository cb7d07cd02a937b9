// SPDX-License-Identifier: Apache-2.0
#include "files/unlinked_file.hpp"

#include "base/failure.hpp"
#include "files/signal_cleanup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>

namespace ballot::app {
namespace {

std::string random_name(const std::string& folder) {
  std::uint64_t random[2];
  if (getrandom(random, sizeof random, 0) != sizeof random) throw_errno("getrandom");
  return fmt::format("{}/.ballot-{:016x}{:016x}", folder, random[0], random[1]);
}

// The only name that the file has.
std::string name_by_descriptor(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

bool make_link(int unlinked, const std::string& path) {
  return linkat(AT_FDCWD, name_by_descriptor(unlinked).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace

std::string parent_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

int open_unlinked(const std::string& folder, mode_t mode, const std::string& shown) {
  const int descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (descriptor < 0) {
    // EOPNOTSUPP: the file system has no unnamed files. EISDIR, ENOENT, EINVAL: the kernel does not
    // know O_TMPFILE, or the folder does not exist. The caller then tries a file with a name, which
    // reports a missing folder.
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL) throw_errno(shown);
    return -1;
  }
  if (access(name_by_descriptor(descriptor).c_str(), F_OK) == 0) return descriptor;
  close(descriptor);  // without /proc it could never get a name
  return -1;
}

void require_place_for_files(const std::string& folder, const std::string& shown) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) throw_errno(shown);
  if (!S_ISDIR(status.st_mode)) throw_errno(shown, ENOTDIR);
  if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) throw_errno(shown);
}

bool link_to_path(int unlinked, const std::string& path, const std::string& shown) {
  if (make_link(unlinked, path)) return true;
  if (errno != EEXIST) throw_errno(shown);
  return false;
}

// Registered before it exists: a signal at any point then finds the name.
named_temporary_file::named_temporary_file(const std::string& folder)
    : path_(random_name(folder)), registered_(remove_on_signal(path_)) {}

named_temporary_file::named_temporary_file(const std::string& folder, mode_t mode, const std::string& shown)
    : named_temporary_file(folder) {
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (descriptor_ < 0) throw_errno(shown);  // the destructor runs: another constructor has ended
  is_there_ = true;
}

named_temporary_file::named_temporary_file(int unlinked, const std::string& folder, const std::string& shown)
    : named_temporary_file(folder) {
  if (!make_link(unlinked, path_)) throw_errno(shown);
  is_there_ = true;
  descriptor_ = unlinked;
}

named_temporary_file::~named_temporary_file() {
  if (is_there_) unlink(path_.c_str());
  keep_on_signal(registered_);
}

void named_temporary_file::rename_to(const std::string& target, const std::string& shown) {
  if (rename(path_.c_str(), target.c_str()) != 0) throw_errno(shown);
  is_there_ = false;
}

}  // namespace ballot::app
