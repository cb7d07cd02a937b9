// SPDX-License-Identifier: Apache-2.0
// New files. They have no name if the file system supports that, and so vanish however the program
// ends, even by SIGKILL.
#pragma once

#include <ballot/core/namespace.hpp>

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace ballot::app {

// The folder of a path; "." if it names none.
std::string parent_folder(const std::string& path);

// Opens a new file in the folder that has no name and can be given one; -1 if the file system does
// not support that. Throws failure, with `shown` as the name, if no file can be made there.
int open_unlinked(const std::string& folder, mode_t mode, const std::string& shown);

// Throws failure, with `shown` as the name, if no file can be made in the folder. Makes none.
void require_place_for_files(const std::string& folder, const std::string& shown);

// A file with a random name, for file systems without unnamed files. Signals that end the program
// remove it.
class named_temporary_file {
 public:
  named_temporary_file(const std::string& folder, mode_t mode, const std::string& shown);
  // Gives such a name to the file of a descriptor of open_unlinked().
  named_temporary_file(int unlinked, const std::string& folder, const std::string& shown);
  ~named_temporary_file();  // removes the name, unless it was renamed
  named_temporary_file(const named_temporary_file&) = delete;
  named_temporary_file& operator=(const named_temporary_file&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }  // closed by the caller that opened it
  void rename_to(const std::string& target, const std::string& shown);

 private:
  explicit named_temporary_file(const std::string& folder);

  std::string path_;
  std::size_t registered_;
  bool is_there_ = false;
  int descriptor_ = -1;
};

// Gives the file of a descriptor of open_unlinked() this name. False if the name is taken.
bool link_to_path(int unlinked, const std::string& path, const std::string& shown);

}  // namespace ballot::app
