// SPDX-License-Identifier: Apache-2.0
#include "collision/frames.hpp"

#include "base/failure.hpp"
#include "files/unlinked_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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

std::uint64_t pictures_request::pictures_of(std::uint64_t steps) const {
  return every < steps ? 1 + (steps - 1 + every - 1) / every : 1;
}

std::string require_frames_folder(const std::string& folder) {
  struct stat status {};
  std::string written = folder;
  if (stat(folder.c_str(), &status) != 0) {
    if (errno != ENOENT) throw_errno(folder);
    if (lstat(folder.c_str(), &status) == 0) throw_errno(folder, ENOENT);  // a link to nothing
    while (written.size() > 1 && written.ends_with('/')) written.pop_back();
    written = parent_folder(written);
    if (stat(written.c_str(), &status) != 0) throw_errno(folder);
  }
  if (!S_ISDIR(status.st_mode)) throw_errno(folder, ENOTDIR);
  if (faccessat(AT_FDCWD, written.c_str(), W_OK | X_OK, AT_EACCESS) != 0) throw_errno(folder);
  return written;
}

picture_writer::picture_writer(const pictures_request& what, std::uint64_t steps) : what_(what), steps_(steps) {
  if (!what.file.empty()) file_.emplace(what.file);
  if (!what.folder.empty()) frames_beside_ = require_frames_folder(what.folder);
}

std::uint64_t picture_writer::steps_between() const {
  return what_.wants_film(steps_) || !what_.folder.empty() ? what_.every : steps_;
}

void picture_writer::begin(const scene& of) {
  painter_.emplace(what_.how, of, steps_ > 1);
  film_ = what_.wants_film(steps_) ? std::make_unique<webp_film>(what_.how.size, what_.pictures_a_second) : nullptr;
  kept_.clear();
  frames_.reset();
  if (!what_.folder.empty()) frames_.emplace(frames_beside_);
}

void picture_writer::write(std::uint64_t step, std::span<const sphere> objects, std::span<const object_pair> pairs) {
  const bool is_last = step == steps_;
  if (!is_last && !film_ && what_.folder.empty()) return;
  const image picture = painter_->paint(objects, pairs, steps_ > 1 ? step : 0);
  if (film_) film_->add(picture);
  if (!what_.folder.empty()) {
    const std::vector<std::byte> png = png_of(picture);
    kept_.push_back({step, frames_->size(), png.size()});
    frames_->append(png);
  }
  if (!is_last || !file_) return;
  if (!film_ && parse_picture_format(what_.file) == picture_format::png) {
    picture_ = png_of(picture);
    return;
  }
  if (!film_) {
    film_ = std::make_unique<webp_film>(what_.how.size, what_.pictures_a_second, true);
    film_->add(picture);
  }
  picture_ = film_->finish();
}

void picture_writer::write_file() {
  if (file_) file_->write(picture_);
}

void picture_writer::commit() {
  if (file_) file_->commit();
  if (frames_) commit_frames();
}

void picture_writer::commit_frames() {
  if (mkdir(what_.folder.c_str(), 0777) != 0 && errno != EEXIST) throw_errno(what_.folder);
  std::vector<std::byte> png;
  for (const kept_frame& kept : kept_) {
    png.resize(static_cast<std::size_t>(kept.bytes));
    frames_->read(kept.offset, png);
    output_file frame(fmt::format("{}/frame_{:06}.png", what_.folder, kept.step));
    frame.write(png);
    frame.commit();
    frames_->release(kept.offset, kept.bytes);
  }
}

}  // namespace ballot::app::collision
