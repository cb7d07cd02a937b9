// SPDX-License-Identifier: Apache-2.0
// The runtime calls of each public scan and reduction, against docs/reference.md.
#include <ballot/batched_scan.cuh>
#include <ballot/bit_ranks.cuh>
#include <ballot/blockwise_scan.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>

#include "support/runtime_calls.hpp"

using namespace ballot;
using test::check_contract;
using test::guarded;

namespace contract_scans {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 3000;

TEST_CASE("contract: device scans") {
  constexpr std::size_t n = 20000;  // several tiles
  const guarded<u32> in(std::vector<u32>(n, 3));
  const guarded<std::uint8_t> flags(std::vector<std::uint8_t>(n, 1));
  guarded<u32> out(n), offsets(n + 1);
  guarded<u64> sums(n);
  device_value<u32> total(test::test_stream());
  const std::size_t bytes = scan_scratch_bytes<u32>(n);

  test::with_and_without_clusters([&](std::uint64_t launches) {
    check_contract("inclusive_scan", bytes, {launches}, [&](const exec& gpu) { inclusive_scan(gpu, in, out); });
    check_contract("exclusive_scan", scan_scratch_bytes<u64>(n), {launches},
                   [&](const exec& gpu) { exclusive_scan(gpu, in, sums); });
    check_contract("inclusive_scan, backward, total", bytes, {launches}, [&](const exec& gpu) {
      inclusive_scan(gpu, in, minimum{}, out, {.total = total, .order = scan_order::backward});
    });
    check_contract("counts_to_offsets", bytes, {launches},
                   [&](const exec& gpu) { counts_to_offsets(gpu, in, offsets); });
    check_contract("inclusive_scan_flags", bytes, {launches},
                   [&](const exec& gpu) { inclusive_scan_flags(gpu, flags, out, {.total = total}); });
    check_contract("exclusive_scan_flags", bytes, {launches},
                   [&](const exec& gpu) { exclusive_scan_flags(gpu, flags, out, {.total = total}); });
  });
  const guarded<u32> few(std::vector<u32>(100000, 3));
  guarded<u32> few_sums(few.size());
  check_contract("inclusive_scan of more than a cluster", scan_scratch_bytes<u32>(few.size()), {2},
                 [&](const exec& gpu) { inclusive_scan(gpu, few, few_sums); });
#if !BALLOT_EMULATED
  const guarded<u32> many(std::vector<u32>(detail::few_scan_items<u32> + 1, 3));
  guarded<u32> many_sums(many.size());
  check_contract("inclusive_scan of many", scan_scratch_bytes<u32>(many.size()), {2},
                 [&](const exec& gpu) { inclusive_scan(gpu, many, many_sums); });
#endif
  const guarded<float> floats(std::vector<float>(n, 3));
  guarded<float> float_sums(n);
  check_contract("inclusive_scan, reproducible", scan_scratch_bytes<float>(n), {2},
                 [&](const exec& gpu) { inclusive_scan(gpu, floats, float_sums, {.reproducible = true}); });
  const guarded<u32> one_tile(std::vector<u32>(1000, 3));
  guarded<u32> sums_of_tile(1000);
  check_contract("inclusive_scan of one tile", scan_scratch_bytes<u32>(1000), {1},
                 [&](const exec& gpu) { inclusive_scan(gpu, one_tile, sums_of_tile, {.total = total}); });
  check_contract("exclusive_scan of one tile, backward", scan_scratch_bytes<u32>(1000), {1}, [&](const exec& gpu) {
    exclusive_scan(gpu, one_tile, sums_of_tile, {.order = scan_order::backward});
  });
  const std::span<u32> none;
  check_contract("exclusive_scan of none", 0, {0}, [&](const exec& gpu) { exclusive_scan(gpu, none, none); });
}

TEST_CASE("contract: segmented and block-wise scans") {
  constexpr std::size_t n = 20000;  // several tiles
  const guarded<u32> in(std::vector<u32>(n, 3)), offsets(std::vector<u32>{0, 7, 7, 2000});
  const guarded<std::uint8_t> flags(std::vector<std::uint8_t>(n, 0));
  const guarded<u32> words(std::vector<u32>((n + 31) / 32, 0x80u));
  const byte_flags heads{flags};
  guarded<u32> out(n);
  const std::span<const u32> few(in.data(), 1000);
  const std::span<u32> few_sums(out.data(), few.size());
  check_contract(
      "segmented_inclusive_scan of one tile", segmented_scan_scratch_bytes<u32>(few.size()), {1},
      [&](const exec& gpu) { segmented_inclusive_scan(gpu, few, bit_flags{std::span(words.data(), 32)}, few_sums); });
  check_contract("segmented_inclusive_scan_backward of one tile", segmented_scan_scratch_bytes<u32>(few.size()), {1},
                 [&](const exec& gpu) {
                   segmented_inclusive_scan_backward(gpu, few, byte_flags{std::span(flags.data(), 1000)}, few_sums);
                 });
  const std::size_t bytes = segmented_scan_scratch_bytes<u32>(n);

  test::with_and_without_clusters([&](std::uint64_t launches) {
    check_contract("segmented_inclusive_scan", bytes, {launches},
                   [&](const exec& gpu) { segmented_inclusive_scan(gpu, in, heads, out); });
    check_contract("segmented_exclusive_scan", bytes, {launches},
                   [&](const exec& gpu) { segmented_exclusive_scan(gpu, in, bit_flags{words}, out); });
    check_contract("segmented_inclusive_scan_backward", bytes, {launches},
                   [&](const exec& gpu) { segmented_inclusive_scan_backward(gpu, in, heads, out); });
    check_contract("segmented_exclusive_scan_backward", bytes, {launches},
                   [&](const exec& gpu) { segmented_exclusive_scan_backward(gpu, in, heads, out); });
    check_contract("segmented_exclusive_scan by offsets", segmented_scan_by_offsets_scratch_bytes<u32>(n), {launches},
                   [&](const exec& gpu) { segmented_exclusive_scan(gpu, in, segment_offsets{offsets}, out); });
    check_contract("blockwise_exclusive_scan, long blocks", blockwise_scan_scratch_bytes<u32>(n, 100000), {launches},
                   [&](const exec& gpu) { blockwise_exclusive_scan(gpu, in, out, 100000); });
  });
  const guarded<u32> many_offsets(std::vector<u32>(detail::most_listed_offsets + 1, 7));
  check_contract("segmented_exclusive_scan by many offsets", segmented_scan_by_offsets_scratch_bytes<u32>(n), {3},
                 [&](const exec& gpu) { segmented_exclusive_scan(gpu, in, segment_offsets{many_offsets}, out); });
  constexpr std::size_t some = 100000;  // more than a cluster
  const guarded<u32> some_items(std::vector<u32>(some, 3)), some_words(std::vector<u32>((some + 31) / 32, 0x80u));
  guarded<u32> some_sums(some);
  check_contract("segmented_inclusive_scan of more than a cluster", segmented_scan_scratch_bytes<u32>(some), {2},
                 [&](const exec& gpu) { segmented_inclusive_scan(gpu, some_items, bit_flags{some_words}, some_sums); });
  constexpr std::size_t many = (detail::few_tiles + 1) * detail::segmented_scan_shape<u32>::items;
  const guarded<u32> more(std::vector<u32>(many, 3)), more_words(std::vector<u32>((many + 31) / 32, 0x80u));
  guarded<u32> more_sums(many);
  check_contract("segmented_inclusive_scan of many", segmented_scan_scratch_bytes<u32>(many), {2},
                 [&](const exec& gpu) { segmented_inclusive_scan(gpu, more, bit_flags{more_words}, more_sums); });
  check_contract("blockwise_inclusive_scan", blockwise_scan_scratch_bytes<u32>(n, 512), {1},
                 [&](const exec& gpu) { blockwise_inclusive_scan(gpu, in, out, 512); });
}

TEST_CASE("contract: ranks of bits, reductions") {
  const guarded<u32> words(std::vector<u32>((n + 31) / 32, 0x81u));
  const bit_flags bits{words};
  guarded<u32> ranks(n), directory((n + 31) / 32);
  device_value<u64> total(test::test_stream());
  check_contract("bit_ranks of one tile", bit_ranks_scratch_bytes(n), {1},
                 [&](const exec& gpu) { bit_ranks(gpu, bits, n, ranks, total); });
  device_value<u32> short_total(test::test_stream());
  constexpr std::size_t whole_words = n / 32 * 32;
  check_contract("word_ranks of one tile", word_ranks_scratch_bytes(whole_words), {1}, [&](const exec& gpu) {
    word_ranks(gpu, bits, whole_words, std::span<u32>(directory.data(), n / 32), short_total);
  });
  check_contract("word_ranks of one tile, a last word that is not whole, a larger total", word_ranks_scratch_bytes(n),
                 {2}, [&](const exec& gpu) { word_ranks(gpu, bits, n, directory, total); });
  constexpr std::size_t tiles = 300000;  // bits of several tiles
  const guarded<u32> more_words(std::vector<u32>(tiles / 32, 0x81u));
  guarded<u32> more_ranks(tiles), more_directory(tiles / 32);
  check_contract("bit_ranks", bit_ranks_scratch_bytes(tiles), {2},
                 [&](const exec& gpu) { bit_ranks(gpu, bit_flags{more_words}, tiles, more_ranks, total); });
  test::with_and_without_clusters([&](std::uint64_t launches) {
    check_contract("word_ranks", word_ranks_scratch_bytes(tiles), {launches}, [&](const exec& gpu) {
      word_ranks(gpu, bit_flags{more_words}, tiles, more_directory, short_total);
    });
    check_contract("bit_ranks of few tiles", bit_ranks_scratch_bytes(50000), {launches}, [&](const exec& gpu) {
      bit_ranks(gpu, bit_flags{more_words}, 50000, std::span<u32>(more_ranks.data(), 50000), total);
    });
  });
  constexpr std::size_t bits_of_many = (detail::few_tiles + 1) * detail::bit_ranks_shape<u32>::items;
  const guarded<u32> many_words(std::vector<u32>(bits_of_many / 32, 0x81u));
  guarded<u32> many_ranks(bits_of_many);
  check_contract("bit_ranks of many", bit_ranks_scratch_bytes(bits_of_many), {2},
                 [&](const exec& gpu) { bit_ranks(gpu, bit_flags{many_words}, bits_of_many, many_ranks, total); });

  const guarded<u32> in(std::vector<u32>(n, 3));
  const guarded<float> floats(std::vector<float>(n, 3));
  device_value<float> least(test::test_stream());
  device_value<indexed<float>> where_least(test::test_stream());
  check_contract("sum", 0, {1}, [&](const exec& gpu) { sum(gpu, in, total); });
  check_contract("reduce", 0, {1}, [&](const exec& gpu) { reduce(gpu, in, u64{5}, maximum{}, total); });
  check_contract("minimum_of", 0, {1}, [&](const exec& gpu) { minimum_of(gpu, floats, least); });
  check_contract("maximum_of", 0, {1}, [&](const exec& gpu) { maximum_of(gpu, floats, least); });
  check_contract("arg_min", 0, {1}, [&](const exec& gpu) { arg_min(gpu, floats, where_least); });
  check_contract("arg_max", 0, {1}, [&](const exec& gpu) { arg_max(gpu, floats, where_least); });

  const guarded<u32> many(std::vector<u32>(50000, 3));  // more than one block takes
  // The public function counts the most blocks that any type of items takes.
  const std::size_t bytes = detail::bytes_at_any_address(
      detail::reduce_scratch_bytes_of<u64>(detail::reduce_shape<u32>::blocks(many.size())));
  CHECK(reduce_scratch_bytes<u64>(many.size()) >= bytes);
  test::with_and_without_clusters([&](std::uint64_t launches) {
    check_contract("sum of more", bytes, {launches}, [&](const exec& gpu) { sum(gpu, many, total); });
  });
  const guarded<u32> more_than_a_cluster(std::vector<u32>(200000, 3));
  check_contract("sum of more than a cluster",
                 detail::bytes_at_any_address(detail::reduce_scratch_bytes_of<u64>(
                     detail::reduce_shape<u32>::blocks(more_than_a_cluster.size()))),
                 {2}, [&](const exec& gpu) { sum(gpu, more_than_a_cluster, total); });
}

TEST_CASE("contract: scans of rows") {
  const guarded<u32> in(std::vector<u32>(n, 3));
  guarded<u32> out(n);
  const batch rows{.rows = 10, .length = 300};
  check_contract("batched_scan", batched_scan_scratch_bytes<u32>(rows.rows, rows.length), {1},
                 [&](const exec& gpu) { batched_scan(gpu, in, out, rows, scan_directions::forward_then_backward); });

  // Longer than any GPU's shared memory.
  const std::size_t length = 60000;
  const guarded<u32> long_row(std::vector<u32>(length, 3));
  guarded<u32> sums(length);
  const std::size_t bytes = batched_scan_scratch_bytes<u32>(1, length);
  check_contract("batched_scan, long rows", bytes, {3}, [&](const exec& gpu) {
    batched_scan(gpu, long_row, sums, {.rows = 1, .length = length}, scan_directions::backward);
  });
  check_contract("batched_scan, long rows, both ways", bytes, {5}, [&](const exec& gpu) {
    batched_scan(gpu, long_row, sums, {.rows = 1, .length = length}, scan_directions::forward_then_backward);
  });
}

}  // namespace contract_scans
