// SPDX-License-Identifier: Apache-2.0
#include "files/compression.hpp"

#include <utility>

namespace ballot::app {
namespace {

constexpr std::pair<std::string_view, compression> by_extension[] = {{".gz", compression::gzip},
                                                                     {".zst", compression::zstd}};

}  // namespace

std::string_view name_of(compression c) {
  return c == compression::gzip ? "gzip" : c == compression::zstd ? "zstd" : "no compression";
}

compression compression_of_extension(std::string_view path) {
  for (const auto& [extension, value] : by_extension)
    if (path.size() > extension.size() && path.ends_with(extension)) return value;
  return compression::none;
}

std::string_view without_compression(std::string_view path) {
  for (const auto& [extension, value] : by_extension)
    if (path.size() > extension.size() && path.ends_with(extension))
      return path.substr(0, path.size() - extension.size());
  return path;
}

compression compression_of_magic(std::span<const std::byte> begin) {
  const auto byte = [&](std::size_t i) { return i < begin.size() ? std::to_integer<unsigned>(begin[i]) : 256u; };
  if (byte(0) == 0x1f && byte(1) == 0x8b && byte(2) == 8) return compression::gzip;
  if (byte(0) == 0x28 && byte(1) == 0xb5 && byte(2) == 0x2f && byte(3) == 0xfd) return compression::zstd;
  // A frame of zstd that is skipped, as pzstd writes one first.
  if ((byte(0) & 0xf0u) == 0x50 && byte(1) == 0x2a && byte(2) == 0x4d && byte(3) == 0x18) return compression::zstd;
  return compression::none;
}

level_range levels_of(compression c) { return c == compression::gzip ? level_range{1, 9, 6} : level_range{1, 19, 3}; }

std::unique_ptr<decoder> make_decoder(compression c) {
  return c == compression::gzip ? make_gzip_decoder() : make_zstd_decoder();
}

std::unique_ptr<encoder> make_encoder(compression c, std::optional<int> level) {
  const int chosen = level.value_or(levels_of(c).usual);
  return c == compression::gzip ? make_gzip_encoder(chosen) : make_zstd_encoder(chosen);
}

}  // namespace ballot::app
