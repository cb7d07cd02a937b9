// SPDX-License-Identifier: Apache-2.0
// Every step of the vector sum's ladder against a loop, at the same lengths, addresses and block
// sizes.
#include <ballot/survey/vector_sum/steps.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace survey_vector_sum {

template <class T, int Threads, int Items>
void check_steps(const std::vector<std::size_t>& lengths) {
  for (const auto& step : survey::vector_sum_steps<T, Threads, Items>()) {
    const std::string name = step.name;  // not a char*: doctest prints those as addresses
    CAPTURE(name);
    for (std::size_t n : lengths) {
      CAPTURE(n);
      const auto items = test::small_items<T>(n);
      const T total = n == 0 ? T{} : test::serial_inclusive(items).back();
      test::for_each_schedule([&] {
        const test::guarded<T> in(items, n % 4);
        test::guarded<T> result(1);
        const test::exact_scratch scratch(step.scratch_bytes(n));
        test::directly_and_captured([&] { result.fill_dirt(); },
                                    [&] { step.run(scratch.where(), std::span<const T>(in), result.data()); },
                                    [&] { CHECK(result.read().front() == total); });
        scratch.check_guards();
      });
    }
  }
}

TEST_CASE("vector sum, every step: blocks of 64 threads") { check_steps<int, 64, 8>(test::lengths_around(512)); }

TEST_CASE("vector sum, every step: blocks of one warp") { check_steps<float, 32, 4>({0, 1, 31, 33, 127, 129, 1000}); }

TEST_CASE("vector sum, every step: a number of threads that is no power of two") {
  check_steps<std::uint64_t, 96, 4>({0, 95, 97, 384, 387, 1155});
}

TEST_CASE("vector sum, every step: bad arguments are errors before any work") {
  const test::guarded<int> in(std::vector<int>(100, 1));
  test::guarded<int> result(1);
  for (const auto& step : survey::vector_sum_steps<int>()) {
    const std::string name = step.name;
    CAPTURE(name);
    const test::exact_scratch scratch(step.scratch_bytes(100));
    const std::span<const int> items(in);
    CHECK_THROWS_AS(step.run(scratch.where(), items, nullptr), invalid_argument);
    CHECK_THROWS_AS(step.run(scratch.where(), items, in.data() + 99), invalid_argument);
    CHECK_THROWS_AS(step.run(scratch.where(), {static_cast<const int*>(nullptr), 1}, result.data()), invalid_argument);
    if (step.scratch_bytes(100) != 0) {
      const exec none(test::test_stream(), std::span<std::byte>{});
      CHECK_THROWS_AS(step.run(none, items, result.data()), invalid_argument);
    }
  }
  CHECK(test::is_dirt(result.read().front()));
  CHECK(in.read() == std::vector<int>(100, 1));
}

}  // namespace survey_vector_sum
