// SPDX-License-Identifier: Apache-2.0
// The options beside Google Benchmark's own.
#pragma once

#include <ballot/core/namespace.hpp>

#include "operations.hpp"

#include <cstdint>
#include <vector>

namespace ballot::bench {

struct options {
  key_spreads spreads;
  std::vector<std::uint64_t> sizes;
  bool sizes_were_asked_for = false;
  std::size_t repetitions = 0;  // of every benchmark
  bool list = false;            // names only: needs no GPU

  static constexpr const char* help =
      "  --keys=SPREAD,...   spread of sort keys: a name of bench/distributions.hpp (default uniform), 0.544,\n"
      "                      0.201, and:K, few:K (bench/inputs.hpp)\n"
      "  --sizes=N,...       numbers of items, also as 2^K (default 2^16,2^20,2^24,2^28, and for\n"
      "                      some operations 2^30 or 10^8; less than 2^31)\n"
      "  --quick             all but 2^24, 3 repetitions\n";
};

// Takes its own options out of `arguments`, and puts the defaults for Google Benchmark in front of
// the others. Throws std::invalid_argument.
options take_options(std::vector<char*>& arguments);

}  // namespace ballot::bench
