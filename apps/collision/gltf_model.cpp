// SPDX-License-Identifier: Apache-2.0
#define TINYGLTF_IMPLEMENTATION
#include "collision/gltf_model.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ballot::app::collision {
namespace {

// The library goes into values within values as deep as they come: too deep, and the stack ends.
void require_shallow(const std::string& name, std::string_view json) {
  constexpr int deepest = 500;
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      else if (c == '"') in_text = false;
      continue;
    }
    in_text = c == '"';
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    if (depth > deepest) throw failure(fmt::format("{}: JSON within JSON, more than {} deep", name, deepest));
  }
}

// The JSON of a .glb, which is its first piece; a .gltf is all JSON.
std::string_view json_of(std::string_view bytes) {
  constexpr std::size_t header = 20;
  if (!bytes.starts_with("glTF")) return bytes;
  if (bytes.size() < header) return {};
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 12, sizeof length);
  return bytes.substr(header, length);
}

// Pictures are no part of a mesh.
bool leave_image_out(tinygltf::Image*, const int, std::string*, std::string*, int, int, const unsigned char*, int,
                     void*) {
  return true;
}

}  // namespace

tinygltf::Model load_gltf(const std::string& name, std::string_view bytes, const std::string& folder) {
  constexpr std::size_t most_bytes = 0xffffffffu;  // as the library and the binary format have it
  if (bytes.size() > most_bytes) throw failure(fmt::format("{}: {} bytes: glTF ends at 4 GiB", name, bytes.size()));
  require_shallow(name, json_of(bytes));
  tinygltf::TinyGLTF loader;
  loader.SetImageLoader(leave_image_out, nullptr);
  tinygltf::Model model;
  std::string problems, warnings;
  const auto length = static_cast<unsigned>(bytes.size());
  bool is_read = false;
  try {
    is_read = bytes.starts_with("glTF")
                  ? loader.LoadBinaryFromMemory(&model, &problems, &warnings,
                                                reinterpret_cast<const unsigned char*>(bytes.data()), length, folder)
                  : loader.LoadASCIIFromString(&model, &problems, &warnings, bytes.data(), length, folder);
  } catch (const nlohmann::json::exception& problem) {
    problems = problem.what();
  }
  if (!is_read) {
    std::replace(problems.begin(), problems.end(), '\n', ' ');
    problems = problems.substr(0, 200);
    throw failure(fmt::format("{}: not glTF that can be read: {}", name,
                              trimmed(problems).empty() ? "no reason is given" : trimmed(problems)));
  }
  return model;
}

}  // namespace ballot::app::collision
