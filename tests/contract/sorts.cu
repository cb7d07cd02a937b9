// SPDX-License-Identifier: Apache-2.0
// The runtime calls of each public sort of keys and pairs, against docs/reference.md. P passes of 8
// bits are a fill, a histogram and P kernels. In place, an odd P is one kernel more. Up to 4096
// keys take one kernel, up to 65,536 two or three.
#include <ballot/sort.cuh>
#include <ballot/sort_ping_pong.cuh>

#include "support/patterns.hpp"
#include "support/runtime_calls.hpp"
#include "support/ways_of_sorting.hpp"

using namespace ballot;
using test::check_contract;
using test::guarded;

namespace contract_sorts {

using u32 = std::uint32_t;
using std::uint64_t;

constexpr std::size_t n = test::many_blocks_keys<u32> + 900;
// A sort by leading bits may be possible: then there is a local sort.
constexpr uint64_t local_sort = n >= std::size_t{1} << 15 ? 1 : 0;

std::vector<u32> some_keys() {
  std::vector<u32> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<u32>(i * 2654435761u >> 7);
  return keys;
}

TEST_CASE("contract: sort") {
  const test::sorts_by_passes by_passes;
  const guarded<u32> in(some_keys()), values(some_keys());
  guarded<u32> out(n), values_out(n), keys(some_keys());
  check_contract("sort", sort_scratch_bytes<u32>(n), {5 + local_sort, 1}, [&](const exec& gpu) { sort(gpu, in, out); });
  check_contract("sort_in_place", sort_in_place_scratch_bytes<u32>(n), {5 + local_sort, 1},
                 [&](const exec& gpu) { sort_in_place(gpu, keys); });
  check_contract("sort_pairs by 18 bits", sort_pairs_scratch_bytes<u32, u32>(n), {4, 1}, [&](const exec& gpu) {
    sort_pairs(gpu, in, values, out, values_out, {.bits = {0, 18}});
  });
  check_contract("sort_pairs_in_place by 18 bits", sort_pairs_in_place_scratch_bytes<u32, u32>(n), {5, 1},
                 [&](const exec& gpu) {
                   sort_pairs_in_place(gpu, keys, values_out, {.bits = {0, 18}});
                 });
  check_contract("argsort", argsort_scratch_bytes<u32, u32>(n), {5 + local_sort, 1},
                 [&](const exec& gpu) { argsort(gpu, in, out); });
  const sort_options no_bits{.bits = {7, 7}};
  check_contract("sort by no bits", 0, {0, 0, 1}, [&](const exec& gpu) { sort(gpu, in, out, no_bits); });
  check_contract("sort_pairs by no bits", 0, {0, 0, 2},
                 [&](const exec& gpu) { sort_pairs(gpu, in, values, out, values_out, no_bits); });
  check_contract("sort_pairs_in_place by no bits", 0, {0},
                 [&](const exec& gpu) { sort_pairs_in_place(gpu, keys, values_out, no_bits); });
  check_contract("argsort by no bits", 0, {1}, [&](const exec& gpu) { argsort(gpu, in, out, no_bits); });
  check_contract("sort_ping_pong by no bits", 0, {0},
                 [&](const exec& gpu) { sort_ping_pong(gpu, keys, out, no_bits); });
  check_contract("sort of none", 0, {0}, [&](const exec& gpu) { sort(gpu, std::span<const u32>{}, std::span<u32>{}); });
}

struct three {
  u32 a, b, c;
};

struct colour {
  std::uint8_t red, green, blue;
};

TEST_CASE("contract: values that are made words") {
  const test::sorts_by_passes by_passes;
  const guarded<std::uint8_t> in(std::vector<std::uint8_t>(n, 7));
  const guarded<std::uint16_t> wider(std::vector<std::uint16_t>(n, 7));
  const guarded<colour> values(n);
  guarded<colour> values_out(n);
  guarded<std::uint8_t> out(n);
  guarded<std::uint16_t> wider_out(n);
  check_contract("sort_pairs, one pass", sort_pairs_scratch_bytes<std::uint8_t, colour>(n), {4, 1},
                 [&](const exec& gpu) { sort_pairs(gpu, in, values, out, values_out); });
  check_contract("sort_pairs_in_place, one pass", sort_pairs_in_place_scratch_bytes<std::uint8_t, colour>(n), {5, 1},
                 [&](const exec& gpu) { sort_pairs_in_place(gpu, out, values_out); });
  check_contract("sort_pairs, two passes", sort_pairs_scratch_bytes<std::uint16_t, colour>(n), {6, 1},
                 [&](const exec& gpu) { sort_pairs(gpu, wider, values, wider_out, values_out); });
  check_contract("sort_pairs_in_place, two passes", sort_pairs_in_place_scratch_bytes<std::uint16_t, colour>(n), {5, 1},
                 [&](const exec& gpu) { sort_pairs_in_place(gpu, wider_out, values_out); });
}

TEST_CASE("contract: values that stay, and a sort between two buffers") {
  const test::sorts_by_passes by_passes;
  const guarded<std::uint8_t> in(std::vector<std::uint8_t>(n, 7));
  const guarded<three> values(std::vector<three>(n, three{1, 2, 3}));
  guarded<three> values_out(n);
  guarded<std::uint8_t> out(n), keys(n), other(n);
  check_contract("sort_pairs of large values", sort_pairs_scratch_bytes<std::uint8_t, three>(n), {3, 1},
                 [&](const exec& gpu) { sort_pairs(gpu, in, values, out, values_out); });
  check_contract("sort_pairs_in_place of large values", sort_pairs_in_place_scratch_bytes<std::uint8_t, three>(n),
                 {4, 1, 1}, [&](const exec& gpu) { sort_pairs_in_place(gpu, keys, values_out); });
  check_contract("sort_ping_pong", sort_ping_pong_scratch_bytes<std::uint8_t>(n), {2, 1},
                 [&](const exec& gpu) { sort_ping_pong(gpu, keys, other); });
  guarded<u32> a(n), b(n);
  check_contract("sort_pairs_ping_pong", sort_pairs_ping_pong_scratch_bytes<std::uint8_t, u32>(n), {2, 1},
                 [&](const exec& gpu) { sort_pairs_ping_pong(gpu, keys, a, other, b); });
}

// Neither a fill nor a histogram: by ranks one kernel, in place by runs two.
TEST_CASE("contract: sorts of few items") {
  constexpr std::size_t few = detail::single_block_items<u32>;
  static_assert(few < n, "the cases above are of many blocks");
  std::vector<u32> some = some_keys();
  some.resize(few);
  const guarded<u32> in(some), values(some);
  guarded<u32> out(few), values_out(few), keys(some);
  const guarded<colour> colours(few);
  guarded<colour> colours_out(few);
  const guarded<three> records(few);
  guarded<three> records_out(few);
  check_contract("sort", sort_scratch_bytes<u32>(few), {1}, [&](const exec& gpu) { sort(gpu, in, out); });
  check_contract("sort_in_place", sort_in_place_scratch_bytes<u32>(few), {2},
                 [&](const exec& gpu) { sort_in_place(gpu, keys); });
  check_contract("sort_pairs by 18 bits", sort_pairs_scratch_bytes<u32, u32>(few), {1}, [&](const exec& gpu) {
    sort_pairs(gpu, in, values, out, values_out, {.bits = {0, 18}});
  });
  check_contract("sort_pairs_in_place", sort_pairs_in_place_scratch_bytes<u32, u32>(few), {2},
                 [&](const exec& gpu) { sort_pairs_in_place(gpu, keys, values_out); });
  check_contract("argsort", argsort_scratch_bytes<u32, u32>(few), {1}, [&](const exec& gpu) { argsort(gpu, in, out); });
  check_contract("sort_ping_pong", sort_ping_pong_scratch_bytes<u32>(few), {2},
                 [&](const exec& gpu) { sort_ping_pong(gpu, keys, out); });
  check_contract("sort_pairs, repacked", sort_pairs_scratch_bytes<u32, colour>(few), {3},
                 [&](const exec& gpu) { sort_pairs(gpu, in, colours, out, colours_out); });
  check_contract("sort_pairs_in_place, repacked", sort_pairs_in_place_scratch_bytes<u32, colour>(few), {4},
                 [&](const exec& gpu) { sort_pairs_in_place(gpu, keys, colours_out); });
  check_contract("sort_pairs, indirect", sort_pairs_scratch_bytes<u32, three>(few), {2},
                 [&](const exec& gpu) { sort_pairs(gpu, in, records, out, records_out); });
  check_contract("sort_pairs_in_place, indirect", sort_pairs_in_place_scratch_bytes<u32, three>(few), {3, 0, 1},
                 [&](const exec& gpu) { sort_pairs_in_place(gpu, keys, records_out); });
}

// By runs: one merge of all runs, or two; neither a fill nor a histogram.
TEST_CASE("contract: sorts by runs") {
  for (const std::size_t items : {std::size_t{5000}, std::size_t{detail::most_items_by_one_merge} + 1}) {
    const uint64_t kernels = items == 5000 ? 2 : 3;
    const guarded<u32> in(test::random_items<u32>(items, 3)), values(test::random_items<u32>(items, 4));
    guarded<u32> out(items), values_out(items), keys(test::random_items<u32>(items, 5)), others(items);
    const guarded<colour> colours(items);
    guarded<colour> colours_out(items);
    const guarded<three> records(items);
    guarded<three> records_out(items);
    check_contract("sort", sort_scratch_bytes<u32>(items), {kernels}, [&](const exec& gpu) { sort(gpu, in, out); });
    check_contract("sort_in_place", sort_in_place_scratch_bytes<u32>(items), {kernels},
                   [&](const exec& gpu) { sort_in_place(gpu, keys); });
    check_contract("sort_pairs by 18 bits", sort_pairs_scratch_bytes<u32, u32>(items), {kernels}, [&](const exec& gpu) {
      sort_pairs(gpu, in, values, out, values_out, {.bits = {0, 18}});
    });
    check_contract("sort_pairs_in_place", sort_pairs_in_place_scratch_bytes<u32, u32>(items), {kernels},
                   [&](const exec& gpu) { sort_pairs_in_place(gpu, keys, values_out); });
    check_contract("argsort", argsort_scratch_bytes<u32, u32>(items), {kernels},
                   [&](const exec& gpu) { argsort(gpu, in, out); });
    check_contract("sort_ping_pong", sort_ping_pong_scratch_bytes<u32>(items), {kernels},
                   [&](const exec& gpu) { sort_ping_pong(gpu, keys, others); });
    check_contract("sort_pairs, repacked", sort_pairs_scratch_bytes<u32, colour>(items), {kernels + 2},
                   [&](const exec& gpu) { sort_pairs(gpu, in, colours, out, colours_out); });
    check_contract("sort_pairs, indirect", sort_pairs_scratch_bytes<u32, three>(items), {kernels + 1},
                   [&](const exec& gpu) { sort_pairs(gpu, in, records, out, records_out); });
  }
}

}  // namespace contract_sorts
