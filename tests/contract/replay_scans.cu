// SPDX-License-Identifier: Apache-2.0
// Scans and reductions in one captured graph, replayed with other data and another length, which
// only the device knows.
#include <ballot/batched_scan.cuh>
#include <ballot/bit_ranks.cuh>
#include <ballot/blockwise_scan.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>

#include "support/step.hpp"

#include <algorithm>
#include <numeric>
#include <random>

using namespace ballot;
using test::guarded;

namespace contract_replay_scans {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 6000, block = 500, row = 600;

TEST_CASE("replay: scans, reductions, ranks, of as many items as the device says") {
  guarded<u32> in(n), heads((n + 31) / 32), sums(n), segments(n), blocks(n), rows(n), ranks(n);
  guarded<u64> length(1);
  const device_value<u64> total(test::test_stream()), set_bits(test::test_stream());
  const device_value<indexed<u32>> least(test::test_stream());
  const test::exact_scratch scratch(std::max({scan_scratch_bytes<u32>(n), segmented_scan_scratch_bytes<u32>(n),
                                              blockwise_scan_scratch_bytes<u32>(n, block), bit_ranks_scratch_bytes(n),
                                              reduce_scratch_bytes<u64>(n), reduce_scratch_bytes<indexed<u32>>(n)}));
  std::vector<u32> items(n), words((n + 31) / 32), dirty;
  std::size_t there = 0;
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (u32& x : items) x = static_cast<u32>(random());
        for (u32& w : words) w = static_cast<u32>(random() & random() & random());
        there = n - 1111 * seed;
        in.write(items), heads.write(words), length.write({there});
        for (auto* out : {&sums, &segments, &blocks, &rows, &ranks}) out->fill_dirt();
        dirty = sums.read();
      },
      [&] {
        const exec gpu = scratch.where();
        const counted now{in, length.data()};
        inclusive_scan(gpu, now, sums);
        segmented_inclusive_scan(gpu, now, bit_flags{heads}, maximum{}, segments);
        blockwise_inclusive_scan(gpu, now, blocks, block);
        batched_scan(gpu, in, rows, {.rows = n / row, .length = row}, scan_directions::backward);
        bit_ranks(gpu, bit_flags{heads}, n, ranks, set_bits);
        sum(gpu, now, total);
        arg_min(gpu, now, least);
      },
      [&] {
        std::vector<u32> want = dirty, of_segments = dirty, of_blocks = dirty, of_rows = items, of_bits(n);
        u32 bits = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const bool head = (words[i / 32] >> i % 32 & 1u) != 0;
          of_bits[i] = bits;
          bits += head ? 1 : 0;
          if (i >= there) continue;
          want[i] = (i == 0 ? 0 : want[i - 1]) + items[i];
          of_segments[i] = head || i == 0 ? items[i] : std::max(of_segments[i - 1], items[i]);
          of_blocks[i] = (i % block == 0 ? 0 : of_blocks[i - 1]) + items[i];
        }
        for (std::size_t i = n; i-- > 0;)
          if (i % row != row - 1) of_rows[i] += of_rows[i + 1];
        CHECK(sums.read() == want);
        CHECK(segments.read() == of_segments);
        CHECK(blocks.read() == of_blocks);
        CHECK(rows.read() == of_rows);
        CHECK(ranks.read() == of_bits);
        const auto end = items.begin() + static_cast<std::ptrdiff_t>(there);
        CHECK(set_bits.read(test::test_stream()) == bits);
        CHECK(total.read(test::test_stream()) == std::accumulate(items.begin(), end, u64{0}));
        const auto first = std::min_element(items.begin(), end);
        CHECK(least.read(test::test_stream()).index == static_cast<u64>(first - items.begin()));
      });
}

}  // namespace contract_replay_scans
