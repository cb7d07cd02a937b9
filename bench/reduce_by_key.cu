// SPDX-License-Identifier: Apache-2.0
// Sums of the values of each run of equal keys. Keys: segment numbers (segments.hpp), in runs of 1
// to 3 items and of 1000 on average, and one run; or all different.
#include <ballot/core/namespace.hpp>

#include "reduce_by_key_of.cuh"
#include "segments.hpp"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_reduce_by_key(std::vector<operation>& all) {
  using key = std::uint32_t;
  using enum segment_spread;
  for (const segment_spread spread : {one, tiny, mean_1000}) {
    all.push_back(sums_by_key<key, std::int32_t>("reduce_by_key:" + name_of(spread), segment_numbers<key>(spread),
                                                 segments_an_item(spread)));
    all.push_back(sums_by_key<key, float>("reduce_by_key_f32:" + name_of(spread), segment_numbers<key>(spread),
                                          segments_an_item(spread)));
  }
  all.push_back(sums_by_key<key, std::int32_t>("reduce_by_key:distinct", positions(), 1));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
