// SPDX-License-Identifier: Apache-2.0
// Runs cut into slices: nothing is left out or taken twice, no slice is too large, and keys never go back.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "external_sort/slices.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace ballot::app::test_slices {
namespace {

TEST_CASE("Slices of runs") {
  const temporary_folder folder;
  const sort_request request{dtype::u32, direction::ascending, {0, 32}, false};
  for (const std::uint32_t distinct : {1u, 2u, 30u, 100'000u, 0u})
    for (const std::size_t run_count : {1u, 2u, 7u}) {
      constexpr std::uint64_t most = 2000;
      const std::uint64_t spacing = sample_spacing(most, 1 << 16);
      REQUIRE(run_count <= runs_in_slices(most, spacing));
      std::mt19937 random(distinct + static_cast<std::uint32_t>(run_count));
      std::vector<std::vector<std::uint32_t>> runs(run_count);
      sampled_runs stored(folder.path().string(), request, spacing);
      for (auto& run : runs) {
        run.resize(random() % 9000);
        for (auto& item : run)
          item =
              distinct == 0 ? static_cast<std::uint32_t>(random()) : ~(static_cast<std::uint32_t>(random()) % distinct);
        std::sort(run.begin(), run.end());
        stored.begin_run();
        const auto bytes = std::as_bytes(std::span(run));
        const std::size_t half = run.size() / 2 * sizeof(std::uint32_t);
        stored.append(bytes.first(half));
        stored.append(bytes.subspan(half));
      }
      slice_reader slices(stored, 0, run_count, most);
      std::vector<std::uint64_t> at(run_count);
      std::uint64_t last = 0;
      for (slice found; slices.next(found);) {
        std::uint64_t least = ~std::uint64_t{0}, greatest = 0;
        for (std::size_t run = 0; run < run_count; ++run) {
          REQUIRE(found.begins[run] == at[run]);
          at[run] = found.ends[run];
          if (found.begins[run] == found.ends[run]) continue;
          least = std::min<std::uint64_t>(least, runs[run][found.begins[run]]);
          greatest = std::max<std::uint64_t>(greatest, runs[run][found.ends[run] - 1]);
        }
        CHECK(last <= least);
        CHECK((found.items() <= most || (found.has_one_key && least == greatest)));
        if (found.has_one_key) CHECK(least == greatest);
        last = greatest + 1;  // no key is in two slices: the sort of each is stable
      }
      for (std::size_t run = 0; run < run_count; ++run) CHECK(at[run] == runs[run].size());
    }
}

}  // namespace
}  // namespace ballot::app::test_slices
