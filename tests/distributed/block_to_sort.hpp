// SPDX-License-Identifier: Apache-2.0
// A rank's keys, with what a sort of them needs.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/distributed/sort.cuh>

#include "distributed/ranks.hpp"
#include "support/patterns.hpp"

#include <algorithm>

namespace ballot::test {

inline constexpr std::size_t block_items = 700;

template <class K>
struct block_to_sort {
  guarded<K> in, out;
  exact_scratch scratch;

  explicit block_to_sort(int ranks, std::size_t room = block_items)
      : in(random_items<K>(block_items, 3)),
        out(room),
        scratch(distributed::sort_scratch_bytes<K>(ranks, block_items, room)) {}
  void sort(rank& comm, const distributed::sort_options& options = {}) {
    distributed::sort(comm, scratch.where(), in, out, options);
  }
  bool untouched() const {
    const auto items = out.read();
    return std::all_of(items.begin(), items.end(), [](const K& k) { return is_dirt(k); });
  }
};

// All ranks can still sort.
inline void check_well(rank& comm) {
  block_to_sort<std::uint32_t> block(comm.size());
  block.sort(comm);
  const auto items = block.out.read();
  CHECK(std::is_sorted(items.begin(), items.end()));
}

}  // namespace ballot::test
