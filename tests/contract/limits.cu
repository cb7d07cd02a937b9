// SPDX-License-Identifier: Apache-2.0
// Refusals before any work: more work than a grid has blocks, or more than a type counts. Also what
// is exactly as much as they count.
#include <ballot/ballot.cuh>

#include "support/refused.hpp"

#include <string>

using namespace ballot;
using test::guarded;
using test::is_odd;
using test::last_digit;
using test::refused;

namespace contract_limits {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 320;

// Items that nobody looks at, however many. They overlap no others, and none of another number.
template <class T>
std::span<T> far_away(u64 items, unsigned number = 0) {
  return {reinterpret_cast<T*>(u64{1} << (50 + number)), items};
}

TEST_CASE("a grid has 2^31 - 1 blocks at most") {
  const u64 most = (u64{1} << 31) - 1;
  const auto refused_as = [](u64 items, u64 of_tile) -> std::string {
    try {
      (void)detail::tile_count(items, of_tile, "test");
      return "";
    } catch (const invalid_argument& e) {
      return e.what();
    }
  };
  const std::string why = "more items than one grid of tiles covers";
  for (const u64 of_tile : {1, 3, 4096}) {
    CHECK(detail::tile_count(most * of_tile, of_tile, "test") == most);
    CHECK(refused_as(most * of_tile, of_tile) == "");
    CHECK(refused_as(most * of_tile + 1, of_tile) == "ballot::test: " + why);
    CHECK(refused_as((u64{1} << 32) * of_tile, of_tile) == "ballot::test: " + why);
  }
  // Rows with blocks of their own.
  const exec without_scratch(test::test_stream(), std::span<std::byte>{});
  const auto compact_of = [&](u64 rows, u64 width) {
    return [&, rows, width](const exec&) {
      compact_rows(without_scratch, far_away<const u32>(rows * width), {.rows = rows, .width = width, .pitch = width},
                   is_odd{}, far_away<u32>(rows * width, 1), far_away<u64>(rows, 2));
    };
  };
  const u64 two_tiles = detail::row_shapes<u32>::large::items + 1;
  refused("2^31 rows", why, compact_of(most + 1, 1));
  refused("2^31 - 1 rows", "scratch has", compact_of(most, 1));
  refused("2^30 rows of two tiles", why, compact_of((most + 1) / 2, two_tiles));
  refused("a row less", "scratch has", compact_of((most - 1) / 2, two_tiles));
  guarded<u32> value(1), value_out(1);
  guarded<u64> begins(2), runs(1);
  refused("runs of more tiles", why, [&](const exec&) {
    run_offsets(allocating(test::test_stream()), constant{u32{7}, u64{1} << 50}, value, begins, runs.data());
  });
  refused("a warp for each of too many offsets", why, [&](const exec& gpu) {
    compact_segments(gpu, value, far_away<const u32>(most * 8 + 1), is_odd{}, value_out,
                     far_away<u32>(most * 8 + 1, 1));
  });
  refused("an offset less", "scratch has", [&](const exec&) {
    compact_segments(without_scratch, value, far_away<const u32>(most * 8), is_odd{}, value_out,
                     far_away<u32>(most * 8, 1));
  });
  refused("2^31 rows of a block each", why, [&](const exec& gpu) {
    const std::span<u32> rows = far_away<u32>((most + 1) * 2000);
    batched_scan(gpu, rows, rows, {.rows = most + 1, .length = 2000}, scan_directions::forward);
  });
}

TEST_CASE("scratch takes no more bytes than there are addresses") {
  const auto refused_as = [](u64 first, u64 second) -> std::string {
    try {
      detail::scratch_carver measure;
      measure.take<u32>(first);
      measure.take<u32>(second);
      return "";
    } catch (const invalid_argument& e) {
      return e.what();
    }
  };
  const std::string why = "ballot: scratch for that many items exceeds the address space";
  const u64 most = ((u64{1} << 63) - 1) / sizeof(u32);
  CHECK(refused_as(most, 0) == "");
  CHECK(refused_as(most + 1, 0) == why);
  CHECK(refused_as(u64{1} << 62, 0) == why);
  CHECK(refused_as(1, most - 64) == "");
  CHECK(refused_as(1, most - 63) == why);
  CHECK(refused_as(most, 1) == why);
  CHECK_THROWS_AS(sort_scratch_bytes<u64>(u64{1} << 60), invalid_argument);
}

struct large {
  u64 of[16];
};

// What a call needs for as many items as a number counts. That is more than any memory holds, so the
// call may refuse them; but no sum or product wraps to a small number.
TEST_CASE("scratch of nearly 2^64 items is no less than that of fewer") {
  const auto check = [](const std::string& name, const auto& bytes_of) {
    CAPTURE(name);
    const auto bytes = [&](u64 n) -> std::size_t {
      try {
        return bytes_of(n);
      } catch (const invalid_argument&) {
        return ~std::size_t{0};
      }
    };
    std::size_t before = 0;
    for (const u64 n : {u64{1} << 40, u64{1} << 56, u64{1} << 62, u64{1} << 63, ~u64{0} - 100, ~u64{0} - 3, ~u64{0} - 2,
                        ~u64{0} - 1, ~u64{0}}) {
      CAPTURE(n);
      const std::size_t now = bytes(n);
      CHECK(now >= before);
      before = now;
    }
  };
  check("compact", [](u64 n) { return compact_scratch_bytes<u32>(n); });
  check("compact of large items", [](u64 n) { return compact_scratch_bytes<large>(n); });
  check("compact_in_place", [](u64 n) { return compact_in_place_scratch_bytes<u32, u64>(n); });
  constexpr u64 eight_tiles = 8 * detail::row_shapes<u32>::large::items;
  check("compact_rows", [](u64 n) { return compact_rows_scratch_bytes<u32>({.rows = n, .width = eight_tiles}); });
  check("compact_rows, rows", [](u64 n) { return compact_rows_scratch_bytes<u32>({.rows = 100'000, .width = n}); });
  check("compact_segments", [](u64 n) { return compact_segments_scratch_bytes<u32>(n); });
  check("split", [](u64 n) { return split_scratch_bytes<u32>(n); });
  check("split_in_place", [](u64 n) { return split_in_place_scratch_bytes<u32>(n); });
  check("split_in_place of large items", [](u64 n) { return split_in_place_scratch_bytes<large>(n); });
  check("multisplit", [](u64 n) { return multisplit_scratch_bytes<u32>(n, 256); });
  check("unique", [](u64 n) { return unique_scratch_bytes<u32>(n); });
  check("run_length_encode", [](u64 n) { return run_length_encode_scratch_bytes<u32, u64>(n); });
  check("reduce", [](u64 n) { return reduce_scratch_bytes<u32>(n); });
  check("reduce_by_key", [](u64 n) { return reduce_by_key_scratch_bytes<u32, u32>(n); });
  check("segmented_reduce", [](u64 n) { return segmented_reduce_scratch_bytes<u32>(n); });
  check("scan", [](u64 n) { return scan_scratch_bytes<u32>(n); });
  check("segmented_scan", [](u64 n) { return segmented_scan_scratch_bytes<u32>(n); });
  check("segmented_scan by offsets", [](u64 n) { return segmented_scan_by_offsets_scratch_bytes<u32>(n); });
  check("blockwise_scan", [](u64 n) { return blockwise_scan_scratch_bytes<u32>(n, 100'000); });
  check("batched_scan", [](u64 n) { return batched_scan_scratch_bytes<u32>(n, 100'000); });
  check("bit_ranks", [](u64 n) { return bit_ranks_scratch_bytes(n); });
  check("word_ranks", [](u64 n) { return word_ranks_scratch_bytes(n); });
  check("merge", [](u64 n) { return merge_scratch_bytes<u32>(n); });
  check("sort", [](u64 n) { return sort_scratch_bytes<u32>(n); });
  check("sort_ping_pong", [](u64 n) { return sort_ping_pong_scratch_bytes<u32>(n); });
  check("sort_pairs", [](u64 n) { return sort_pairs_scratch_bytes<u32, large>(n); });
  check("segmented_sort", [](u64 n) { return segmented_sort_scratch_bytes<u32>(n); });
  check("top_k", [](u64 n) { return top_k_scratch_bytes<u32>(n, 1000); });
  check("top_k of all", [](u64 n) { return top_k_scratch_bytes<u32>(n, n); });
  check("batched_top_k_pairs", [](u64 n) { return batched_top_k_pairs_scratch_bytes(n, 8); });
  check("batched_top_k_indices", [](u64 n) { return batched_top_k_indices_scratch_bytes<u32>(n, 8); });
}

// Rows of no keys take no memory, so there may be any number of them. Their outputs do.
TEST_CASE("more rows than any output has room for") {
  const guarded<u32> keys(n), values(n);
  guarded<u32> out(n), values_out(n);
  const auto refuse = [](const std::string& name, auto&& call) {
    refused(name, "items, at least 18446744073709551615 are needed", call);
  };
  const row_layout rows{.rows = u64{1} << 61, .width = 0};
  refuse("batched_top_k", [&](const exec& gpu) { batched_top_k(gpu, keys, rows, 8, out); });
  refuse("batched_top_k_pairs",
         [&](const exec& gpu) { batched_top_k_pairs(gpu, keys, values, rows, 8, out, values_out); });
  refuse("batched_top_k_indices", [&](const exec& gpu) { batched_top_k_indices(gpu, keys, rows, 8, out); });
}

TEST_CASE("more positions than their type counts") {
  const u64 most = u64{1} << 32;
  const guarded<u32> keys(n);
  const std::span<const u32> many(keys.data(), most + 1);  // nobody reads them
  const guarded<u64> begins(2);
  guarded<u32> out(n), words(n / 32);
  guarded<u64> indices(n), counts(3);
  u64* const count = counts.data();
  const auto refuse = [&](const std::string& name, auto&& call) { refused(name, "more positions", call); };
  const positions all(most + 1);
  refuse("compact", [&](const exec& gpu) { compact(gpu, all, is_odd{}, out, count); });
  refuse("compact a zip", [&](const exec& gpu) {
    compact(gpu, zip{many, all}, on_first{is_odd{}}, zip{out, words}, count);
  });
  refuse("compact by flags", [&](const exec& gpu) {
    compact(gpu, all, bit_flags{{words.data(), std::size_t{1} << 28}}, out, count);
  });
  refuse("compact_indices", [&](const exec& gpu) { compact_indices(gpu, all, is_odd{}, indices, count); });
  refuse("compact_rows", [&](const exec& gpu) { compact_rows(gpu, all, {3, 4}, is_odd{}, out, counts); });
  refuse("compact_segments",
         [&](const exec& gpu) { compact_segments(gpu, all, begins, is_odd{}, out, std::span(counts.data(), 2)); });
  refuse("count_if", [&](const exec& gpu) { count_if(gpu, all, is_odd{}, count); });
  refuse("flag_bits", [&](const exec& gpu) { flag_bits(gpu, all, is_odd{}, words); });
  refuse("split", [&](const exec& gpu) { split(gpu, all, is_odd{}, out, words, count); });
  refuse("split, one output", [&](const exec& gpu) { split(gpu, all, is_odd{}, out, count); });
  refuse("multisplit", [&](const exec& gpu) { multisplit(gpu, all, last_digit{}, 2, out, counts); });
  refuse("unique", [&](const exec& gpu) { unique(gpu, all, out, count); });
  refuse("unique_by_key", [&](const exec& gpu) { unique_by_key(gpu, many, all, out, words, count); });
  refuse("unique_by_key, keys", [&](const exec& gpu) { unique_by_key(gpu, all, many, out, words, count); });
  refuse("run_offsets", [&](const exec& gpu) { run_offsets(gpu, all, out, indices, count); });
  refuse("run_length_encode", [&](const exec& gpu) { run_length_encode(gpu, all, out, indices, count); });
  refuse("of bytes", [&](const exec& gpu) { count_if(gpu, positions<u8>(257), is_odd{}, count); });

  // One position less is not too many, and what is refused then is the lack of scratch.
  const exec without_scratch(test::test_stream(), std::span<std::byte>{});
  refused("indices of 2^32 items", "scratch has",
          [&](const exec&) { compact_indices(without_scratch, far_away<const u32>(most), is_odd{}, out, count); });
  refused("indices of 2^32 positions", "scratch has",
          [&](const exec&) { compact_indices(without_scratch, positions(most), is_odd{}, out, count); });
  refused("compact of 2^32 positions", "scratch has",
          [&](const exec&) { compact(without_scratch, positions(most), is_odd{}, out, count); });
  refused("indices of one more", "for more items than they count",
          [&](const exec& gpu) { compact_indices(gpu, far_away<const u32>(most + 1), is_odd{}, out, count); });
  refused("64-bit indices of one more", "scratch has", [&](const exec&) {
    compact_indices(without_scratch, far_away<const u32>(most + 1), is_odd{}, indices, count);
  });

  // As many as the type counts; and any number where flags alone decide, and no position is looked
  // at.
  const std::size_t more = 300;
  const guarded<u8> flags(std::vector<u8>(more, 1));
  guarded<u32> at(more);
  const exec where = allocating(test::test_stream());
  count_if(where, positions<u8>(256), is_odd{}, count);
  count_if(where, positions<u8>(more), byte_flags{flags}, count + 1);
  compact_indices(where, positions<u8>(more), byte_flags{flags}, at, count + 2);
  flag_bits(where, positions<u8>(more), byte_flags{flags}, words);
  CHECK(counts.read() == std::vector<u64>{128, more, more});
  CHECK(at.read().back() == more - 1);
  CHECK(words.read().back() == (1u << more % 32) - 1);
}

}  // namespace contract_limits
