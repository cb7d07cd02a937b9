// SPDX-License-Identifier: Apache-2.0
// A function for each of many items, on all cores.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/cpu/radix_passes.hpp"

#include <tbb/parallel_for.h>

#include <cstddef>

namespace ballot::app::cpu {

template <class F>
void for_each_item(std::size_t items, const F& f) {
  const parts pieces(items);
  tbb::parallel_for(std::size_t{0}, pieces.count(), [&](std::size_t p) {
    for (std::size_t i = pieces.begin(p), end = pieces.begin(p + 1); i < end; ++i) f(i);
  });
}

}  // namespace ballot::app::cpu
