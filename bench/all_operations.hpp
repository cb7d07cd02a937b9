// SPDX-License-Identifier: Apache-2.0
// The lists of operations, and how the peers of two releases of CUB come together in one operation.
#pragma once

#include <ballot/core/namespace.hpp>

#include "operations.hpp"

#include <string>
#include <vector>

namespace ballot::bench {

// For each peer (peer.hpp): the operations of ballot_bench, those of the grid, and the version of
// CUB, "3.0.1". `quick`: fewer distributions.
inline namespace BALLOT_BENCH_PEER {
std::vector<operation> operations_with_peers(const key_spreads& spreads);
std::vector<operation> grid_operations_with_peers(bool quick);
std::string cub_version();
}  // namespace BALLOT_BENCH_PEER
#if BALLOT_BENCH_IS_TOOLKIT && defined(BALLOT_BENCH_HAS_NEWEST)
namespace newest {
std::vector<operation> operations_with_peers(const key_spreads& spreads);
std::vector<operation> grid_operations_with_peers(bool quick);
std::string cub_version();
}  // namespace newest
#endif

// CUB and Thrust of `newer`, as "cub_newest" and "thrust_newest" behind the contenders of the
// operations in `all` of the same names.
void add_peers(std::vector<operation>& all, std::vector<operation> newer);

// Everything that ballot_bench measures.
std::vector<operation> all_operations(const key_spreads& spreads);
// And everything that the grid does, without what does not belong to it.
std::vector<operation> grid_operations(bool quick);
// Lets all ranges of every operation begin so many items behind an aligned address. The name says
// it: "from_1".
void begin_all_at(std::vector<operation>& tasks, std::uint64_t offset_items);
// Of the newest peer; empty where there is none.
std::string newest_cub_version();

}  // namespace ballot::bench
