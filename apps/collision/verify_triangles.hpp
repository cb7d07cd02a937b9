// SPDX-License-Identifier: Apache-2.0
// Checks a list of touching triangles against the triangles, without the test and without the
// spheres that found it.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/triangle_touch.hpp"

#include <span>

namespace ballot::app::collision {

// The same question as touch(), answered in whole numbers.
bool touch_in_whole_numbers(const triangle& a, const triangle& b);

// Throws verification_failure unless `touching` is those of the pairs of spheres whose triangles
// touch, in the same order, and no touching triangle is missing: up to 20,000 triangles each of
// them is compared with all others, of more a sample.
void verify_triangles(std::span<const triangle> triangles, std::span<const object_pair> of_spheres,
                      std::span<const object_pair> touching);

}  // namespace ballot::app::collision
