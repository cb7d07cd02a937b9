// SPDX-License-Identifier: Apache-2.0
// Whether what all processes have together is in order: each looks at its part, and at the last key
// of those before it.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "processes/process_group.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <span>

namespace ballot::app {

// Collective. Throws verification_failure unless keys ascend, and places ascend among equal keys.
// Then no place is there twice. key_at(i): the key of this process's i-th item. place: the places
// of its items; null if there are none.
template <class Key, class KeyAt>
void require_order(const process_group& group, std::uint64_t items, const KeyAt& key_at, const std::uint64_t* place) {
  struct end {
    Key key;
    std::uint64_t place, exists;
  };
  const auto is_before = [&](const Key& a, std::uint64_t a_place, const Key& b, std::uint64_t b_place) {
    if (a < b) return true;
    return !(b < a) && (place == nullptr || a_place < b_place);
  };
  end last{};
  if (items != 0) last = {key_at(items - 1), place == nullptr ? 0 : place[items - 1], 1};
  const std::vector<end> all = group.gather(last);
  group.together([&] {
    for (std::uint64_t i = 0; i < items; ++i) {
      end before{};
      if (i != 0) before = {key_at(i - 1), place == nullptr ? 0 : place[i - 1], 1};
      else
        for (int r = 0; r < group.rank(); ++r)
          if (all[static_cast<std::size_t>(r)].exists != 0) before = all[static_cast<std::size_t>(r)];
      if (before.exists != 0 && !is_before(before.key, before.place, key_at(i), place == nullptr ? 0 : place[i]))
        throw_verification_failure(
            fmt::format("item {} of process {} belongs before its predecessor", i, group.rank()));
    }
  });
}

// Collective. Whether the sum over all processes is the same.
inline void require_same_sum(const process_group& group, std::uint64_t before, std::uint64_t after) {
  std::uint64_t sum = 0;
  for (const std::uint64_t difference : group.gather(after - before)) sum += difference;
  group.together([&] {
    if (sum != 0) throw_verification_failure("the output does not consist of the input's items");
  });
}

// The hash of a multiset: the sum of a hash of each item.
inline std::uint64_t sum_of_hashes(std::span<const std::byte> items, std::size_t item_bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + item_bytes <= items.size(); i += item_bytes) {
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, and then mixed, so that sums of hashes tell sets apart
    for (std::size_t b = 0; b < item_bytes; ++b)
      hash = (hash ^ std::to_integer<std::uint64_t>(items[i + b])) * 0x100000001b3u;
    hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u;
    sum += hash ^ hash >> 29;
  }
  return sum;
}

}  // namespace ballot::app
