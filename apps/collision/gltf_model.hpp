// SPDX-License-Identifier: Apache-2.0
// A glTF file as tinygltf reads it: JSON, buffers and their encodings.
#pragma once

#include <ballot/core/namespace.hpp>

#include <nlohmann/json.hpp>  // before tinygltf, which is told not to look for its own

#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#define TINYGLTF_NO_INCLUDE_JSON
#include <tiny_gltf.h>

#include <string>
#include <string_view>

namespace ballot::app::collision {

// .gltf or .glb. `folder`: where buffers that are files of their own lie. Throws failure. Numbers
// and indices are the file's own, and not checked.
tinygltf::Model load_gltf(const std::string& name, std::string_view bytes, const std::string& folder);

}  // namespace ballot::app::collision
