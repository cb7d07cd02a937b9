// SPDX-License-Identifier: Apache-2.0
// The numbers of docs/reference.md for scratch, against the functions: the name of each case stands
// there word for word (tests/house/reference_test.py).
#include <ballot/argsort_by_columns.cuh>
#include <ballot/batched_scan.cuh>
#include <ballot/bit_ranks.cuh>
#include <ballot/blockwise_scan.cuh>
#include <ballot/compact.cuh>
#include <ballot/compact_rows.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/sort_ping_pong.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>
#include <ballot/unique.cuh>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace ballot;

namespace contract_scratch {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using u128 = unsigned __int128;
struct wide {
  u64 a, b;
};

constexpr u64 kibi = 1024, mebi = kibi * kibi;
constexpr u64 any = u64{1} << 34;

// Around every power of two, and between.
std::vector<u64> lengths(u64 from, u64 to) {
  std::vector<u64> all;
  for (u64 power = 1; power <= any; power *= 2)
    for (const u64 n : {power - 1, power, power + 1, power / 2 * 3 + 5})
      if (from <= n && n <= to) all.push_back(n);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// A caller with a length on the device has scratch for the most there may be: fewer items never
// take more.
template <class Bytes>
void check_ascends(Bytes&& bytes, u64 from, u64 to) {
  std::size_t before = 0;
  for (const u64 n : lengths(from, to)) {
    CAPTURE(n);
    if (n > from) CHECK(bytes(n - 1) >= before);
    CHECK(bytes(n) >= (n > from ? bytes(n - 1) : 0));
    before = bytes(n);
  }
}

// bytes(n) is at most per_item n, and that is not much more than it has to be at the end of the
// range. `parts`: each is rounded to 256 bytes.
template <class Bytes>
void check_bound(Bytes&& bytes, double per_item, u64 from = 1, u64 to = any, int parts = 2) {
  for (const u64 n : lengths(from, to)) {
    CAPTURE(n);
    CAPTURE(bytes(n));
    CHECK(static_cast<double>(bytes(n)) <= per_item * static_cast<double>(n) + 256 * parts);
  }
  CHECK(static_cast<double>(bytes(to)) >= 0.8 * per_item * static_cast<double>(to));
  check_ascends(bytes, from, to);
}

TEST_CASE("| up to 4 bytes | 8 | 0.002 n (u32) | 0.004 n |") {
  check_bound(scan_scratch_bytes<u32>, 0.002, mebi + 1, any, 3);
  check_bound(scan_scratch_bytes<u32>, 0.0042, 1, mebi / 2, 3);
}
TEST_CASE("| up to 12 bytes | 16 | 0.008 n (u64) | 0.011 n |") {
  check_bound(scan_scratch_bytes<u64>, 0.008, mebi + 1, any, 3);
  check_bound(scan_scratch_bytes<u64>, 0.011, 1, 3 * mebi / 4, 3);
}
TEST_CASE("| up to 16 bytes | 32 | 0.03 n (16 bytes) | 0.05 n |") {
  check_bound(scan_scratch_bytes<wide>, 0.03, mebi / 4, any, 3);
  check_bound(scan_scratch_bytes<wide>, 0.052, 1, mebi / 8, 3);
}
TEST_CASE("8, 16 or 32 bytes a tile") {
  // And up to 128 tiles for few items, which have small tiles.
  check_bound(segmented_scan_scratch_bytes<u32>, 0.0017, 1, any, 3 + 4);
  check_bound(segmented_scan_scratch_bytes<u64>, 0.005, 1, any, 3 + 8);
  check_bound(segmented_scan_scratch_bytes<wide>, 0.02, 1, any, 3 + 16);
}
TEST_CASE("and n / 8 bytes") {
  check_bound(segmented_scan_by_offsets_scratch_bytes<u32>, 0.125 + 0.002, 1, any, 4 + 4);
}
TEST_CASE("none, or as segmented") {
  CHECK(blockwise_scan_scratch_bytes<u32>(any, 1000) == 0);
  CHECK(blockwise_scan_scratch_bytes<u32>(any, 100'000) == segmented_scan_scratch_bytes<u32>(any));
}
TEST_CASE("none for rows up to 60 KiB") {
  CHECK(batched_scan_scratch_bytes<float>(1000, 15 * kibi) == 0);
  CHECK(batched_scan_scratch_bytes<double>(1000, 15 * kibi / 2) == 0);
  CHECK(batched_scan_scratch_bytes<float, double>(1000, 15 * kibi) == 0);
  CHECK(batched_scan_scratch_bytes<float>(1000, 15 * kibi + 1) > 0);
}
TEST_CASE("`bit_ranks_scratch_bytes(n)`: 0.001 n") { check_bound(bit_ranks_scratch_bytes, 0.001, 1, any, 3); }

TEST_CASE("at most 21 KiB for results of 8 bytes, none for small n") {
  std::size_t most = 0;
  for (const u64 n : lengths(1, any)) most = std::max(most, reduce_scratch_bytes<u64>(n));
  CHECK(most == 84 * 256);
  CHECK(reduce_scratch_bytes<u64>(1000) == 0);
}

TEST_CASE("8 bytes a tile (u32: 0.0016 n)") {
  check_bound(compact_scratch_bytes<u32>, 0.0017, 1, any, 3);
  check_bound(compact_segments_scratch_bytes<u32>, 0.125 + 0.004, 1, any, 5);
}
TEST_CASE("of C > 1 ranges and n / 8") {
  check_bound(compact_in_place_scratch_bytes<u32, u32>, 0.125 + 0.004, 1, any, 4);
  for (const u64 n : lengths(1, any)) {  // and what the column with the smallest tiles takes, wherever it stands
    CHECK(compact_in_place_scratch_bytes<u8, u64>(n) >= n / 8 + compact_in_place_scratch_bytes<u64>(n));
    CHECK(compact_in_place_scratch_bytes<u64, u8>(n) >= n / 8 + compact_in_place_scratch_bytes<u64>(n));
  }
  check_bound(split_in_place_scratch_bytes<u32, u32>, 0.25 + 0.125 + 0.004, 64 * kibi, any, 6);
}
TEST_CASE("8 bytes a tile, a tile or more a row") {
  for (const u64 rows : {1, 10, 1000, 100'000})
    CHECK(compact_rows_scratch_bytes<u32>({.rows = rows, .width = 100, .pitch = 100}) <= 8 * rows + 768);
}
TEST_CASE("8 to 24 bytes a tile") {  // 24 of u32: 3 times 0.002
  for (const u64 n : lengths(1, any)) CHECK(split_scratch_bytes<u32>(n) <= n / 166 + 1024);
}
TEST_CASE("n / 16 items (0.25 n bytes for u32), less than n / 8 items from 2^13 items on") {
  check_bound(split_in_place_scratch_bytes<u32>, 0.25 + 0.002, 64 * kibi, any, 6);
  for (const u64 n : lengths(8 * kibi, any)) CHECK(split_in_place_scratch_bytes<u32>(n) < n / 8 * sizeof(u32));
}
TEST_CASE("8 bytes a bucket and tile (u32 and 8 buckets: 0.032 n); few items none, a sweep 1 KiB a tile") {
  check_bound([](u64 n) { return multisplit_scratch_bytes<u32>(n, 8); }, 0.032, 1, any, 5);
  const auto many_buckets = [](u64 n) { return multisplit_scratch_bytes<u32>(n, 256); };
  CHECK(many_buckets(4096) == 0);
  check_ascends(many_buckets, 1, any);
  check_bound(many_buckets, 0.126, 32 * mebi, (u64{1} << 30) - 1, 5);
}
TEST_CASE("8 bytes a tile, from 2^31 items on 32") {
  const auto bytes = run_length_encode_scratch_bytes<u32, u64>;
  const double few = static_cast<double>(bytes((u64{1} << 31) - 1)), many = static_cast<double>(bytes(u64{1} << 31));
  CHECK(many / few == doctest::Approx(4).epsilon(0.01));
  constexpr double smaller_tiles =
      double{detail::unique_shapes<u32>::many::items} / double{detail::run_length_shapes<u32>::many::items};
  CHECK(static_cast<double>(unique_scratch_bytes<u32>(any)) * 4 * smaller_tiles ==
        doctest::Approx(bytes(any)).epsilon(0.01));
}

// Besides buffers of so many bytes an item.
template <class Bytes>
void check_sort(Bytes&& bytes, std::size_t key_bytes, std::size_t buffers) {
  check_ascends(bytes, 1, u64{1} << 32);
  for (const u64 n : lengths(1, u64{1} << 32)) {
    CAPTURE(n);
    const double besides = static_cast<double>(bytes(n)) - static_cast<double>(buffers * n);
    const double prefixes = n < 1u << 15 || key_bytes < 4 || key_bytes > 8 ? 0 : 256 * kibi;
    CHECK(besides >= 0);
    CHECK(besides <= (key_bytes == 16 ? 1.0 : 0.7) * static_cast<double>(n) + 40 * kibi + prefixes + 5 * 256);
  }
}
constexpr std::size_t k16 = 2, k32 = 4, k64 = 8, k128 = 16, w = 4, w64 = 8;

TEST_CASE("tile states of 0.17 to 0.7 bytes an item (of keys of 16 bytes 1.0), and up to 40 KiB") {
  check_sort(sort_ping_pong_scratch_bytes<u8>, 1, 0);
  check_sort(sort_ping_pong_scratch_bytes<u32>, k32, 0);
  check_sort(sort_ping_pong_scratch_bytes<u64>, k64, 0);
  check_sort(sort_ping_pong_scratch_bytes<u128>, k128, 0);
  check_sort(sort_pairs_ping_pong_scratch_bytes<u32, u32>, k32, 0);
  check_sort(sort_pairs_ping_pong_scratch_bytes<u64, u64>, k64, 0);
  check_sort(sort_pairs_ping_pong_scratch_bytes<u128, u64>, k128, 0);
  check_bound(sort_pairs_ping_pong_scratch_bytes<u32, u32>, 0.18, u64{1} << 28, u64{1} << 30, 0);
}
TEST_CASE("`sort_scratch_bytes<K>`: a key |") {
  check_sort(sort_scratch_bytes<u16>, k16, k16);
  check_sort(sort_scratch_bytes<u32>, k32, k32);
  check_sort(sort_scratch_bytes<u128>, k128, k128);
}
TEST_CASE("`sort_in_place_scratch_bytes<K>`: a key |") {
  check_sort(sort_in_place_scratch_bytes<u8>, 1, 1);
  check_sort(sort_in_place_scratch_bytes<u64>, k64, k64);
}
struct bytes3 {
  u8 byte[3];
};
struct floats {
  float x, y;
};

TEST_CASE("`sort_pairs_scratch_bytes<K, V>`: a key and a value |") {
  check_sort(sort_pairs_scratch_bytes<u32, u64>, k32, k32 + w64);
  check_sort(sort_pairs_scratch_bytes<u32, u8>, k32, k32 + 1);
  check_sort(sort_pairs_scratch_bytes<u64, u16>, k64, k64 + 2);
}
TEST_CASE("`sort_pairs_in_place_scratch_bytes<K, V>`: a key and a value |") {
  check_sort(sort_pairs_in_place_scratch_bytes<u64, u32>, k64, k64 + 4);
}
TEST_CASE("| `sort_pairs` | a key and 2 words | P + 3; an even P one more | a key and 2 W |") {
  check_sort(sort_pairs_scratch_bytes<u64, bytes3>, k64, k64 + 2 * 4);
  check_sort(sort_pairs_scratch_bytes<u32, floats>, k32, k32 + 2 * 8);
  check_sort(sort_pairs_scratch_bytes<u32, wide>, k32, k32 + 2 * w);
}
TEST_CASE("| `sort_pairs_in_place` | a key and 2 words | two more than inline | a key, 2 W and a value |") {
  check_sort(sort_pairs_in_place_scratch_bytes<u32, floats>, k32, k32 + 2 * 8);
  check_sort(sort_pairs_in_place_scratch_bytes<u32, wide>, k32, k32 + 2 * w + sizeof(wide));
}
TEST_CASE("`argsort_scratch_bytes<K, Index>`: 2 keys and an index |") {
  check_sort(argsort_scratch_bytes<u32, u32>, k32, 2 * k32 + w);
  check_sort(argsort_scratch_bytes<u128, u64>, k128, 2 * k128 + w64);
}
TEST_CASE("`sort_by_scratch_bytes<K, T>`: 3 keys and an item |") {
  check_sort(sort_by_scratch_bytes<u32, u64>, k32, 3 * k32 + 8);
}
TEST_CASE("| 3 keys and 2 words | P + 4; an odd P one more | 3 keys and 2 W |") {
  check_sort(sort_by_scratch_bytes<u32, bytes3>, k32, 3 * k32 + 2 * 4);
  check_sort(sort_by_scratch_bytes<u64, floats>, k64, 3 * k64 + 2 * 8);
  check_sort(sort_by_scratch_bytes<u64, wide>, k64, 3 * k64 + 2 * w);
}
TEST_CASE("`argsort_by_scratch_bytes<K, Index>`: 3 keys and an index |") {
  check_sort(argsort_by_scratch_bytes<u32, u32>, k32, 3 * k32 + w);
  check_sort(argsort_further_scratch_bytes<u32, u32>, k32, 3 * k32 + w);
  check_sort(argsort_by_columns_scratch_bytes<u32, u16, u64, u32>, k64, 3 * k64 + w);
}
TEST_CASE("Few passes take less scratch:") {
  check_sort(sort_scratch_bytes<u8>, 1, 0);
  check_sort(sort_pairs_scratch_bytes<u8, u32>, 1, 0);
  check_sort(sort_pairs_scratch_bytes<u8, floats>, 1, 1 + 2 * 8);
  check_sort(sort_pairs_scratch_bytes<u8, wide>, 1, w);
  check_sort(argsort_scratch_bytes<u8, u32>, 1, 0);
  check_sort(sort_by_scratch_bytes<u8, u32>, 1, 1);
  check_sort(sort_by_scratch_bytes<u8, floats>, 1, 2 + 2 * 8);
  check_sort(sort_by_scratch_bytes<u8, wide>, 1, 1 + w);
  check_sort(argsort_by_scratch_bytes<u8, u32>, 1, 1);
  check_sort(argsort_further_scratch_bytes<u8, u32>, 1, 2 + w);
  check_sort(argsort_scratch_bytes<u16, u32>, k16, k16 + w);
  check_sort(sort_by_scratch_bytes<u16, u32>, k16, 2 * k16 + 4);
}

// Besides keys and values of so many bytes an item, in ranges of n.
template <class Bytes>
void check_segmented(Bytes&& bytes, std::size_t buffers, double besides_at_most, u64 from, u64 to) {
  for (const u64 n : lengths(from, to)) {
    CAPTURE(n);
    const double besides = static_cast<double>(bytes(n)) - static_cast<double>(buffers * n);
    CHECK(besides >= 0);
    CHECK(besides <= besides_at_most * static_cast<double>(n) + 40 * kibi);
  }
}
TEST_CASE("| up to 2048 | none | 1 + 0 | | up to 65,536 | a key | 2 + 0 | | up to 2^20 | 2 keys | 3 + 0 |") {
  const auto of_32 = segmented_sort_scratch_bytes<u32>;
  const auto of_64 = segmented_sort_scratch_bytes<u64>;
  CHECK(of_32(2048) == 0);
  CHECK(of_64(2048) == 0);
  check_segmented(of_32, 4, 0.1, 2049, 65'536);
  check_segmented(of_32, 2 * 4, 0.1, 65'537, mebi);
  check_segmented(of_64, 8, 0.1, 2049, 65'536);
  check_segmented(of_64, 2 * 8, 0.1, 65'537, 655'360);
}
TEST_CASE("| more | 2 composites of segment and key |") {
  const auto of_32 = segmented_sort_scratch_bytes<u32>;
  const auto of_64 = segmented_sort_scratch_bytes<u64>;
  check_ascends(of_32, 1, any);
  check_ascends(of_64, 1, any);
  check_segmented(of_32, 2 * 8, 0.45, mebi + 1, any);
  check_segmented(of_64, 2 * 16, 1.1, 655'361, any);
}
TEST_CASE("with each key a value, with 2 composites 2 values. V indirect: W in place of V, one W more") {
  const auto travelling = segmented_sort_pairs_scratch_bytes<u32, u32>;
  check_segmented(travelling, 4 + 4, 0.1, 2049, 65'536);
  check_segmented(travelling, 2 * (4 + 4), 0.1, 65'537, mebi);
  check_segmented(travelling, 2 * (8 + 4), 0.75, mebi + 1, any);
  check_segmented(segmented_sort_pairs_scratch_bytes<u64, u64>, 2 * (16 + 8), 1.1, 655'361, any);
  const auto staying = segmented_sort_pairs_scratch_bytes<u32, wide>;
  constexpr u64 most_in_32_bits = (u64{1} << 32) - 1;  // from there on W has 8 bytes
  check_ascends(travelling, 1, any);
  check_ascends(segmented_sort_pairs_scratch_bytes<u64, u64>, 1, any);
  check_ascends(staying, 1, most_in_32_bits);
  check_segmented(staying, w, 0, 1, 2048);
  check_segmented(staying, 2 * (8 + w) + w, 0.75, mebi + 1, most_in_32_bits);
}

}  // namespace contract_scratch
