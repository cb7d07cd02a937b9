// SPDX-License-Identifier: Apache-2.0
// What pictures of a run are written: one of the last step, a film, a folder of PNG files.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/painter.hpp"
#include "files/output_file.hpp"
#include "files/temporary_file.hpp"
#include "pictures/picture_file.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ballot::app::collision {

enum class picture_format { png, webp };

// By the extension. Throws usage_error.
picture_format parse_picture_format(const std::string& path);

struct pictures_request {
  picture_request how;
  std::string file;    // .png: the last step; .webp: of several steps, a film. Empty: none
  std::string folder;  // frame_000001.png, ...; empty: none
  std::uint64_t every = 1;
  int pictures_a_second = 25;  // of the film

  bool wants_film(std::uint64_t steps) const;
  // How many pictures a film or a folder gets: the first step, every `every`-th step after it, and
  // the last. If there are no more than `every` steps, only the last.
  std::uint64_t pictures_of(std::uint64_t steps) const;
};

// The folder itself, or the one that it is to be made in. Throws failure where nothing can be
// written there, or where the name is no folder's.
std::string require_frames_folder(const std::string& folder);

// Opens the file, and makes sure that the folder can be written, before there is anything to write.
// Until commit() the pictures of the folder are in a temporary file. So a run that fails leaves no
// folder, and no picture in it is replaced.
class picture_writer {
 public:
  picture_writer(const pictures_request& what, std::uint64_t steps);

  // Which steps have to be shown to write(): every so many, or only the last one.
  std::uint64_t steps_between() const;
  // From the first step on, the first time or again.
  void begin(const scene& of);
  void write(std::uint64_t step, std::span<const sphere> objects, std::span<const object_pair> pairs);
  // Writes the file, which nobody sees before commit().
  void write_file();
  void commit();

 private:
  struct kept_frame {
    std::uint64_t step, offset, bytes;  // in the temporary file
  };
  void commit_frames();

  const pictures_request& what_;
  std::uint64_t steps_;
  std::optional<output_file> file_;
  std::string frames_beside_;  // the folder of the temporary file
  std::optional<temporary_file> frames_;
  std::vector<kept_frame> kept_;
  std::optional<painter> painter_;
  std::unique_ptr<webp_film> film_;
  std::vector<std::byte> picture_;
};

}  // namespace ballot::app::collision
