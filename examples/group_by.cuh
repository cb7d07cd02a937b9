// SPDX-License-Identifier: Apache-2.0
// Group by: rows with equal keys become one row with their sum, their largest value and their
// number.
//
// Before: a sort, then a reduction by key for each column, and a wait for the number of groups.
// Each reduction reads the keys again.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/outputs.cuh>
#include <ballot/reduce_by_key.cuh>
#include <ballot/sort.cuh>
#include <ballot/unique.cuh>

#include <algorithm>
#include <cstdint>
#include <span>

namespace examples {

struct groups {
  std::span<std::uint32_t> keys;  // ascending
  std::span<float> sums, largest;
  std::span<std::uint32_t> counts;
  std::uint64_t* number;  // of groups
};

inline std::size_t group_by_scratch_bytes(std::uint64_t n) {
  using u32 = std::uint32_t;
  return std::max({ballot::sort_pairs_scratch_bytes<u32, float>(n),
                   ballot::reduce_by_key_scratch_bytes<u32, float, float>(n),
                   ballot::run_length_encode_scratch_bytes<u32, u32>(n)});
}

// sorted_keys, sorted_values: memory for the rows in the order of their keys.
inline void group_by(const ballot::exec& gpu, std::span<const std::uint32_t> keys, std::span<const float> values,
                     std::span<std::uint32_t> sorted_keys, std::span<float> sorted_values, const groups& out) {
  ballot::sort_pairs(gpu, keys, values, sorted_keys, sorted_values);
  ballot::reduce_by_key(gpu, sorted_keys, ballot::zip{sorted_values, sorted_values},
                        ballot::each{ballot::plus{}, ballot::maximum{}}, out.keys, ballot::zip{out.sums, out.largest},
                        out.number);
  ballot::run_length_encode(gpu, sorted_keys, ballot::discarded<std::uint32_t>(out.keys.size()), out.counts,
                            out.number);
}

}  // namespace examples
