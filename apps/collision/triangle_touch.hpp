// SPDX-License-Identifier: Apache-2.0
// Whether two triangles have a point in common, decided exactly: no rounding changes the answer.
//
// A triangle is all points of its three corners' convex hull. A triangle without area is a line or
// a point, and is tested as such. Two of them touch where an edge of one meets the other. The sign
// of a determinant says on which side of a plane or a line a point lies. It is summed in floats
// first, and exactly where that leaves the sign open. Source: Shewchuk, Adaptive Precision
// Floating-Point Arithmetic and Fast Robust Geometric Predicates, 1997.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/sphere.hpp"

#include <array>
#include <span>
#include <vector>

namespace ballot::app::collision {

using corner = std::array<float, 3>;
using triangle = std::array<corner, 3>;

// Coordinates are finite and at most largest_coordinate: readers of files refuse others, NaN among
// them. Symmetric, and the same for any order of the corners. A common point is enough.
bool touch(const triangle& a, const triangle& b);

// The pairs whose triangles touch, in their order. On all cores.
std::vector<object_pair> touching(std::span<const object_pair> pairs, std::span<const triangle> triangles);

}  // namespace ballot::app::collision
