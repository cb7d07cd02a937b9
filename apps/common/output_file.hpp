// The output, which is there completely or not at all.
//
// A regular file is written under another name in the same directory and renamed over its target when it is complete,
// so a failed or interrupted run leaves the old file as it was. A symbolic link is followed: the file that it names is
// replaced, the link stays. Pipes, devices and standard output cannot be replaced and are written to directly.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

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
  void open_beside_target();
  void start_writing_back();

  std::string name_;
  std::string target_;                            // where links have been followed; empty: written directly
  std::string temporary_;                         // empty once it is gone
  std::size_t registered_ = 0;                    // for interruptions, while there is a temporary
  std::uint64_t written_ = 0, written_back_ = 0;  // bytes of the temporary, and those that are on their way to the disk
  int descriptor_ = -1;
};

}  // namespace ballot::app
