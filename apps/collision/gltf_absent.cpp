// SPDX-License-Identifier: Apache-2.0
// Stands in for the reader of glTF in a program built without tinygltf.
#include "base/failure.hpp"
#include "collision/mesh.hpp"

namespace ballot::app::collision {

mesh read_gltf(const std::string& name, std::string_view, const std::string&) {
  throw failure(name + ": this program was built without tinygltf (Debian, Ubuntu: libtinygltf-dev), which reads glTF");
}

}  // namespace ballot::app::collision
