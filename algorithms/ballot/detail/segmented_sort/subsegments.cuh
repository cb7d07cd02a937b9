// Segments that no block can hold, in pieces: what of them lies in one range of the items, in order by itself.
//
//     ranges      |       |       |       |       |
//     segment         [ 0 |   1   |   2   | 3 ]           four pieces, at most as long as a range; ends of ranges are ends of pieces
//
// A block that orders the short segments of its range orders the pieces there, too, and writes down whose they are;
// then pieces are merged (merge_kernel.cuh). A range has at most two: of the segment that reaches into it, and
// of the one that reaches out of it.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::detail {

// Items [begin, end) of segment [segment_begin, segment_end). None, if it is empty.
struct subsegment {
  std::uint64_t segment_begin = 0, segment_end = 0;
  std::uint64_t begin = 0, end = 0;
};

// What the block of a range writes down.
struct tile_subsegments {
  enum finding : std::uint32_t { none = 0, reaches_in = 1, reaches_out = 2, disordered = 4 };
  std::uint32_t* findings;   // [range]
  subsegment* reaching_in;   // [range]: written where the findings say so
  subsegment* reaching_out;  // [range]
};

}  // namespace ballot::detail
