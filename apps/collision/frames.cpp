// SPDX-License-Identifier: Apache-2.0
#include "collision/frames.hpp"

#include "base/failure.hpp"
#include "files/output_file.hpp"

#include <fmt/format.h>
#include <png.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <vector>

namespace ballot::app::collision {
namespace {

struct colour {
  std::uint8_t red, green, blue;
};

constexpr colour background{16, 18, 24}, alone{92, 148, 210}, colliding{250, 140, 40};

colour shaded(const colour& c, double light) {
  const auto part = [&](std::uint8_t v) { return static_cast<std::uint8_t>(std::lround(v * light)); };
  return {part(c.red), part(c.green), part(c.blue)};
}

std::vector<std::byte> png_of(const std::vector<colour>& pixels, int size) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = static_cast<png_uint_32>(size);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::byte> file(bytes);
  if (png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels.data(), 0, nullptr) == 0)
    throw failure(fmt::format("libpng: {}", image.message));
  file.resize(bytes);
  return file;
}

}  // namespace

frame_folder::frame_folder(const std::string& path, int size, const bounding_box& box, float largest_radius)
    : path_(path), size_(size), low_z_(box.low[2]), high_z_(box.high[2]) {
  if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) throw_errno(path);
  const auto from = [&](int axis) { return static_cast<double>(box.low[axis]) - static_cast<double>(largest_radius); };
  const auto to = [&](int axis) { return static_cast<double>(box.high[axis]) + static_cast<double>(largest_radius); };
  const double extent = std::max({to(0) - from(0), to(1) - from(1), 1e-30});
  pixels_a_unit_ = size / extent;
  middle_x_ = (from(0) + to(0)) / 2;
  middle_y_ = (from(1) + to(1)) / 2;
}

void frame_folder::write(std::uint64_t step, std::span<const sphere> objects,
                         std::span<const object_pair> pairs) const {
  std::vector<bool> collides(objects.size());
  for (const object_pair& pair : pairs) collides[pair.a] = collides[pair.b] = true;

  const auto pixels = static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_);
  std::vector<colour> picture(pixels, background);
  std::vector<float> height(pixels, -std::numeric_limits<float>::infinity());
  const double depth = std::max(static_cast<double>(high_z_) - static_cast<double>(low_z_), 1e-30);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const sphere& s = objects[i];
    const double x = size_ / 2.0 + (s.x - middle_x_) * pixels_a_unit_;
    const double y = size_ / 2.0 - (s.y - middle_y_) * pixels_a_unit_;  // y upwards
    const double radius = std::max(s.radius * pixels_a_unit_, 0.75);    // a point is a pixel at least
    const auto within = [&](double at) { return std::clamp(static_cast<int>(std::floor(at)), 0, size_ - 1); };
    for (int row = within(y - radius); row <= within(y + radius); ++row) {
      for (int column = within(x - radius); column <= within(x + radius); ++column) {
        const double dx = column + 0.5 - x, dy = row + 0.5 - y, inside = 1 - (dx * dx + dy * dy) / (radius * radius);
        if (inside < 0) continue;
        const double bulge = std::sqrt(inside);
        const auto place =
            static_cast<std::size_t>(row) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(column);
        const auto z = static_cast<float>(s.z + bulge * s.radius);
        if (z < height[place]) continue;
        height[place] = z;
        const double near = std::clamp((s.z - low_z_) / depth, 0.0, 1.0);
        picture[place] = shaded(collides[i] ? colliding : alone, (0.4 + 0.6 * near) * (0.55 + 0.45 * bulge));
      }
    }
  }
  const std::string name = fmt::format("{}/frame_{:06}.png", path_, step);
  output_file file(name);
  file.write(png_of(picture, size_));
  file.commit();
}

}  // namespace ballot::app::collision
