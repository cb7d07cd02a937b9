// SPDX-License-Identifier: Apache-2.0
// A vectorised sort of 64-bit integers on one thread: Highway's vqsort, which takes the
// instructions of the machine that it runs on. A program built without Highway has none, and sorts
// by digits instead.
//
// 32-bit integers are sorted by digits everywhere: two passes are what is left of them in a bucket.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <span>

namespace ballot::app::cpu {

bool has_vector_sort();
void vector_sort(std::span<std::uint64_t> items);  // only where there is one

}  // namespace ballot::app::cpu
