// SPDX-License-Identifier: Apache-2.0
// Items of which a selection keeps a share, scattered or in clusters. An item is selected if it is
// less than a limit.
#pragma once

#include <ballot/core/namespace.hpp>

#include "word_at.hpp"

#include <cstdint>
#include <string>

namespace ballot::bench {

struct source;  // operation.hpp

struct share {
  const char* selected;  // as a decimal: "0.1"
  double of;
  bool clustered;  // else scattered

  std::string name() const { return std::string(selected) + (clustered ? "_clustered" : "_scattered"); }
  std::uint32_t limit() const { return of >= 1 ? 0xffffffffu : static_cast<std::uint32_t>(of * 4294967296.0); }
};

struct is_below {
  std::uint32_t limit;
  BALLOT_BENCH_ANYWHERE bool operator()(std::uint32_t item) const { return item < limit; }
};
struct is_not_below {
  std::uint32_t limit;
  BALLOT_BENCH_ANYWHERE bool operator()(std::uint32_t item) const { return item >= limit; }
};

// Clusters of 100 items are selected or rejected together (except one in 2^16).
struct shared_item {
  bool clustered;
  BALLOT_BENCH_ANYWHERE std::uint32_t operator()(std::uint64_t i) const {
    auto item = static_cast<std::uint32_t>(word_at(i) >> 32);
    if (clustered) item = (static_cast<std::uint32_t>(word_at(~(i / 100)) >> 32) & 0xffff0000u) | (item & 0xffffu);
    return item == 0xffffffffu ? 0xfffffffeu : item;  // a share of 1 keeps everything
  }
};

source items(const share& selected);
source byte_flags(const share& selected);
source bit_flags(const share& selected);

}  // namespace ballot::bench
