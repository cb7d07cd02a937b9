// The output, which is there completely or not at all.
//
// A regular file is written as a file without a name, or under another one where the file system has no such files, in
// the same folder, and takes the place of its target when it is complete. So a run that fails or is interrupted leaves
// the old file as it was; one that is killed (SIGKILL) may leave the other name, if there is one. A symbolic link is followed: the file that it names is
// replaced, the link stays. Pipes, devices and standard output cannot be replaced and are written to directly.
#pragma once

#include <ballot/core/namespace.hpp>

#include "files/unlinked_file.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

struct stat;

namespace ballot::app {

class output_file {
 public:
  explicit output_file(const std::string& path);  // "-" is standard output
  ~output_file();                                 // without commit(): whatever was there before is there still
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  const std::string& name() const { return name_; }  // as messages show it
  void write(std::span<const std::byte> bytes);
  void commit();  // on the disk and under its name, or failure

 private:
  void open_beside_target(const struct stat* old);  // null: there is none
  void close_descriptor();
  void start_writing_back();

  std::string name_;
  std::string target_;                            // where links have been followed; empty: written directly
  std::optional<named_temporary_file> named_;     // where the new file could not be without a name
  std::uint64_t written_ = 0, written_back_ = 0;  // bytes of the new file, and those that are on their way to the disk
  int descriptor_ = -1;
};

}  // namespace ballot::app
