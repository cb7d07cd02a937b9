// SPDX-License-Identifier: Apache-2.0
// top_k of floats, NaNs and both zeros, and of keys of 8 bytes.
#include <ballot/top_k.cuh>

#include "support/patterns.hpp"
#include "support/top_k_reference.hpp"

#include <cmath>

using namespace ballot;
using test::check_top_k;
using test::largest_by_position;
using test::largest_first;
using test::smallest_first;

namespace algorithms_top_k_floats {

using u64 = std::uint64_t;

TEST_CASE("top_k: keys of 8 bytes") {
  check_top_k(test::random_items<u64>(20'000, 3), 20'000, 1'000, largest_first);
  check_top_k(test::random_items<std::int64_t>(20'000, 4), 20'000, 9'000, largest_by_position);
  check_top_k(test::random_items<double>(33'000, 8), 32'999, 1'500, largest_first, 1);
}

TEST_CASE("top_k: floats, NaNs, both zeros") {
  std::vector<float> keys = test::random_items<float>(20'000, 7);  // some of them NaNs
  for (std::size_t i = 0; i < keys.size(); i += 5) keys[i] = i % 2 == 0 ? 0.0f : -0.0f;
  for (std::size_t i = 1; i < keys.size(); i += 7) keys[i] = i % 2 == 0 ? -std::nanf("1") : std::nanf("2");
  for (const nan_order nans : {nan_order::last, nan_order::first, nan_order::by_bits})
    for (const direction d : {direction::ascending, direction::descending}) {
      check_top_k(keys, 20'000, 700, {d, nans, top_k_order::sorted});
      check_top_k(keys, 20'000, 19'000, {d, nans, top_k_order::by_position});
    }
  check_top_k(std::vector<double>(17'000, std::nan("")), 17'000, 100, largest_first);
}

}  // namespace algorithms_top_k_floats
