// SPDX-License-Identifier: Apache-2.0
// The begins of segments, in all the ways that break segmented scans, and the scans as loops.
#pragma once

#include <ballot/core/namespace.hpp>

#include "support/patterns.hpp"

#include <ballot/core/operators.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ballot::test {

struct named_heads {
  std::string name;
  std::vector<bool> heads;
};

// Head flags of n items: the patterns that all tests share. Others have heads at and around the
// edges of vectors, chunks, a warp's run and tiles of this shape.
template <class Shape>
std::vector<named_heads> head_patterns(std::size_t n) {
  std::vector<named_heads> all;
  for (const flag_pattern& pattern : flag_patterns) all.push_back({pattern.name, make_flags(pattern, n)});
  const auto every = [&](const char* name, std::size_t step, std::size_t shift) {
    std::vector<bool> heads(n);
    for (std::size_t i = shift; i < n; i += step) heads[i] = true;
    all.push_back({name, heads});
  };
  every("sparse", 3 * Shape::items + 5, 2 * Shape::items + 3);
  every("vector starts", Shape::width, 0);
  every("chunk starts", Shape::chunk_items, 0);
  every("second items of chunks", Shape::chunk_items, 1);
  every("warp starts", Shape::warp_items, 0);
  every("last items of warps", Shape::warp_items, Shape::warp_items - 1);
  every("tile starts", Shape::items, 0);
  every("second items of tiles", Shape::items, 1);
  every("last items of tiles", Shape::items, Shape::items - 1);
  every("last items of every fifth tile", 5 * Shape::items, 3 * Shape::items - 1);
  return all;
}

template <class T, class Op = plus>
std::vector<T> serial_segmented_inclusive(const std::vector<T>& items, const std::vector<bool>& heads, Op op = {}) {
  std::vector<T> sums(items);
  for (std::size_t i = 1; i < sums.size(); ++i)
    if (!heads[i]) sums[i] = op(sums[i - 1], sums[i]);
  return sums;
}
template <class T, class Op = plus>
std::vector<T> serial_segmented_exclusive(const std::vector<T>& items, const std::vector<bool>& heads, T initial,
                                          Op op = {}) {
  std::vector<T> sums(items.size());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = i == 0 || heads[i] ? initial : op(sums[i - 1], items[i - 1]);
  return sums;
}

// The segments in the order from the end: where they begin there.
inline std::vector<bool> heads_from_end(const std::vector<bool>& heads) {
  std::vector<bool> mirrored(heads.size());
  for (std::size_t i = 1; i < heads.size(); ++i) mirrored[heads.size() - i] = heads[i];
  return mirrored;
}

}  // namespace ballot::test
