// New files, without a name where the file system can have such: whatever ends the program, SIGKILL too, they are gone.
#pragma once

#include <ballot/core/namespace.hpp>

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace ballot::app {

// The folder that a path is in: "." where it names none.
std::string parent_folder(const std::string& path);

// A file in the folder that has no name and can be given one; -1 where the file system has no such files. Throws
// failure, about `shown`, where there can be no new file at all.
int open_unlinked(const std::string& folder, mode_t mode, const std::string& shown);

// A file under a name that cannot be foreseen, for where there are no others. Signals that end the program remove it.
class named_temporary_file {
 public:
  named_temporary_file(const std::string& folder, mode_t mode, const std::string& shown);
  // The file that a descriptor of open_unlinked() is of gets such a name.
  named_temporary_file(int unlinked, const std::string& folder, const std::string& shown);
  ~named_temporary_file();  // the name is removed, unless it was renamed
  named_temporary_file(const named_temporary_file&) = delete;
  named_temporary_file& operator=(const named_temporary_file&) = delete;

  int descriptor() const { return descriptor_; }  // whoever made the file closes it
  void rename_to(const std::string& target, const std::string& shown);

 private:
  explicit named_temporary_file(const std::string& folder);

  std::string path_;
  std::size_t registered_;
  bool is_there_ = false;
  int descriptor_ = -1;
};

// Gives the file of such a descriptor this name, if nothing has it yet.
bool link_to_path(int unlinked, const std::string& path, const std::string& shown);

}  // namespace ballot::app
