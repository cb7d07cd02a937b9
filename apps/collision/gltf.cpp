// SPDX-License-Identifier: Apache-2.0
// glTF 2.0: the nodes of the scene, and the accessors of positions and indices, with every number
// checked before it is used. tinygltf reads what is below (gltf_model.hpp).
#include "base/failure.hpp"
#include "base/text.hpp"
#include "collision/gltf_model.hpp"
#include "collision/mesh.hpp"
#include "collision/sphere.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

namespace ballot::app::collision {
namespace {

using matrix = std::array<double, 16>;  // by columns, as in the file
constexpr matrix identity{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

matrix product(const matrix& a, const matrix& b) {
  matrix c{};
  for (std::size_t column = 0; column < 4; ++column)
    for (std::size_t row = 0; row < 4; ++row)
      for (std::size_t k = 0; k < 4; ++k) c[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return c;
}

matrix placement_of(const tinygltf::Node& node) {
  matrix m = identity;
  if (node.matrix.size() == 16) {
    std::copy(node.matrix.begin(), node.matrix.end(), m.begin());
    return m;
  }
  if (node.rotation.size() == 4) {
    const double x = node.rotation[0], y = node.rotation[1], z = node.rotation[2], w = node.rotation[3];
    m = {1 - 2 * (y * y + z * z),
         2 * (x * y + z * w),
         2 * (x * z - y * w),
         0,
         2 * (x * y - z * w),
         1 - 2 * (x * x + z * z),
         2 * (y * z + x * w),
         0,
         2 * (x * z + y * w),
         2 * (y * z - x * w),
         1 - 2 * (x * x + y * y),
         0,
         0,
         0,
         0,
         1};
  }
  if (node.scale.size() == 3)
    for (std::size_t i = 0; i < 12; ++i) m[i] *= node.scale[i / 4];
  if (node.translation.size() == 3) std::copy(node.translation.begin(), node.translation.end(), m.begin() + 12);
  return m;
}

bool is_about_other_things(const std::string& extension) {
  constexpr std::string_view known[] = {"KHR_materials_", "KHR_texture_", "EXT_texture_",   "MSFT_texture_",
                                        "KHR_lights_",    "KHR_xmp",      "KHR_animation_", "KHR_mesh_quantization"};
  return std::any_of(std::begin(known), std::end(known), [&](std::string_view k) { return extension.starts_with(k); });
}

class gltf_reader {
 public:
  gltf_reader(const std::string& name, const tinygltf::Model& model) : name_(name), model_(model) {}

  mesh read() {
    for (const std::string& extension : model_.extensionsRequired)
      if (!is_about_other_things(extension))
        refuse(fmt::format("it requires {}, which is not read", in_quotes(extension)));
    was_placed_.resize(model_.nodes.size());
    if (model_.scenes.empty()) {
      // A file of meshes without a scene: each as it is.
      for (std::size_t m = 0; m < model_.meshes.size(); ++m) add_mesh(static_cast<int>(m), identity);
      return std::move(result_);
    }
    const int scene = model_.defaultScene < 0 ? 0 : model_.defaultScene;
    for (const int node : item(model_.scenes, scene, "scene").nodes) add_node(node, identity, 0);
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw failure(fmt::format("{}: {}", name_, what)); }

  template <class T>
  const T& item(const std::vector<T>& items, int i, const char* what) const {
    if (i < 0 || static_cast<std::size_t>(i) >= items.size())
      refuse(fmt::format("{} {} of {}, counted from 0", what, i, items.size()));
    return items[static_cast<std::size_t>(i)];
  }

  void add_node(int number, const matrix& above, int depth) {
    constexpr int deepest = 1000;
    const tinygltf::Node& node = item(model_.nodes, number, "node");
    if (was_placed_[static_cast<std::size_t>(number)]) refuse(fmt::format("node {} is in the scene twice", number));
    if (depth > deepest) refuse(fmt::format("nodes within nodes, more than {} deep", deepest));
    was_placed_[static_cast<std::size_t>(number)] = true;
    const matrix here = product(above, placement_of(node));
    if (node.mesh >= 0) add_mesh(node.mesh, here);
    for (const int child : node.children) add_node(child, here, depth + 1);
  }

  void add_mesh(int number, const matrix& where) {
    std::map<int, std::size_t> first_vertex;  // of the accessors that this mesh has used
    for (const tinygltf::Primitive& primitive : item(model_.meshes, number, "mesh").primitives) {
      const auto positions = primitive.attributes.find("POSITION");
      if (positions == primitive.attributes.end()) continue;  // it draws nothing
      const auto [entry, is_new] = first_vertex.emplace(positions->second, result_.vertices.size());
      const std::size_t count = item(model_.accessors, positions->second, "accessor").count;
      if (is_new) add_vertices(positions->second, where);
      add_faces(primitive, entry->second, count);
    }
  }

  // The bytes of item i of an accessor are at begin + i * stride.
  struct place {
    const unsigned char* begin = nullptr;
    std::size_t stride = 0;
  };
  place bytes_of(std::int64_t view_number, std::uint64_t offset, std::uint64_t count, std::size_t item_bytes,
                 const std::string& what, bool may_stride) const {
    if (count == 0) return {};
    if (view_number < 0 || view_number > 0x7fffffff) refuse(what + " has no buffer view");
    const tinygltf::BufferView& view = item(model_.bufferViews, static_cast<int>(view_number), "buffer view");
    const tinygltf::Buffer& buffer = item(model_.buffers, view.buffer, "buffer");
    const std::size_t stride = may_stride && view.byteStride != 0 ? view.byteStride : item_bytes;
    const std::uint64_t bytes = buffer.data.size();
    const bool fits = view.byteOffset <= bytes && view.byteLength <= bytes - view.byteOffset &&
                      offset <= view.byteLength && stride >= item_bytes && item_bytes <= view.byteLength - offset &&
                      (count - 1) <= (view.byteLength - offset - item_bytes) / stride;
    if (!fits) refuse(fmt::format("{} of {} items ends behind its buffer of {} bytes", what, count, bytes));
    return {buffer.data.data() + view.byteOffset + offset, stride};
  }

  template <class T>
  static double number_at(const unsigned char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  }
  double number(const unsigned char* at, int type, const std::string& what) const {
    switch (type) {
      case TINYGLTF_COMPONENT_TYPE_BYTE:
        return number_at<std::int8_t>(at);
      case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
        return number_at<std::uint8_t>(at);
      case TINYGLTF_COMPONENT_TYPE_SHORT:
        return number_at<std::int16_t>(at);
      case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
        return number_at<std::uint16_t>(at);
      case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
        return number_at<std::uint32_t>(at);
      case TINYGLTF_COMPONENT_TYPE_FLOAT:
        return number_at<float>(at);
      default:
        refuse(fmt::format("{}: the component type {} is none of glTF", what, type));
    }
  }
  std::size_t bytes_a_number(int type, const std::string& what) const {
    const int bytes = tinygltf::GetComponentSizeInBytes(static_cast<std::uint32_t>(type));
    if (bytes <= 0) refuse(fmt::format("{}: the component type {} is none of glTF", what, type));
    return static_cast<std::size_t>(bytes);
  }
  // For normalised integers, as the format says it.
  static double scale_of(const tinygltf::Accessor& a) {
    if (!a.normalized) return 1;
    switch (a.componentType) {
      case TINYGLTF_COMPONENT_TYPE_BYTE:
        return 1.0 / 127;
      case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
        return 1.0 / 255;
      case TINYGLTF_COMPONENT_TYPE_SHORT:
        return 1.0 / 32767;
      case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
        return 1.0 / 65535;
      default:
        return 1;
    }
  }

  void add_vertices(int accessor_number, const matrix& where) {
    const tinygltf::Accessor& a = item(model_.accessors, accessor_number, "accessor");
    const std::string what = fmt::format("accessor {}", accessor_number);
    if (a.type != TINYGLTF_TYPE_VEC3) refuse(what + " has positions, and is not of type VEC3");
    const std::size_t number_bytes = bytes_a_number(a.componentType, what);
    require_bytes(a, what);
    constexpr std::size_t most = 0x7fffffff;
    if (a.count > most - std::min(most, result_.vertices.size()))
      refuse(fmt::format("{} of {} items: too many", what, a.count));
    const place from =
        a.bufferView < 0 ? place{} : bytes_of(a.bufferView, a.byteOffset, a.count, 3 * number_bytes, what, true);
    const double scale = scale_of(a);
    const auto point_at = [&](const unsigned char* at) {
      std::array<double, 3> p{};
      for (std::size_t axis = 0; axis < 3 && at != nullptr; ++axis) {
        p[axis] = number(at + axis * number_bytes, a.componentType, what) * scale;
        if (a.normalized) p[axis] = std::max(p[axis], -1.0);
      }
      return p;
    };
    const std::size_t first = result_.vertices.size();
    result_.vertices.reserve(first + a.count);
    const auto place_vertex = [&](const std::array<double, 3>& p, std::uint64_t i) {
      std::array<float, 3> at{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double sum = where[axis] * p[0] + where[4 + axis] * p[1] + where[8 + axis] * p[2] + where[12 + axis];
        const bool is_usable = std::abs(sum) <= static_cast<double>(largest_coordinate);
        at[axis] = is_usable ? static_cast<float>(sum)
                             : require_coordinate(sum, fmt::format("{}: {}, item {}", name_, what, i));
      }
      return at;
    };
    for (std::size_t i = 0; i < a.count; ++i)
      result_.vertices.push_back(
          place_vertex(point_at(from.begin == nullptr ? nullptr : from.begin + i * from.stride), i));
    for_each_sparse_item(a, what, 3 * number_bytes, [&](std::size_t index, const unsigned char* at) {
      result_.vertices[first + index] = place_vertex(point_at(at), index);
    });
  }

  // Calls use(i, bytes) for each item i that the accessor replaces.
  template <class Use>
  void for_each_sparse_item(const tinygltf::Accessor& a, const std::string& what, std::size_t item_bytes,
                            const Use& use) const {
    if (!a.sparse.isSparse) return;
    const auto others = static_cast<std::int64_t>(a.sparse.count);
    if (others < 0 || static_cast<std::uint64_t>(others) > a.count)
      refuse(fmt::format("{} has {} sparse items", what, others));
    const auto& s = a.sparse;
    const std::size_t index_bytes = bytes_a_number(s.indices.componentType, what);
    const auto count = static_cast<std::uint64_t>(others);
    const place indices = bytes_of(s.indices.bufferView, static_cast<std::uint64_t>(s.indices.byteOffset), count,
                                   index_bytes, what, false);
    const place values =
        bytes_of(s.values.bufferView, static_cast<std::uint64_t>(s.values.byteOffset), count, item_bytes, what, false);
    for (std::size_t i = 0; i < count; ++i) {
      const double index = number(indices.begin + i * indices.stride, s.indices.componentType, what);
      if (!(index >= 0) || index != std::floor(index) || index >= static_cast<double>(a.count))
        refuse(fmt::format("{}: sparse item {} of {}", what, index, a.count));
      use(static_cast<std::size_t>(index), values.begin + i * values.stride);
    }
  }

  // Without a buffer view, zeros: no more than other values are given for, or a short file could
  // ask for all memory.
  void require_bytes(const tinygltf::Accessor& a, const std::string& what) const {
    if (a.bufferView >= 0) return;
    if (!a.sparse.isSparse) refuse(what + " has no buffer view");
    if (a.count > most_without_bytes) refuse(fmt::format("{} of {} items without bytes", what, a.count));
  }

  void add_faces(const tinygltf::Primitive& primitive, std::size_t first, std::size_t vertices) {
    const int mode = primitive.mode < 0 ? TINYGLTF_MODE_TRIANGLES : primitive.mode;
    if (mode < TINYGLTF_MODE_TRIANGLES) return;  // points and lines
    if (mode > TINYGLTF_MODE_TRIANGLE_FAN) refuse(fmt::format("a primitive of mode {}", mode));
    std::vector<std::uint32_t> corners;
    if (primitive.indices < 0) {
      for (std::size_t i = 0; i < vertices; ++i) corners.push_back(static_cast<std::uint32_t>(i));
    } else {
      const tinygltf::Accessor& a = item(model_.accessors, primitive.indices, "accessor");
      const std::string what = fmt::format("accessor {}", primitive.indices);
      if (a.type != TINYGLTF_TYPE_SCALAR || a.componentType == TINYGLTF_COMPONENT_TYPE_FLOAT)
        refuse(what + " has indices, and is not of whole numbers");
      const std::size_t number_bytes = bytes_a_number(a.componentType, what);
      require_bytes(a, what);
      const place from =
          a.bufferView < 0 ? place{} : bytes_of(a.bufferView, a.byteOffset, a.count, number_bytes, what, false);
      std::vector<double> indices(a.count);
      if (from.begin != nullptr)
        for (std::size_t i = 0; i < a.count; ++i)
          indices[i] = number(from.begin + i * from.stride, a.componentType, what);
      for_each_sparse_item(a, what, number_bytes, [&](std::size_t i, const unsigned char* at) {
        indices[i] = number(at, a.componentType, what);
      });
      corners.reserve(a.count);
      for (std::size_t i = 0; i < a.count; ++i) {
        if (!(indices[i] >= 0) || indices[i] >= static_cast<double>(vertices))
          refuse(fmt::format("{}, item {}: vertex {} of {}, counted from 0", what, i, indices[i], vertices));
        corners.push_back(static_cast<std::uint32_t>(indices[i]));
      }
    }
    if (mode == TINYGLTF_MODE_TRIANGLES && corners.size() % 3 != 0)
      refuse(fmt::format("{} corners of triangles: they are no multiple of 3", corners.size()));
    const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
      const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(first + corners[i]); };
      result_.triangles.push_back({at(a), at(b), at(c)});
    };
    for (std::size_t i = 2; i < corners.size(); ++i) {
      if (mode == TINYGLTF_MODE_TRIANGLE_FAN) add(0, i - 1, i);
      else if (mode == TINYGLTF_MODE_TRIANGLE_STRIP) add(i - 2, i % 2 == 0 ? i - 1 : i, i % 2 == 0 ? i : i - 1);
      else if (i % 3 == 2) add(i - 2, i - 1, i);
    }
  }

  static constexpr std::size_t most_without_bytes = std::size_t{1} << 24;

  const std::string& name_;
  const tinygltf::Model& model_;
  mesh result_;
  std::vector<bool> was_placed_;
};

}  // namespace

mesh read_gltf(const std::string& name, std::string_view bytes, const std::string& folder) {
  const tinygltf::Model model = load_gltf(name, bytes, folder);
  return gltf_reader(name, model).read();
}

}  // namespace ballot::app::collision
