// SPDX-License-Identifier: Apache-2.0
// The k nearest of each query's candidates, which a grid or a tree has found: their ids, nearest
// first.
//
// Before: a sort of all candidates of all queries by query and distance, of which k a query were
// used.
//
// A candidate at the same distance as another one comes first if it stands first: the same ids on
// every run.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/batched_top_k.cuh>

#include <cstdint>
#include <span>

namespace examples {

inline std::size_t nearest_scratch_bytes(std::uint64_t queries, std::uint64_t k) {
  return ballot::batched_top_k_pairs_scratch_bytes(queries, k);
}

// The candidates of query q are those from begins[q] to begins[q + 1]. nearest, distances_out: k
// for each query; found[q] of them are there.
inline void nearest_candidates(const ballot::exec& gpu, std::span<const float> distances,
                               std::span<const std::uint32_t> ids, std::span<const std::uint32_t> begins,
                               std::uint64_t k, std::span<float> distances_out, std::span<std::uint32_t> nearest,
                               std::span<std::uint32_t> found) {
  ballot::batched_top_k_pairs(gpu, distances, ids, begins, k, distances_out, nearest, found,
                              {.direction = ballot::direction::ascending});
}

}  // namespace examples
