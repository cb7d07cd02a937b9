// SPDX-License-Identifier: Apache-2.0
// Any bytes as OBJ, PLY and STL: either a failure, or a mesh whose triangles have corners that
// exist and whose coordinates can be computed with.
#include "sound_mesh.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace ballot::app::collision;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  require_sound([&] { return read_obj("x", bytes); });
  require_sound([&] { return read_ply("x", bytes); });
  require_sound([&] { return read_stl("x", bytes); });
  return 0;
}
