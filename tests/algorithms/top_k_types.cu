// SPDX-License-Identifier: Apache-2.0
// top_k of integers of 1, 2 and 16 bytes (of 4: top_k.cu; of 8: top_k_floats.cu).
#include <ballot/top_k.cuh>

#include "support/patterns.hpp"
#include "support/top_k_reference.hpp"

using namespace ballot;
using test::check_top_k;
using test::largest_by_position;
using test::largest_first;
using test::smallest_first;

namespace algorithms_top_k_types {

TEST_CASE("top_k: integers of 1, 2 and 16 bytes") {
  check_top_k(test::random_items<std::int8_t>(20'000, 1), 20'000, 500, largest_first, 1);
  check_top_k(test::random_items<std::uint16_t>(20'000, 2), 17'777, 5'000, smallest_first, 1);
  check_top_k(test::random_items<detail::uint128>(17'000, 5), 17'000, 100, smallest_first);
  check_top_k(test::random_items<detail::int128>(17'000, 6), 16'999, 4'000, largest_first);
  check_top_k(test::random_items<detail::uint128>(17'000, 5), 8'000, 100, largest_first);  // fewer than a sample takes
  check_top_k(test::random_items<detail::uint128>(300, 5), 300, 300, smallest_first);
  check_top_k(test::random_items<std::uint8_t>(9'000, 7), 9'000, 1'000, largest_first);
  check_top_k(test::random_items<std::uint16_t>(33'000, 7), 32'999, 3'500, largest_by_position, 1);
}

}  // namespace algorithms_top_k_types
