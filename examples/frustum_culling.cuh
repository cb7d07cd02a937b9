// SPDX-License-Identifier: Apache-2.0
// Frustum culling: which bounding spheres a camera may see. The lists of several cameras are in one
// range, one behind the other.
//
// Before: a separate list for each camera, with room for all objects. Or each count was copied to
// the host, to know where the next list begins.
//
// The second list is appended at the count that the first call leaves on the device.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/compact.cuh>
#include <ballot/outputs.cuh>

#include <cstdint>
#include <span>

namespace examples {

struct spheres {
  std::span<const float> x, y, z, radius;
};

// Planes with normals to the inside: a sphere is outside if it lies behind one of them as a whole.
struct frustum {
  struct plane {
    float x, y, z, distance;
  };
  plane planes[6];

  __host__ __device__ bool operator()(float x, float y, float z, float radius) const {
    bool may_be_seen = true;
    for (const plane& p : planes) may_be_seen &= p.x * x + p.y * y + p.z * z + p.distance >= -radius;
    return may_be_seen;
  }
};

inline std::size_t cull_scratch_bytes(std::uint64_t n) {
  return ballot::compact_indices_scratch_bytes<std::uint32_t, float, float, float, float>(n);
}

// visible: the objects that `left` sees, and behind them those that `right` sees. counts: the
// lengths of both lists, on the device.
inline void cull_for_two(const ballot::exec& gpu, const spheres& of, const frustum& left, const frustum& right,
                         std::span<std::uint32_t> visible, std::uint32_t* counts) {
  const ballot::zip objects{of.x, of.y, of.z, of.radius};
  ballot::compact_indices(gpu, objects, left, visible, counts);
  ballot::compact_indices(gpu, objects, right, ballot::appended{visible, counts}, counts + 1);
}

}  // namespace examples
