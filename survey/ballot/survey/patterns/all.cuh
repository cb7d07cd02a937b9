// SPDX-License-Identifier: Apache-2.0
// All block patterns, and a list of their types.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/brent_kung.cuh>
#include <ballot/survey/patterns/kogge_stone.cuh>
#include <ballot/survey/patterns/radix_brent_kung.cuh>
#include <ballot/survey/patterns/radix_brent_kung_fused.cuh>
#include <ballot/survey/patterns/radix_raking_reduce_scan.cuh>
#include <ballot/survey/patterns/radix_serial.cuh>
#include <ballot/survey/patterns/radix_sklansky.cuh>
#include <ballot/survey/patterns/raking_reduce_scan.cuh>
#include <ballot/survey/patterns/reduce_scan.cuh>
#include <ballot/survey/patterns/sklansky.cuh>

namespace ballot::survey {

template <class... Patterns>
struct pattern_list {
  // visit(Pattern{}) for each.
  template <class Visit>
  static void for_each(Visit&& visit) {
    (visit(Patterns{}), ...);
  }
};

using all_patterns = pattern_list<kogge_stone, sklansky, brent_kung, reduce_scan, raking_reduce_scan, radix_brent_kung,
                                  radix_brent_kung_fused, radix_sklansky, radix_serial, radix_raking_reduce_scan>;

}  // namespace ballot::survey
