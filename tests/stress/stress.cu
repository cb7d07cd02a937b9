// SPDX-License-Identifier: Apache-2.0
// Random calls on random data, for as long as one likes. On the GPU most are compared with Thrust.
// The others, and all in the emulator, are compared with serial loops, on shorter arrays. In the
// emulator each call has its own schedule.
//
//     BALLOT_STRESS_SECONDS=600 ctest -R gpu.stress -V    5 seconds if it is not set
//     BALLOT_STRESS_SEED=123                              the seed of the first call; a failure
//                                                         names its own
//
// Each call has its own seed. From this follow the operation, the type, the length, the spread of
// the values, the alignment and the options.
#include "stress/checks.hpp"

#include "support/schedules.hpp"

#include <chrono>
#include <cstdlib>
#include <random>

using namespace ballot;
using test::u64;

namespace {

void one_call(u64 seed, const exec& where) {
  test::draws draw{std::mt19937_64(seed)};
  const auto kind = draw.below(19);
  const u64 n = draw.length();
  CAPTURE(kind);
  CAPTURE(n);
  if (kind < 2) test::check_sort(draw, where, n);
  else if (kind == 2) test::check_segmented_sort(draw, where, n);
  else if (kind < 5) test::check_selection(draw, where, n);
  else if (kind == 5) test::check_in_place(draw, where, n);
  else if (kind == 6) test::check_buckets(draw, where, n);
  else if (kind == 7) test::check_scan(draw, where, n);
  else if (kind == 8) test::check_runs(draw, where, n);
  else if (kind < 11) test::check_orders(draw, where, n);
  else if (kind < 13) test::check_rows(draw, where);
  else if (kind < 15) test::check_segments(draw, where);
  else if (kind < 17) test::check_sums(draw, where);
  else test::check_columns_and_items(draw, where);
}

u64 number_from(const char* variable, u64 otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("random calls") {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::seconds(number_from("BALLOT_STRESS_SECONDS", 5));
  const u64 first = number_from("BALLOT_STRESS_SEED", std::random_device{}());
  const exec where = allocating(test::test_stream());
  u64 seed = first;
  for (; seed == first || clock::now() < end; ++seed) {
    CAPTURE(seed);
    test::under_random_schedule(seed, [&] { one_call(seed, where); });
  }
  const u64 calls = seed - first;
  MESSAGE(calls << " calls, seeds " << first << " to " << seed);
}
