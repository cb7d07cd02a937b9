// SPDX-License-Identifier: Apache-2.0
// The runtime calls of each public selection, against docs/reference.md.
#include <ballot/compact.cuh>
#include <ballot/compact_rows.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/count_if.cuh>
#include <ballot/flag_bits.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>

#include "support/runtime_calls.hpp"

#include <algorithm>

using namespace ballot;
using test::check_contract;
using test::guarded;

namespace contract_selections {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 3000, several_tiles = 20000;

struct is_odd {
  __device__ bool operator()(u32 x) const { return x % 2 != 0; }
};

std::vector<u32> some_items(std::size_t n = contract_selections::n) {
  std::vector<u32> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<u32>(i * 2654435761u >> 7);
  return items;
}

TEST_CASE("contract: selections of one tile") {
  const guarded<u32> in(some_items());
  guarded<u32> out(n), other(n);
  device_value<u64> count(test::test_stream());
  check_contract("compact", compact_scratch_bytes<u32>(n), {1},
                 [&](const exec& gpu) { compact(gpu, in, is_odd{}, out, count); });
  const std::size_t two = detail::partition_scratch_bytes<detail::rejects::second_output, u32>(n);
  check_contract("split, two outputs", detail::bytes_at_any_address(two), {1},
                 [&](const exec& gpu) { split(gpu, in, is_odd{}, out, other, count); });
  check_contract("split_to_both_ends", detail::bytes_at_any_address(two), {1},
                 [&](const exec& gpu) { split_to_both_ends(gpu, in, is_odd{}, out, count); });
  const std::size_t one = detail::partition_scratch_bytes<detail::rejects::after_selected, u32>(n);
  check_contract("split, one output", detail::bytes_at_any_address(one), {1},
                 [&](const exec& gpu) { split(gpu, in, is_odd{}, out, count); });
}

TEST_CASE("contract: compact") {
  constexpr std::size_t n = several_tiles;
  const guarded<u32> in(some_items(n));
  const guarded<u32> words(std::vector<u32>((n + 31) / 32, 0x5f0fu));
  guarded<u32> out(n), other(n);
  device_value<u64> count(test::test_stream());

  test::with_and_without_clusters([&](std::uint64_t launches) {
    check_contract("compact", compact_scratch_bytes<u32>(n), {launches},
                   [&](const exec& gpu) { compact(gpu, in, is_odd{}, out, count); });
    check_contract("compact a zip", compact_scratch_bytes<u32, u32>(n), {launches}, [&](const exec& gpu) {
      compact(gpu, zip{in, positions(n)}, on_first{is_odd{}}, zip{out, other}, count);
    });
    check_contract("compact_indices", compact_indices_scratch_bytes<u32, u32>(n), {launches},
                   [&](const exec& gpu) { compact_indices(gpu, in, is_odd{}, out, count); });
  });
  check_contract("compact_in_place", compact_in_place_scratch_bytes<u32>(n), {2},
                 [&](const exec& gpu) { compact_in_place(gpu, out, is_odd{}, count); });
  check_contract("compact_in_place of a zip", compact_in_place_scratch_bytes<u32, u32>(n), {5}, [&](const exec& gpu) {
    compact_in_place(gpu, zip{out, other}, on_first{is_odd{}}, count);
  });
  check_contract("compact of none", 0, {0, 1},
                 [&](const exec& gpu) { compact(gpu, std::span<const u32>{}, is_odd{}, std::span<u32>{}, count); });
  check_contract("count_if", 0, {2, 0}, [&](const exec& gpu) { count_if(gpu, positions(n), bit_flags{words}, count); });
  guarded<u32> bits((n + 31) / 32);
  check_contract("flag_bits", 0, {1}, [&](const exec& gpu) { flag_bits(gpu, in, is_odd{}, bits); });
}

TEST_CASE("contract: selections of more than a cluster") {
  constexpr std::size_t n = 140000;
  const guarded<u32> in(some_items(n));
  guarded<u32> out(n);
  device_value<u64> count(test::test_stream());
  check_contract("compact", compact_scratch_bytes<u32>(n), {2},
                 [&](const exec& gpu) { compact(gpu, in, is_odd{}, out, count); });
}

TEST_CASE("contract: compact many arrays in one call") {
  const guarded<u32> in(some_items()), offsets(std::vector<u32>{0, 5, 5, 1000, n});
  guarded<u32> out(n), begins(5);
  guarded<u64> counts(10);
  const row_layout rows{.rows = 10, .width = 290, .pitch = 300};
  check_contract("compact_rows", compact_rows_scratch_bytes<u32>(rows), {1, 1},
                 [&](const exec& gpu) { compact_rows(gpu, in, rows, is_odd{}, out, counts); });
  check_contract("compact_segments", compact_segments_scratch_bytes<u32>(n), {4},
                 [&](const exec& gpu) { compact_segments(gpu, in, offsets, is_odd{}, out, begins); });
}

TEST_CASE("contract: split") {
  constexpr std::size_t n = several_tiles;
  const guarded<u32> in(some_items(n));
  guarded<u32> out(n), rest(n);
  device_value<u64> count(test::test_stream());
  // The larger of what one and two outputs need, so that one call has enough whichever it is: not
  // exact for the other.
  const std::size_t two = detail::partition_scratch_bytes<detail::rejects::second_output, u32>(n);
  const std::size_t one = detail::partition_scratch_bytes<detail::rejects::after_selected, u32>(n);
  CHECK(split_scratch_bytes<u32>(n) == detail::bytes_at_any_address(std::max(one, two)));
  test::with_and_without_clusters([&](std::uint64_t launches) {
    check_contract("split, two outputs", detail::bytes_at_any_address(two), {launches},
                   [&](const exec& gpu) { split(gpu, in, is_odd{}, out, rest, count); });
    check_contract("split_to_both_ends", detail::bytes_at_any_address(two), {launches},
                   [&](const exec& gpu) { split_to_both_ends(gpu, in, is_odd{}, out, count); });
    check_contract("split, one output", detail::bytes_at_any_address(one), {launches},
                   [&](const exec& gpu) { split(gpu, in, is_odd{}, out, count); });
  });
  // One piece; and ten, which are the same ten within ample scratch.
  const std::span<u32> few(out.data(), 600);
  check_contract("split_in_place", split_in_place_scratch_bytes<u32>(few.size()), {3},
                 [&](const exec& gpu) { split_in_place(gpu, few, is_odd{}, count); });
  guarded<u32> many(40'000);
  check_contract("split_in_place of ten pieces", split_in_place_scratch_bytes<u32>(many.size()), {3 * 10 + 2 * 4},
                 [&](const exec& gpu) { split_in_place(gpu, many, is_odd{}, count); });
}

}  // namespace contract_selections
