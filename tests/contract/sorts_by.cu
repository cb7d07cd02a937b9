// SPDX-License-Identifier: Apache-2.0
// The runtime calls of sorts by key functions, by columns and of segments, against
// docs/reference.md.
#include <ballot/argsort_by_columns.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/views.cuh>

#include "support/runtime_calls.hpp"
#include "support/ways_of_sorting.hpp"

#include <numeric>

using namespace ballot;
using test::check_contract;
using test::guarded;

namespace contract_sorts_by {

using u32 = std::uint32_t;

constexpr std::size_t n = test::many_blocks_keys<u32> + 900;

struct low_byte {
  __device__ std::uint8_t operator()(u32 x) const { return static_cast<std::uint8_t>(x); }
};

template <int Bytes>
struct bytes {
  std::uint8_t byte[Bytes];
};
using colour = bytes<3>;
using record = bytes<9>;
struct first_byte {
  template <int Bytes>
  __device__ std::uint8_t operator()(const bytes<Bytes>& item) const {
    return item.byte[0];
  }
};

std::vector<u32> some_items() {
  std::vector<u32> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<u32>(i * 2654435761u >> 7);
  return items;
}

TEST_CASE("contract: sorts by key functions and columns") {
  const test::sorts_by_passes by_passes;
  const guarded<u32> in(some_items());
  guarded<u32> out(n), order(n);
  const guarded<colour> colours(n);
  const guarded<record> records(n);
  guarded<colour> colours_out(n);
  guarded<record> records_out(n);
  const guarded<std::uint8_t> column(std::vector<std::uint8_t>(n, 7));
  check_contract("sort_by", sort_by_scratch_bytes<std::uint8_t, u32>(n), {3, 1},
                 [&](const exec& gpu) { sort_by(gpu, in, low_byte{}, out); });
  check_contract("sort_by of items that are made words", sort_by_scratch_bytes<std::uint8_t, colour>(n), {6, 1},
                 [&](const exec& gpu) { sort_by(gpu, colours, first_byte{}, colours_out); });
  check_contract("sort_by of items that stay", sort_by_scratch_bytes<std::uint8_t, record>(n), {4, 1},
                 [&](const exec& gpu) { sort_by(gpu, records, first_byte{}, records_out); });
  check_contract("argsort_by", argsort_by_scratch_bytes<std::uint8_t, u32>(n), {3, 1},
                 [&](const exec& gpu) { argsort_by(gpu, in, low_byte{}, order); });
  check_contract("argsort_by of a view", argsort_by_scratch_bytes<std::uint8_t, u32>(n), {3, 1},
                 [&](const exec& gpu) { argsort_by(gpu, reversed{in}, low_byte{}, order); });
  check_contract("argsort_further by a view", argsort_further_scratch_bytes<std::uint8_t, u32>(n), {4, 1},
                 [&](const exec& gpu) { argsort_further(gpu, reversed{column}, order); });
  check_contract("argsort_further", argsort_further_scratch_bytes<std::uint8_t, u32>(n), {4, 1},
                 [&](const exec& gpu) { argsort_further(gpu, column, order); });
  check_contract("argsort_by_columns", argsort_by_columns_scratch_bytes<u32, std::uint8_t, std::uint8_t>(n), {6, 2},
                 [&](const exec& gpu) { argsort_by_columns(gpu, order, column, column); });
}

// A kernel for the keys, and one for the sort.
TEST_CASE("contract: sorts of few items by key functions and columns") {
  constexpr std::size_t few = detail::single_block_items<std::uint8_t>;
  static_assert(few < n, "the cases above are of many blocks");
  std::vector<u32> some = some_items();
  some.resize(few);
  const guarded<u32> in(some);
  guarded<u32> out(few), order(few);
  const guarded<colour> colours(few);
  guarded<colour> colours_out(few);
  const guarded<record> records(few);
  guarded<record> records_out(few);
  const guarded<std::uint8_t> column(std::vector<std::uint8_t>(few, 7));
  check_contract("sort_by", sort_by_scratch_bytes<std::uint8_t, u32>(few), {2},
                 [&](const exec& gpu) { sort_by(gpu, in, low_byte{}, out); });
  check_contract("sort_by, repacked", sort_by_scratch_bytes<std::uint8_t, colour>(few), {4},
                 [&](const exec& gpu) { sort_by(gpu, colours, first_byte{}, colours_out); });
  check_contract("sort_by, indirect", sort_by_scratch_bytes<std::uint8_t, record>(few), {3},
                 [&](const exec& gpu) { sort_by(gpu, records, first_byte{}, records_out); });
  check_contract("argsort_by", argsort_by_scratch_bytes<std::uint8_t, u32>(few), {2},
                 [&](const exec& gpu) { argsort_by(gpu, in, low_byte{}, order); });
  check_contract("argsort_further", argsort_further_scratch_bytes<std::uint8_t, u32>(few), {2},
                 [&](const exec& gpu) { argsort_further(gpu, column, order); });
  check_contract("argsort_by_columns", argsort_by_columns_scratch_bytes<u32, std::uint8_t, std::uint8_t>(few), {3},
                 [&](const exec& gpu) { argsort_by_columns(gpu, order, column, column); });
}

TEST_CASE("contract: segmented sorts") {
  constexpr std::size_t n = 5000;  // two launches do: more takes longer merges, below
  std::vector<std::uint8_t> bytes(n);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  const guarded<std::uint8_t> keys(bytes);
  const guarded<u32> offsets(std::vector<u32>{0, 5, 5, 1000}), values(std::vector<u32>(n, 3));
  guarded<std::uint8_t> keys_out(n);
  guarded<u32> values_out(n);
  const guarded<record> records(n);
  guarded<record> records_out(n);
  check_contract("segmented_sort", segmented_sort_scratch_bytes<std::uint8_t>(n), {2},
                 [&](const exec& gpu) { segmented_sort(gpu, keys, offsets, keys_out); });
  check_contract("segmented_sort, gaps", segmented_sort_scratch_bytes<std::uint8_t>(n), {2}, [&](const exec& gpu) {
    segmented_sort(gpu, keys, begins_and_ends{offsets, offsets}, keys_out);
  });
  check_contract("segmented_sort_pairs, gaps", segmented_sort_pairs_scratch_bytes<std::uint8_t, record>(n), {3, 1},
                 [&](const exec& gpu) {
                   segmented_sort_pairs(gpu, keys, records, begins_and_ends{offsets, offsets}, keys_out, records_out);
                 });
  guarded<std::uint8_t> first(n);
  guarded<u32> first_values(n);
  check_contract("segmented_sort_ping_pong", segmented_sort_scratch_bytes<std::uint8_t>(n), {2},
                 [&](const exec& gpu) { segmented_sort_ping_pong(gpu, first, offsets, keys_out); });
  check_contract("segmented_sort_pairs_ping_pong", segmented_sort_pairs_scratch_bytes<std::uint8_t, u32>(n), {2},
                 [&](const exec& gpu) {
                   segmented_sort_pairs_ping_pong(gpu, first, first_values, offsets, keys_out, values_out);
                 });
  check_contract("segmented_sort_pairs", segmented_sort_pairs_scratch_bytes<std::uint8_t, u32>(n), {2},
                 [&](const exec& gpu) { segmented_sort_pairs(gpu, keys, values, offsets, keys_out, values_out); });
}

// Rounds of merging, and where they are too many, two passes: for 8 bits of key and 6 of a long
// segment's number.
TEST_CASE("contract: segmented sorts of more") {
  struct size {
    std::size_t n;
    test::stream_work work;
  };
  std::vector<size> sizes{{2048, {1}}, {2049, {2}}, {65537, {3}}, {140000, {3}}};
  if (!BALLOT_EMULATED) sizes.push_back({(1u << 20) + 1, {6, 1}});
  for (const auto& [items, work] : sizes) {
    const guarded<std::uint8_t> keys(items);
    const guarded<u32> offsets(std::vector<u32>{0, 5, 5, 1000});
    guarded<std::uint8_t> keys_out(items);
    check_contract("segmented_sort of " + std::to_string(items), segmented_sort_scratch_bytes<std::uint8_t>(items),
                   work, [&](const exec& gpu) { segmented_sort(gpu, keys, offsets, keys_out); });
  }
}

}  // namespace contract_sorts_by
