// SPDX-License-Identifier: Apache-2.0
#include "collision/frames.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

namespace ballot::app::collision {

picture_format parse_picture_format(const std::string& path) {
  if (path.ends_with(".png")) return picture_format::png;
  if (path.ends_with(".webp")) return picture_format::webp;
  throw usage_error(path + ": the extension gives no format: pictures are written as .png or .webp");
}

bool pictures_request::wants_film(std::uint64_t steps) const {
  return steps > 1 && !file.empty() && parse_picture_format(file) == picture_format::webp;
}

picture_writer::picture_writer(const pictures_request& what, std::uint64_t steps) : what_(what), steps_(steps) {
  if (!what.file.empty()) file_.emplace(what.file);
  if (!what.folder.empty() && mkdir(what.folder.c_str(), 0777) != 0) {
    struct stat status {};
    if (errno != EEXIST) throw_errno(what.folder);
    if (stat(what.folder.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) throw_errno(what.folder, ENOTDIR);
  }
}

std::uint64_t picture_writer::steps_between() const {
  return what_.wants_film(steps_) || !what_.folder.empty() ? what_.every : steps_;
}

void picture_writer::begin(const scene& of) {
  painter_.emplace(what_.how, of, steps_ > 1);
  film_ = what_.wants_film(steps_) ? std::make_unique<webp_film>(what_.how.size, what_.milliseconds) : nullptr;
}

void picture_writer::write(std::uint64_t step, std::span<const sphere> objects, std::span<const object_pair> pairs) {
  const bool is_last = step == steps_;
  if (!is_last && !film_ && what_.folder.empty()) return;
  const image picture = painter_->paint(objects, pairs, steps_ > 1 ? step : 0);
  if (film_) film_->add(picture);
  if (!what_.folder.empty()) {
    output_file frame(fmt::format("{}/frame_{:06}.png", what_.folder, step));
    frame.write(png_of(picture));
    frame.commit();
  }
  if (!is_last || !file_) return;
  if (!film_ && parse_picture_format(what_.file) == picture_format::png) {
    picture_ = png_of(picture);
    return;
  }
  if (!film_) {
    film_ = std::make_unique<webp_film>(what_.how.size, what_.milliseconds, true);
    film_->add(picture);
  }
  picture_ = film_->finish();
}

void picture_writer::commit() {
  if (!file_) return;
  file_->write(picture_);
  file_->commit();
}

}  // namespace ballot::app::collision
