// SPDX-License-Identifier: Apache-2.0
// The chapter's applications in several shapes: how they rank, and what a block takes.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/survey/chapter/flag_ranks.cuh>

namespace ballot::test {

template <class Ranks, class Shape>
struct ranking_way {
  using ranks = Ranks;
  using shape = Shape;
};
template <class Ranks>
using one_warp = ranking_way<Ranks, block::tile_shape<32, 1, 1>>;
template <class Ranks>
using rounds = ranking_way<Ranks, block::tile_shape<96, 3, 1>>;  // 3 warps, 288 items
template <class Ranks>
using by_four = ranking_way<Ranks, block::tile_shape<64, 2, 4>>;  // 512 items
template <class Ranks>
using default_shape = ranking_way<Ranks, survey::single_items>;

}  // namespace ballot::test
