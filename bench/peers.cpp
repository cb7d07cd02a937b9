// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "all_operations.hpp"

#include <map>
#include <utility>

namespace ballot::bench {

void add_peers(std::vector<operation>& all, std::vector<operation> newer) {
  std::map<std::string, operation*> by_name;
  for (operation& one : newer) by_name[one.name] = &one;
  for (operation& one : all) {
    const auto found = by_name.find(one.name);
    if (found == by_name.end()) continue;
    for (contender& peer : found->second->contenders) {
      if ((peer.name != "cub" && peer.name != "thrust") || peer.only_reference) continue;
      peer.name += "_newest";
      one.contenders.push_back(std::move(peer));
    }
  }
}

std::string newest_cub_version() {
#if defined(BALLOT_BENCH_HAS_NEWEST)
  return newest::cub_version();
#else
  return {};
#endif
}

}  // namespace ballot::bench
