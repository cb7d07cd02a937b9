// SPDX-License-Identifier: Apache-2.0
// Runs cut into slices: nothing is left out or taken twice, no slice is too large, and keys never
// go back.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "external_sort/slices.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <random>
#include <utility>
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

// Runs as they come from partition_items: their buckets are not sorted before a cut falls into one.
TEST_CASE("Slices of runs in buckets") {
  const temporary_folder folder;
  for (const std::uint32_t distinct : {1u, 3u, 900u, 100'000u, 0u})
    for (const dtype type : {dtype::u32, dtype::f32})
      for (const bit_range bits : {bit_range{0, 32}, bit_range{5, 20}})
        for (const std::size_t run_count : {1u, 2u, 9u}) {
          const sort_request request{type, run_count == 2 ? direction::descending : direction::ascending, bits, false};
          constexpr std::uint64_t most = 20'000, spacing = 50;
          REQUIRE(can_have_buckets(most, spacing));
          REQUIRE(run_count <= runs_in_slices(most, spacing));
          std::mt19937 random(distinct + static_cast<std::uint32_t>(run_count));
          std::vector<std::uint32_t> all;
          sampled_runs stored(folder.path().string(), request, spacing);
          std::size_t in_buckets = 0;
          for (std::size_t run = 0; run < run_count; ++run) {
            std::vector<std::uint32_t> items(random() % 60'000);
            for (auto& item : items) {
              item = static_cast<std::uint32_t>(random());
              if (distinct != 0) item = 0x40000000 + item % distinct;
              if (random() % 3 == 0) item = 0x41000000;  // a heavy bucket
            }
            if (run == 1) std::sort(items.begin(), items.end());
            all.insert(all.end(), items.begin(), items.end());
            host_buffer bytes, scratch;
            bytes.append(std::as_bytes(std::span(items)));
            const cpu::key_buckets buckets = cpu::partition_items(request, bytes, scratch, spacing);
            in_buckets += !buckets.begins.empty();
            stored.begin_run(buckets);
            stored.append(std::as_const(bytes).bytes());
          }
          if (distinct == 0) CHECK(in_buckets != 0);
          // Each slice, sorted, is the next piece of the whole.
          host_buffer sorted, scratch;
          slice_reader slices(stored, 0, run_count, most);
          for (slice found; slices.next(found);) {
            if (!found.has_one_key) CHECK(found.items() <= most);
            host_buffer piece(static_cast<std::size_t>(found.items()) * sizeof(std::uint32_t));
            std::size_t filled = 0;
            for (std::size_t run = 0; run < run_count; ++run) {
              const std::size_t size =
                  static_cast<std::size_t>(found.ends[run] - found.begins[run]) * sizeof(std::uint32_t);
              if (size != 0) stored.read(run, found.begins[run], piece.bytes().subspan(filled, size));
              filled += size;
            }
            if (!found.has_one_key) cpu::sort_items(request, piece.bytes(), scratch);
            sorted.append(std::as_const(piece).bytes());
          }
          cpu::sort_items(request, std::as_writable_bytes(std::span(all)), scratch);
          const auto merged = std::as_const(sorted).as<std::uint32_t>();
          CHECK(std::equal(merged.begin(), merged.end(), all.begin(), all.end()));
        }
}

}  // namespace
}  // namespace ballot::app::test_slices
