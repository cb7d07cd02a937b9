// SPDX-License-Identifier: Apache-2.0
// A picture in memory: 8 bits a colour, sRGB, rows from the top.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ballot::app {

struct colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};

struct picture_size {
  int width = 0, height = 0;
};

struct image {
  explicit image(picture_size of) : size(of), pixels(std::size_t(of.width) * std::size_t(of.height)) {}

  colour& at(int x, int y) { return pixels[std::size_t(y) * std::size_t(size.width) + std::size_t(x)]; }

  picture_size size;
  std::vector<colour> pixels;
};

}  // namespace ballot::app
