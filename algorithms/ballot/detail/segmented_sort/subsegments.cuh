// SPDX-License-Identifier: Apache-2.0
// Subsegments: the parts of a segment that no block can hold. Each is the part of the segment in
// one tile, and is sorted by itself.
//
//     tiles       |       |       |       |       |
//     segment         [ 0 |   1   |   2   | 3 ]         four subsegments; they end where tiles end
//
// The block that sorts the short segments of its tile also sorts the subsegments there, and records
// to which segments they belong. Then subsegments are merged (merge_kernel.cuh). A tile has two at
// most: one of the segment that reaches into it, and one of the segment that reaches out of it.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::detail {

// Items [begin, end) of segment [segment_begin, segment_end). Empty: none.
struct subsegment {
  std::uint64_t segment_begin = 0, segment_end = 0;
  std::uint64_t begin = 0, end = 0;
};

// The records of the blocks.
struct tile_subsegments {
  enum finding : std::uint32_t { none = 0, reaches_in = 1, reaches_out = 2, disordered = 4 };
  std::uint32_t* findings;   // [tile]
  subsegment* reaching_in;   // [tile]: written where the findings say so
  subsegment* reaching_out;  // [tile]
};

// Tiles that the kernel of short segments does not sort, but leaves to the next kernel, in no
// order. Zero at launch.
struct remaining_tiles {
  std::uint32_t* tiles;    // the number of each tile plus one; null: there are none
  std::uint32_t* count;    // how many tiles are in the list
  std::uint32_t* decided;  // for how many tiles it is known whether they are in the list
};

}  // namespace ballot::detail
