// SPDX-License-Identifier: Apache-2.0
// What pictures of a run are written: one of the last step, a film, a folder of PNG files.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/painter.hpp"
#include "files/output_file.hpp"
#include "pictures/picture_file.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace ballot::app::collision {

enum class picture_format { png, webp };

// By the extension. Throws usage_error.
picture_format parse_picture_format(const std::string& path);

struct pictures_request {
  picture_request how;
  std::string file;    // .png: the last step; .webp: of several steps, a film. Empty: none
  std::string folder;  // frame_000001.png, ...; empty: none
  std::uint64_t every = 1;
  int milliseconds = 40;  // that a picture of the film is shown

  bool wants_film(std::uint64_t steps) const;
};

// Opens the file and makes the folder at once, before there is anything to write.
class picture_writer {
 public:
  picture_writer(const pictures_request& what, std::uint64_t steps);

  // Which steps have to be shown to write(): every so many, or only the last one.
  std::uint64_t steps_between() const;
  // From the first step on, the first time or again.
  void begin(const scene& of);
  void write(std::uint64_t step, std::span<const sphere> objects, std::span<const object_pair> pairs);
  void commit();

 private:
  const pictures_request& what_;
  std::uint64_t steps_;
  std::optional<output_file> file_;
  std::optional<painter> painter_;
  std::unique_ptr<webp_film> film_;
  std::vector<std::byte> picture_;
};

}  // namespace ballot::app::collision
