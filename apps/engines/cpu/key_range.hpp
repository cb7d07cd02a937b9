// SPDX-License-Identifier: Apache-2.0
// One look at all keys, on all cores: their range, and whether they are in order already.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/cpu/clones.hpp"
#include "engines/cpu/radix_passes.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ballot::app::cpu {

struct key_range {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), greatest = 0;
  bool is_ascending = true;   // no key is below its predecessor
  bool is_descending = true;  // every key is below its predecessor: turned round they are in a stable order

  void add(const key_range& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
    is_ascending &= other.is_ascending;
    is_descending &= other.is_descending;
  }
  int bits() const { return least > greatest ? 0 : bit_width(least ^ greatest); }
};

// The keys begin to end - 1; those after the first are compared with their predecessors. Sums and
// minima without a branch, which the compiler makes vectors of.
template <class K, class KeyAt>
BALLOT_APP_CLONES key_range range_of_some_keys(std::size_t begin, std::size_t end, const KeyAt& key_at) {
  K least = key_at(begin), greatest = least, falls = 0, stays = 0;
  for (std::size_t i = begin + 1; i < end; ++i) {
    const K before = key_at(i - 1), key = key_at(i);
    least = key < least ? key : least;
    greatest = key > greatest ? key : greatest;
    falls |= static_cast<K>(key < before);
    stays |= static_cast<K>(key >= before);
  }
  return {least, greatest, falls == 0, stays == 0};
}

// key_at(i): the key of item i, of `count`; called a few times for each.
template <class KeyAt>
key_range range_of_keys(std::size_t count, const KeyAt& key_at) {
  if (count == 0) return {};
  using K = decltype(key_at(std::size_t{0}));
  const parts pieces(count);
  std::vector<key_range> found(pieces.count());
  tbb::parallel_for(std::size_t{0}, pieces.count(), [&](std::size_t p) {
    const std::size_t begin = pieces.begin(p);
    found[p] = range_of_some_keys<K>(begin == 0 ? 0 : begin - 1, pieces.begin(p + 1), key_at);
  });
  key_range all = found[0];
  for (const key_range& part : found) all.add(part);
  return all;
}

}  // namespace ballot::app::cpu
