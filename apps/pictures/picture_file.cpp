// SPDX-License-Identifier: Apache-2.0
#include "pictures/picture_file.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>
#include <png.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <memory>

namespace ballot::app {

static_assert(sizeof(colour) == 3, "both libraries read bytes: red, green, blue");

std::vector<std::byte> png_of(const image& picture) {
  png_image head{};
  head.version = PNG_IMAGE_VERSION;
  head.width = static_cast<png_uint_32>(picture.size.width);
  head.height = static_cast<png_uint_32>(picture.size.height);
  head.format = PNG_FORMAT_RGB;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(head);
  std::vector<std::byte> file(bytes);
  if (png_image_write_to_memory(&head, file.data(), &bytes, 0, picture.pixels.data(), 0, nullptr) == 0)
    throw failure(fmt::format("libpng: {}", head.message));
  file.resize(bytes);
  return file;
}

struct webp_film::encoder {
  picture_size size;
  std::int64_t pictures_a_second = 0, added = 0;
  WebPConfig config{};
  WebPAnimEncoder* animation = nullptr;

  ~encoder() { WebPAnimEncoderDelete(animation); }
  // When the next picture begins, in milliseconds. Rounded here, not for each picture: so the time
  // of a film is right to a millisecond, however long it is.
  int next_begin() const { return static_cast<int>((2000 * added + pictures_a_second) / (2 * pictures_a_second)); }
  [[noreturn]] void fail() const { throw failure(fmt::format("libwebp: {}", WebPAnimEncoderGetError(animation))); }
};

webp_film::webp_film(picture_size size, int pictures_a_second, bool is_single) : encoder_(std::make_unique<encoder>()) {
  encoder& e = *encoder_;
  e.size = size;
  e.pictures_a_second = pictures_a_second;
  WebPAnimEncoderOptions options{};
  if (WebPAnimEncoderOptionsInit(&options) == 0 || WebPConfigInit(&e.config) == 0)
    throw failure("libwebp: another version than the one that this program was built with");
  e.config.quality = is_single ? 85 : 65;
  e.config.method = 4;
  e.config.thread_level = 1;
  e.animation = WebPAnimEncoderNew(size.width, size.height, &options);
  if (e.animation == nullptr) throw failure("libwebp: no encoder for a film");
}

webp_film::~webp_film() = default;

void webp_film::add(const image& picture) {
  encoder& e = *encoder_;
  WebPPicture frame{};
  if (WebPPictureInit(&frame) == 0)
    throw failure("libwebp: another version than the one that this program was built with");
  const std::unique_ptr<WebPPicture, void (*)(WebPPicture*)> owner(&frame, WebPPictureFree);
  frame.use_argb = 1;
  frame.width = picture.size.width;
  frame.height = picture.size.height;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(picture.pixels.data());
  if (WebPPictureImportRGB(&frame, bytes, 3 * picture.size.width) == 0) throw failure("libwebp: out of memory");
  if (WebPAnimEncoderAdd(e.animation, &frame, e.next_begin(), &e.config) == 0) e.fail();
  ++e.added;
}

std::vector<std::byte> webp_film::finish() {
  encoder& e = *encoder_;
  WebPData data;
  WebPDataInit(&data);
  if (WebPAnimEncoderAdd(e.animation, nullptr, e.next_begin(), nullptr) == 0 ||
      WebPAnimEncoderAssemble(e.animation, &data) == 0)
    e.fail();
  const auto* const bytes = reinterpret_cast<const std::byte*>(data.bytes);
  std::vector<std::byte> file(bytes, bytes + data.size);
  WebPDataClear(&data);
  return file;
}

}  // namespace ballot::app
