// SPDX-License-Identifier: Apache-2.0
// Whether a list of pairs is the answer, found out without a grid.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/sphere.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ballot::app::collision {

// The objects that are compared with all others: all of up to 20,000, of more a sample.
std::vector<std::uint32_t> objects_to_ask(std::uint64_t n);

// Every pair of the list has a < b, follows the one before it, and touches; and no other pair does.
// The last is tried for all pairs of up to 20,000 objects, and beyond for some hundred objects,
// taken at random, against all. Throws verification_failure.
void verify_pairs(std::span<const sphere> objects, std::span<const object_pair> pairs);

}  // namespace ballot::app::collision
