// SPDX-License-Identifier: Apache-2.0
// What batched_top_k asks of the runtime, and what it refuses.
#include <ballot/batched_top_k.cuh>

#include "support/adjacent.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::guarded;
using test::refused;

namespace contract_batched_top_k {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr top_k_options by_position{.order = top_k_order::by_position};

TEST_CASE("contract: batched_top_k") {
  const std::size_t rows = 10, width = 300, k = 20;
  const guarded<u32> in(test::random_items<u32>(rows * width, 1)), offsets(std::vector<u32>{0, 7, 1'000, 2'900});
  guarded<u32> out(rows * k), second(rows * k), counts(rows);
  const row_layout layout{rows, width};
  test::check_contract("batched_top_k", 0, {1, 0},
                       [&](const exec& gpu) { batched_top_k(gpu, in, layout, k, out, counts, by_position); });
  test::check_contract("batched_top_k, sorted", 0, {1, 0},
                       [&](const exec& gpu) { batched_top_k(gpu, in, layout, k, out, counts); });
  guarded<u32> more(rows * 257);
  test::check_contract("batched_top_k, 256 sorted", 0, {1, 0},
                       [&](const exec& gpu) { batched_top_k(gpu, in, layout, 256, more, counts); });
  test::check_contract("batched_top_k, 257 sorted", 0, {2, 0},
                       [&](const exec& gpu) { batched_top_k(gpu, in, layout, 257, more, counts); });
  test::check_contract("batched_top_k by offsets", 0, {1, 0},
                       [&](const exec& gpu) { batched_top_k(gpu, in, offsets, k, out); });
  test::check_contract("batched_top_k_pairs", batched_top_k_pairs_scratch_bytes(rows, k), {2, 0},
                       [&](const exec& gpu) { batched_top_k_pairs(gpu, in, in, layout, k, out, second, counts); });
  test::check_contract("batched_top_k_indices", batched_top_k_indices_scratch_bytes<u32>(rows, k), {1, 0},
                       [&](const exec& gpu) { batched_top_k_indices(gpu, in, layout, k, out, counts); });
  test::check_contract("batched_top_k, none wanted", 0, {0, 1},
                       [&](const exec& gpu) { batched_top_k(gpu, in, layout, 0, out, counts); });
  CHECK(counts.read() == std::vector<u32>(rows));
  test::check_contract("batched_top_k of no rows", 0, {0, 0}, [&](const exec& gpu) {
    batched_top_k(gpu, in, row_layout{0, 10}, 5, out, counts);
  });
}

TEST_CASE("`batched_top_k_pairs_scratch_bytes(rows, k)`: 8 rows k bytes") {
  CHECK(batched_top_k_pairs_scratch_bytes(0, 5) == 0);
  CHECK(batched_top_k_pairs_scratch_bytes(100, 64) == 8 * 6'400 + 256);
  CHECK(batched_top_k_indices_scratch_bytes<float>(100, 64) == 4 * 6'400 + 256);
}

TEST_CASE("batched_top_k refuses bad arguments before any work") {
  guarded<u32> in(320), out(40), few(39), counts(8);
  const row_layout layout{8, 40};
  const std::span<u32> null(static_cast<u32*>(nullptr), 320);
  refused("keys is null", "`keys` is null", [&](const exec& gpu) { batched_top_k(gpu, null, layout, 5, out, counts); });
  refused("too few keys", "`keys` has 320 items, at least 328 are needed", [&](const exec& gpu) {
    batched_top_k(gpu, in, row_layout{8, 41}, 5, out, counts);
  });
  refused("rows overlap", "rows overlap", [&](const exec& gpu) {
    batched_top_k(gpu, in, row_layout{8, 40, 39}, 5, out);
  });
  refused("k too large", "`k` is 4097, at most 4096",
          [&](const exec& gpu) { batched_top_k(gpu, in, layout, 4'097, out, counts); });
  refused("too little room", "`keys_out` has 39 items, at least 40 are needed",
          [&](const exec& gpu) { batched_top_k(gpu, in, layout, 5, few, counts); });
  refused("too little room for indices", "`indices` has 39 items, at least 40 are needed",
          [&](const exec& gpu) { batched_top_k_indices(gpu, in, layout, 5, few, counts); });
  refused("too few counts", "`counts` has 7 items, at least 8 are needed",
          [&](const exec& gpu) { batched_top_k(gpu, in, layout, 5, out, std::span<u32>(counts).first(7)); });
  refused("too few values", "`keys` has 320 items, `values` has 40",
          [&](const exec& gpu) { batched_top_k_pairs(gpu, in, out, layout, 5, few, few, counts); });
  refused("lengths within out", "overlaps input `rows.lengths`", [&](const exec& gpu) {
    batched_top_k(gpu, in, row_layout{8, 40, 40, out.data()}, 5, out);
  });
  test::touching_and_overlapping("batched_top_k", 2, {1280, 40, 160, 40}, [](const exec& gpu, const auto& at) {
    batched_top_k(gpu, at[0].template of<const u32>(), at[1].template of<const u32>(), 4, at[2].template of<u32>(),
                  at[3].template of<u32>());
  });
  test::touching_and_overlapping("batched_top_k_indices", 1, {1280, 160, 32}, [](const exec& gpu, const auto& at) {
    batched_top_k_indices(gpu, at[0].template of<const u32>(), row_layout{8, 40}, 5, at[1].template of<u32>(),
                          at[2].template of<u32>());
  });
  test::touching_and_overlapping(
      "batched_top_k_pairs", 2, {1280, 1280, 160, 160, 32}, [](const exec& gpu, const auto& at) {
        batched_top_k_pairs(gpu, at[0].template of<const u32>(), at[1].template of<const u32>(), row_layout{8, 40}, 5,
                            at[2].template of<u32>(), at[3].template of<u32>(), at[4].template of<u32>());
      });
}

}  // namespace contract_batched_top_k
