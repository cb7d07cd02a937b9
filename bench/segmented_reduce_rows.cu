// SPDX-License-Identifier: Apache-2.0
// Sums of rows of doubles and of floats, of lengths that are no powers of two; and of long segments
// of floats by offsets.
#include <ballot/core/namespace.hpp>

#include "segmented_reduce_of.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_row_reductions(std::vector<operation>& all) {
  for (const std::uint64_t length : {27, 99, 333, 1000, 131'000})
    all.push_back(sums_of_rows<double>("segmented_reduce_rows_f64", length));
  for (const std::uint64_t length : {9000, 33'000, 131'000})
    all.push_back(sums_by_even_offsets<float>("segmented_reduce_long_f32", length));
  for (const std::uint64_t length : {31, 333}) all.push_back(sums_of_rows<float>("segmented_reduce_rows_f32", length));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
