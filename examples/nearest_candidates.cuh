// SPDX-License-Identifier: Apache-2.0
// The k nearest of each query's candidates, which a grid or a tree has found: their ids, nearest
// first.
//
// Before: a sort of all candidates of all queries by query and distance, of which only k for each
// query were used.
//
// Of candidates at the same distance, the one with the lower position comes first. So every run
// gives the same ids.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/batched_top_k.cuh>

#include <cstdint>
#include <span>

namespace examples {

inline std::size_t nearest_scratch_bytes(std::uint64_t queries, std::uint64_t k) {
  return ballot::batched_top_k_pairs_scratch_bytes(queries, k);
}

// The candidates of query q are those from begins[q] to begins[q + 1]. nearest, distances_out: room
// for k of each query; found[q] of them are written.
inline void nearest_candidates(const ballot::exec& gpu, std::span<const float> distances,
                               std::span<const std::uint32_t> ids, std::span<const std::uint32_t> begins,
                               std::uint64_t k, std::span<float> distances_out, std::span<std::uint32_t> nearest,
                               std::span<std::uint32_t> found) {
  ballot::batched_top_k_pairs(gpu, distances, ids, begins, k, distances_out, nearest, found,
                              {.direction = ballot::direction::ascending});
}

}  // namespace examples
