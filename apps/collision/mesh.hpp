// SPDX-License-Identifier: Apache-2.0
// Points and triangles from files of geometry: Wavefront OBJ, PLY, STL, and glTF by tinygltf.
//
// All but glTF are read by hand, for three reasons. The pairs that `collide` writes are numbers of
// the file's own vertices and faces, and libraries of scenes (assimp) renumber, merge and drop
// them; a face whose vertex does not exist is dropped without a word. A coordinate that is not a
// number has to be an error with its line; the small readers that are packaged (tinyobjloader) take
// it for 0, and assimp takes the nan of an STL. And numbers have to be rounded correctly, for equal
// pairs from equal scenes; assimp's are now and then the neighbouring float. Only a few lines of
// each format are read: positions and faces. Normals, colours, materials and everything else are
// skipped. glTF is a format of another size. tinygltf reads its JSON, its buffers and their
// encodings. It hands out the file's own numbers.
#pragma once

#include <ballot/core/namespace.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app::collision {

struct mesh {
  std::vector<std::array<float, 3>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  // polygons as fans around their first vertex
};

// Throw failure with file, and line or element, where there is something wrong.
mesh read_obj(const std::string& name, std::string_view text);
mesh read_ply(const std::string& name, std::string_view bytes);
// Triangles in the order of the file. Their corners are vertices of their own there: equal ones
// become one vertex here, numbered in the order in which they first come.
mesh read_stl(const std::string& name, std::string_view bytes);
// .gltf or .glb. The meshes of the default scene, as its nodes place them, depth first; the
// vertices of a mesh in the order of its primitives. `folder`: where buffers that are files of
// their own lie. Throws failure in a program without tinygltf.
mesh read_gltf(const std::string& name, std::string_view bytes, const std::string& folder);

// Shared by the readers. `where` is the file and line.
float parse_coordinate(std::string_view word, const std::string& where);
float require_coordinate(double value, const std::string& where);
void add_polygon(mesh& to, const std::vector<std::uint32_t>& corners);

// Takes the next word (blanks and tabs between them) off the front; empty at the end.
std::string_view next_word(std::string_view& line);
// Takes the next line off the front, without its end.
std::string_view next_line(std::string_view& text);

}  // namespace ballot::app::collision
