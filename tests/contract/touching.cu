// SPDX-License-Identifier: Apache-2.0
// Ranges of one call that touch, which every call takes, and that overlap by a byte, which it
// refuses before any work.
#include <ballot/ballot.cuh>

#include "support/adjacent.hpp"
#include "support/refused.hpp"

using namespace ballot;
using test::is_odd;
using test::last_digit;

namespace contract_touching {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 320;

// Ranges of a call: n words, flags of n words as bytes and as bits, a number. Those that it only
// reads stand first.
constexpr std::size_t words = 4 * n, bytes = n, bits = n / 8, one = 8;
using test::placed;
using test::touching_and_overlapping;
using at_places = const std::vector<placed>&;

std::span<const u32> in(const placed& place) { return place.of<const u32>(); }
std::span<u32> out(const placed& place) { return place.of<u32>(); }
byte_flags flags_at(const placed& place) { return {place.of<const u8>()}; }

TEST_CASE("ranges that touch are taken, and those that overlap by a byte are not: selections") {
  touching_and_overlapping("compact", 1, {words, words, one}, [](const exec& gpu, at_places at) {
    compact(gpu, in(at[0]), is_odd{}, out(at[1]), at[2].word());
  });
  touching_and_overlapping("compact by flags", 2, {words, bytes, words, one}, [](const exec& gpu, at_places at) {
    compact(gpu, in(at[0]), flags_at(at[1]), out(at[2]), at[3].word());
  });
  touching_and_overlapping("compact_indices", 2, {words, bytes, words, one}, [](const exec& gpu, at_places at) {
    compact_indices(gpu, in(at[0]), flags_at(at[1]), out(at[2]), at[3].word());
  });
  touching_and_overlapping("compact_in_place", 1, {bytes, words, one}, [](const exec& gpu, at_places at) {
    compact_in_place(gpu, out(at[1]), flags_at(at[0]), at[2].word());
  });
  touching_and_overlapping("compact_in_place of a zip", 1, {bytes, words, words, one},
                           [](const exec& gpu, at_places at) {
                             compact_in_place(gpu, zip{out(at[1]), out(at[2])}, flags_at(at[0]), at[3].word());
                           });
  touching_and_overlapping("compact_rows", 1, {words, words, 10 * one}, [](const exec& gpu, at_places at) {
    compact_rows(gpu, in(at[0]), {.rows = 10, .width = 30, .pitch = 32}, is_odd{}, out(at[1]), at[2].of<u64>());
  });
  touching_and_overlapping(
      "compact_segments", 2, {words, 12 * one, words, 12 * one}, [](const exec& gpu, at_places at) {
        compact_segments(gpu, in(at[0]), at[1].of<const u64>(), is_odd{}, out(at[2]), at[3].of<u64>());
      });
  touching_and_overlapping("count_if", 3, {words, words, bytes, one}, [](const exec& gpu, at_places at) {
    count_if(gpu, zip{in(at[0]), out(at[1])}, flags_at(at[2]), at[3].word());
  });
  touching_and_overlapping("flag_bits", 1, {words, bits},
                           [](const exec& gpu, at_places at) { flag_bits(gpu, in(at[0]), is_odd{}, out(at[1])); });
  touching_and_overlapping("split", 2, {words, bytes, words, words, one}, [](const exec& gpu, at_places at) {
    split(gpu, in(at[0]), flags_at(at[1]), out(at[2]), out(at[3]), at[4].word());
  });
  touching_and_overlapping("split, one output", 2, {words, bytes, words, one}, [](const exec& gpu, at_places at) {
    split(gpu, in(at[0]), flags_at(at[1]), out(at[2]), at[3].word());
  });
  touching_and_overlapping("split_in_place", 1, {bytes, words, one}, [](const exec& gpu, at_places at) {
    split_in_place(gpu, out(at[1]), flags_at(at[0]), at[2].word());
  });
  touching_and_overlapping("multisplit", 1, {words, words, 11 * one}, [](const exec& gpu, at_places at) {
    multisplit(gpu, in(at[0]), last_digit{}, 10, out(at[1]), at[2].of<u64>());
  });
  touching_and_overlapping("unique", 1, {words, words, one},
                           [](const exec& gpu, at_places at) { unique(gpu, in(at[0]), out(at[1]), at[2].word()); });
  touching_and_overlapping("unique_in_place", 0, {words, one},
                           [](const exec& gpu, at_places at) { unique_in_place(gpu, out(at[0]), at[1].word()); });
  touching_and_overlapping("unique_by_key", 1, {words, words, words, one}, [](const exec& gpu, at_places at) {
    unique_by_key(gpu, in(at[0]), positions(n), out(at[1]), out(at[2]), at[3].word());
  });
  touching_and_overlapping("run_offsets", 1, {words, words, words, one}, [](const exec& gpu, at_places at) {
    run_offsets(gpu, in(at[0]), out(at[1]), out(at[2]), at[3].word());
  });
  touching_and_overlapping("run_length_encode", 1, {words, words, words, one}, [](const exec& gpu, at_places at) {
    run_length_encode(gpu, in(at[0]), out(at[1]), out(at[2]), at[3].word());
  });
}

TEST_CASE("ranges that touch are taken, and those that overlap by a byte are not: sorts") {
  touching_and_overlapping("sort", 1, {words, words},
                           [](const exec& gpu, at_places at) { sort(gpu, in(at[0]), out(at[1])); });
  touching_and_overlapping("sort_pairs", 2, {words, words, words, words}, [](const exec& gpu, at_places at) {
    sort_pairs(gpu, in(at[0]), in(at[1]), out(at[2]), out(at[3]));
  });
  touching_and_overlapping("sort_pairs_in_place", 0, {words, words},
                           [](const exec& gpu, at_places at) { sort_pairs_in_place(gpu, out(at[0]), out(at[1])); });
  touching_and_overlapping("argsort", 1, {words, words},
                           [](const exec& gpu, at_places at) { argsort(gpu, in(at[0]), out(at[1])); });
  touching_and_overlapping("argsort with keys", 1, {words, words, words},
                           [](const exec& gpu, at_places at) { argsort(gpu, in(at[0]), out(at[1]), out(at[2])); });
  touching_and_overlapping("sort_by", 1, {words, words},
                           [](const exec& gpu, at_places at) { sort_by(gpu, in(at[0]), last_digit{}, out(at[1])); });
  touching_and_overlapping("argsort_by", 1, {words, words},
                           [](const exec& gpu, at_places at) { argsort_by(gpu, in(at[0]), last_digit{}, out(at[1])); });
  touching_and_overlapping("argsort_further", 1, {words, words},
                           [](const exec& gpu, at_places at) { argsort_further(gpu, in(at[0]), out(at[1])); });
  touching_and_overlapping("argsort_by_columns", 2, {words, words, words}, [](const exec& gpu, at_places at) {
    argsort_by_columns(gpu, out(at[2]), in(at[0]), in(at[1]));
  });
  touching_and_overlapping("sort_ping_pong", 0, {words, words},
                           [](const exec& gpu, at_places at) { sort_ping_pong(gpu, out(at[0]), out(at[1])); });
  touching_and_overlapping("sort_pairs_ping_pong", 0, {words, words, words, words}, [](const exec& gpu, at_places at) {
    sort_pairs_ping_pong(gpu, out(at[0]), out(at[1]), out(at[2]), out(at[3]));
  });
  touching_and_overlapping("segmented_sort", 2, {words, words, words}, [](const exec& gpu, at_places at) {
    segmented_sort(gpu, in(at[0]), in(at[1]), out(at[2]));
  });
  touching_and_overlapping("segmented_sort_pairs", 3, {words, words, words, words, words},
                           [](const exec& gpu, at_places at) {
                             segmented_sort_pairs(gpu, in(at[0]), in(at[1]), in(at[2]), out(at[3]), out(at[4]));
                           });
}

TEST_CASE("ranges that touch are taken, and those that overlap by a byte are not: scans and reductions") {
  touching_and_overlapping("inclusive_scan", 1, {words, words},
                           [](const exec& gpu, at_places at) { inclusive_scan(gpu, in(at[0]), out(at[1])); });
  touching_and_overlapping("exclusive_scan", 1, {words, words},
                           [](const exec& gpu, at_places at) { exclusive_scan(gpu, in(at[0]), out(at[1])); });
  touching_and_overlapping("a total", 1, {words, 2 * words, one}, [](const exec& gpu, at_places at) {
    inclusive_scan(gpu, in(at[0]), at[1].of<u64>(), {.total = at[2].word()});
  });
  touching_and_overlapping("counts_to_offsets", 1, {words - 8, words - 4},
                           [](const exec& gpu, at_places at) { counts_to_offsets(gpu, in(at[0]), out(at[1])); });
  touching_and_overlapping("inclusive_scan_flags", 1, {bytes, words}, [](const exec& gpu, at_places at) {
    inclusive_scan_flags(gpu, at[0].of<const u8>(), out(at[1]));
  });
  touching_and_overlapping("segmented_inclusive_scan", 2, {words, bytes, words}, [](const exec& gpu, at_places at) {
    segmented_inclusive_scan(gpu, in(at[0]), flags_at(at[1]), out(at[2]));
  });
  touching_and_overlapping("segmented scan by offsets", 2, {words, words, words}, [](const exec& gpu, at_places at) {
    segmented_inclusive_scan(gpu, in(at[0]), segment_offsets{in(at[1])}, out(at[2]));
  });
  touching_and_overlapping("blockwise_inclusive_scan", 1, {words, words}, [](const exec& gpu, at_places at) {
    blockwise_inclusive_scan(gpu, in(at[0]), out(at[1]), 32);
  });
  touching_and_overlapping("batched_scan", 1, {words, words}, [](const exec& gpu, at_places at) {
    batched_scan(gpu, in(at[0]), out(at[1]), {.rows = 10, .length = 32}, scan_directions::forward);
  });
  touching_and_overlapping("sum", 1, {words, one},
                           [](const exec& gpu, at_places at) { sum(gpu, in(at[0]), at[1].word()); });
  touching_and_overlapping("reduce", 1, {words, one}, [](const exec& gpu, at_places at) {
    reduce(gpu, in(at[0]), u64{1}, maximum{}, at[1].word());
  });
  touching_and_overlapping("minimum_of", 1, {words, one},
                           [](const exec& gpu, at_places at) { minimum_of(gpu, in(at[0]), at[1].word()); });
  touching_and_overlapping("arg_min", 1, {words, 2 * one}, [](const exec& gpu, at_places at) {
    arg_min(gpu, in(at[0]), at[1].of<indexed<u32>>().data());
  });
  touching_and_overlapping("bit_ranks", 1, {bits, words, one}, [](const exec& gpu, at_places at) {
    bit_ranks(gpu, {in(at[0])}, n, out(at[1]), at[2].word());
  });
  touching_and_overlapping("word_ranks", 1, {bits, bits, one}, [](const exec& gpu, at_places at) {
    word_ranks(gpu, {in(at[0])}, n, out(at[1]), at[2].word());
  });
}

}  // namespace contract_touching
