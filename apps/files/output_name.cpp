// SPDX-License-Identifier: Apache-2.0
#include "files/output_name.hpp"

#include "base/failure.hpp"
#include "files/compression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ballot::app {
namespace {

constexpr std::string_view known_extensions[] = {
    ".npy",     ".txt", ".raw",  ".bin", ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".arrows",
    ".feather", ".sgy", ".segy", ".obj", ".ply", ".stl", ".gltf",  ".glb",    ".png",     ".webp"};

}  // namespace

std::string_view extension_of(std::string_view path) {
  path = without_compression(path);
  const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
  const std::size_t name = slash == std::string_view::npos ? 0 : slash + 1;
  return dot == std::string_view::npos || dot <= name ? std::string_view{} : path.substr(dot);
}

void require_extension(const std::string& output, std::initializer_list<std::string_view> fitting,
                       std::string_view what) {
  const std::string_view extension = extension_of(output);
  if (std::find(std::begin(known_extensions), std::end(known_extensions), extension) == std::end(known_extensions))
    return;
  if (std::find(fitting.begin(), fitting.end(), extension) != fitting.end()) return;
  throw usage_error(fmt::format("{}: the extension is {}, but the output would be {}", output, extension, what));
}

bool have_same_extension(std::string_view a, std::string_view b) {
  return !extension_of(a).empty() && extension_of(a) == extension_of(b);
}

}  // namespace ballot::app
