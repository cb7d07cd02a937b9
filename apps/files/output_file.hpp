// SPDX-License-Identifier: Apache-2.0
// An output file that is written completely or not at all.
//
// A regular file is written to an unnamed file in the same folder, which replaces the target when
// it is complete. It has a random name if the file system has no unnamed files. So a run that fails
// or is interrupted leaves the old file as it was; a run that is killed (SIGKILL) may leave the
// file with the random name. A symbolic link is followed: its target is replaced, the link stays.
// Pipes, devices and standard output are written to directly.
//
// Bytes for a file whose name ends in .gz or .zst are compressed (compression.hpp).
#pragma once

#include <ballot/core/namespace.hpp>

#include "files/compression.hpp"
#include "files/unlinked_file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

struct stat;

namespace ballot::app {

// Whether the path names standard output: "-", or its descriptor (/dev/stdout, /dev/fd/1).
bool is_standard_output(const std::string& path);

class output_file {
 public:
  // "-" is standard output. level: of the compression; without, its usual one.
  explicit output_file(const std::string& path, std::optional<int> level = {});
  ~output_file();  // without commit(), the old file stays
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  const std::string& name() const { return name_; }  // as messages show it
  // Whether nobody sees any of it before commit().
  bool is_seen_when_complete() const { return !target_.empty(); }
  void write(std::span<const std::byte> bytes);
  // What the constructor would find. Opens and makes nothing.
  struct outlook {
    bool is_seen_when_complete = false;
    std::optional<std::uint64_t> replaces;  // the bytes of a file that is there
  };
  // Throws failure where the constructor would, for lack of rights or of a folder.
  static outlook look_at(const std::string& path);
  // The folder of the file that is made or replaced, after following links. Nothing where the path
  // is written to directly, or where the constructor would throw.
  static std::optional<std::string> folder_of(const std::string& path);
  // Throws failure, before any work, where share() would.
  static void require_shareable(const std::string& path);
  // In place of write(): makes the file so many bytes long and gives it a temporary name. By this
  // name other processes write into it before commit(). Throws failure where it is no regular file,
  // or is compressed.
  std::string share(std::uint64_t bytes);
  void commit();  // syncs to disk and puts the file in place, or throws failure

 private:
  void open_beside_target(const struct stat* old);  // null: there is none
  void open_target(const std::string& path);
  void write_coded(std::span<const std::byte> bytes);  // as it is to be in the file
  void close_descriptor();
  void start_writing_back();

  std::string name_;
  std::string target_;                            // after following links; empty: written directly
  std::optional<named_temporary_file> named_;     // if the new file has a random name
  std::uint64_t written_ = 0, written_back_ = 0;  // bytes written, and bytes whose write-back has begun
  std::unique_ptr<encoder> encoder_;
  int descriptor_ = -1;
};

}  // namespace ballot::app
