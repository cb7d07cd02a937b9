// SPDX-License-Identifier: Apache-2.0
// Pictures as files: PNG by libpng; WebP, which can also hold a film, by libwebp.
#pragma once

#include <ballot/core/namespace.hpp>

#include "pictures/image.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ballot::app {

std::vector<std::byte> png_of(const image& picture);

// A film that repeats, or a single picture. Lossy: a picture with quality 85 (of 100), those of a
// film with 65.
class webp_film {
 public:
  // Up to 1000 pictures a second. Picture i begins at the whole millisecond nearest to its time.
  webp_film(picture_size size, int pictures_a_second, bool is_single = false);
  ~webp_film();
  webp_film(const webp_film&) = delete;
  webp_film& operator=(const webp_film&) = delete;

  void add(const image& picture);
  std::vector<std::byte> finish();

 private:
  struct encoder;
  std::unique_ptr<encoder> encoder_;
};

}  // namespace ballot::app
