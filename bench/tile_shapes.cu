// SPDX-License-Identifier: Apache-2.0
// The measurements behind the tuning tables: one operation under several tile shapes, each checked
// against the first, beside the copy.
//
//     ballot_tile_shapes [LOG2_ITEMS [OPERATION]]     28 where none is given; the operations whose names hold OPERATION
//
// Prints a line a shape: the median of nine calls (stopwatch.hpp), GB/s, share of the speed of a
// copy of as many bytes. Shapes to try are written in tile_shapes_*.cu; the best goes into
// detail/tuning_*.cuh or device/*_launch.cuh with what was measured.
#include <ballot/core/namespace.hpp>

#include "inputs.hpp"
#include "tile_shapes.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

namespace ballot::bench {
namespace {

void compare(int log2_items, std::string_view wanted) {
  const std::uint64_t n = std::uint64_t{1} << log2_items;
  comparison of(n, 8 * n, scratch_of_sorts(n), wanted);
  keys<std::uint64_t>(key_spread{}).fill(of.input.data(), n, of.stream());
  compare_scans(of);
  compare_selections(of);
  compare_sorts(of);
}

}  // namespace
}  // namespace ballot::bench

int main(int argc, char** argv) {
  const int log2_items = argc > 1 ? std::atoi(argv[1]) : 28;
  if (argc > 3 || log2_items < 1 || log2_items > 30) {
    std::fprintf(stderr, "usage: ballot_tile_shapes [LOG2_ITEMS [OPERATION]], 1 to 30\n");
    return 2;
  }
  try {
    ballot::bench::compare(log2_items, argc > 2 ? argv[2] : "");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ballot_tile_shapes: %s\n", e.what());
    return 1;
  }
}
