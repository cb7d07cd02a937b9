// SPDX-License-Identifier: Apache-2.0
// The other kinds of scans (replay_scans.cu has the plain ones) in one captured graph. It is
// replayed with other data and another length, which only the device knows.
#include <ballot/batched_scan.cuh>
#include <ballot/bit_ranks.cuh>
#include <ballot/blockwise_scan.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>

#include "support/replayed_calls.hpp"

#include <bit>
#include <numeric>

using namespace ballot;
using test::guarded;
using test::replayed_calls;

namespace contract_replay_scan_kinds {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 6000;

TEST_CASE("replay: exclusive scans, offsets, ranks of flags, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random; });
  const auto& flags = calls.input<u8>(n, [](u32 random) { return static_cast<u8>(random % 3); });
  const auto& words = calls.input<u32>((n + 31) / 32, [](u32 random) { return random; });
  // Before each of the items, and behind the last.
  const auto sums_of = [&](const auto& items, u64 initial) {
    std::vector<u64> sums{initial};
    for (const auto item : items) sums.push_back(sums.back() + item);
    return sums;
  };
  const auto ranks = [&] {
    auto set = calls.items(flags);
    for (u8& flag : set) flag = flag != 0 ? 1 : 0;
    const auto sums = sums_of(set, 0);
    return std::vector<u32>(sums.begin(), sums.end());
  };

  auto &sums = calls.output<u64>(), &total = calls.output<u64>(1);
  calls.add(
      "exclusive_scan", scan_scratch_bytes<u64>(n),
      [&](const exec& gpu) { exclusive_scan(gpu, calls.now(in), 5, sums, {.total = total.data()}); },
      [&] {
        auto want = sums_of(calls.items(in), 5);
        calls.leaves(total, want.back());
        want.pop_back();
        calls.leaves(sums, want);
      });
  auto &from_here = calls.output<u64>(), &from_device = calls.output<u64>();
  const auto& begin = calls.input<u64>(1, [](u32 random) { return u64{random}; });
  calls.add(
      "inclusive_scan from an initial value", scan_scratch_bytes<u64>(n),
      [&](const exec& gpu) { inclusive_scan(gpu, calls.now(in), 7, plus{}, from_here); },
      [&] {
        auto want = sums_of(calls.items(in), 7);
        want.erase(want.begin());
        calls.leaves(from_here, want);
      });
  calls.add(
      "inclusive_scan from an initial value on the device", scan_scratch_bytes<u64>(n),
      [&](const exec& gpu) { inclusive_scan(gpu, calls.now(in), on_device{begin.device.data()}, from_device); },
      [&] {
        auto want = sums_of(calls.items(in), begin.items[0]);
        want.erase(want.begin());
        calls.leaves(from_device, want);
      });
  auto& from_end = calls.output<u32>();
  calls.add(
      "exclusive_scan, backward, reproducible", scan_scratch_bytes<u32>(n),
      [&](const exec& gpu) {
        exclusive_scan(gpu, calls.now(in), from_end, {.order = scan_order::backward, .reproducible = true});
      },
      [&] {
        auto want = calls.items(in);
        std::exclusive_scan(want.rbegin(), want.rend(), want.rbegin(), 0u);
        calls.leaves(from_end, want);
      });
  auto& offsets = calls.output<u64>(n + 1);
  calls.add(
      "counts_to_offsets", scan_scratch_bytes<u64>(n),
      [&](const exec& gpu) { counts_to_offsets(gpu, calls.now(in), offsets); },
      [&] { calls.leaves(offsets, sums_of(calls.items(in), 0)); });
  auto &set_before = calls.output<u32>(), &set_up_to = calls.output<u32>();
  calls.add(
      "exclusive_scan_flags", scan_scratch_bytes<u32>(n),
      [&](const exec& gpu) { exclusive_scan_flags(gpu, calls.now(flags), set_before); },
      [&] {
        auto want = ranks();
        want.pop_back();
        calls.leaves(set_before, want);
      });
  calls.add(
      "inclusive_scan_flags", scan_scratch_bytes<u32>(n),
      [&](const exec& gpu) { inclusive_scan_flags(gpu, calls.now(flags), set_up_to); },
      [&] {
        auto want = ranks();
        want.erase(want.begin());
        calls.leaves(set_up_to, want);
      });
  auto& directory = calls.output<u32>((n + 31) / 32 + 1);
  calls.add(
      "word_ranks", word_ranks_scratch_bytes(n),
      [&](const exec& gpu) { word_ranks(gpu, bit_flags{words.device}, n, directory); },
      [&] {
        std::vector<u32> want{0};
        for (u32 word : words.items) {
          if (want.size() == words.items.size() && n % 32 != 0) word &= (1u << n % 32) - 1;
          want.push_back(want.back() + static_cast<u32>(std::popcount(word)));
        }
        calls.leaves(directory, want);
      });
  calls.replay();
}

TEST_CASE("replay: scans of segments, blocks and rows, of as many items as the device says") {
  constexpr std::size_t block = 700, row = 600, most_offsets = 50;
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random; });
  const auto& bytes = calls.input<u8>(n, [](u32 random) { return static_cast<u8>(random % 64 == 0); });
  const auto& words = calls.input<u32>((n + 31) / 32, [](u32 random) { return random & random >> 7 & random >> 14; });
  const auto& at = calls.input<u32>(most_offsets, [](u32 random) { return random % n; });

  // Where segments begin, and from it what an exclusive scan gives; in reverse for one from the
  // end.
  const auto heads_of_bytes = [&](std::size_t i) { return bytes.items[i] != 0; };
  const auto heads_of_words = [&](std::size_t i) { return (words.items[i / 32] >> i % 32 & 1u) != 0; };
  const auto heads_of_offsets = [&](std::size_t i) {
    return std::find(at.items.begin(), at.items.end(), i) != at.items.end();
  };
  const auto forward = [&](auto&& is_head) {
    const auto items = calls.items(in);
    std::vector<u32> sums(items.size());
    for (std::size_t i = 1; i < sums.size(); ++i) sums[i] = is_head(i) ? 0 : sums[i - 1] + items[i - 1];
    return sums;
  };
  const auto backward = [&](auto&& is_head) {
    const auto items = calls.items(in);
    std::vector<u32> sums(items.size());
    for (std::size_t i = sums.size(); i-- > 1;) sums[i - 1] = is_head(i) ? 0 : sums[i] + items[i];
    return sums;
  };
  const auto inclusive = [&](std::vector<u32> sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += in.items[i];
    return sums;
  };

  const std::size_t scratch = segmented_scan_scratch_bytes<u32>(n),
                    by_offsets = segmented_scan_by_offsets_scratch_bytes<u32>(n);
  auto &a = calls.output<u32>(), &b = calls.output<u32>(), &c = calls.output<u32>(), &d = calls.output<u32>();
  calls.add(
      "segmented_exclusive_scan", scratch,
      [&](const exec& gpu) { segmented_exclusive_scan(gpu, calls.now(in), byte_flags{bytes.device}, a); },
      [&] { calls.leaves(a, forward(heads_of_bytes)); });
  calls.add(
      "segmented_inclusive_scan, by offsets", by_offsets,
      [&](const exec& gpu) { segmented_inclusive_scan(gpu, calls.now(in), segment_offsets{at.device}, b); },
      [&] { calls.leaves(b, inclusive(forward(heads_of_offsets))); });
  calls.add(
      "segmented_exclusive_scan_backward", scratch,
      [&](const exec& gpu) { segmented_exclusive_scan_backward(gpu, calls.now(in), bit_flags{words.device}, c); },
      [&] { calls.leaves(c, backward(heads_of_words)); });
  calls.add(
      "segmented_inclusive_scan_backward, by offsets", by_offsets,
      [&](const exec& gpu) { segmented_inclusive_scan_backward(gpu, calls.now(in), segment_offsets{at.device}, d); },
      [&] { calls.leaves(d, inclusive(backward(heads_of_offsets))); });

  auto &e = calls.output<u32>(), &f = calls.output<u32>();
  const auto from_9 = [&](std::vector<u32> sums) {
    for (u32& sum : sums) sum += 9;
    return sums;
  };
  calls.add(
      "segmented_inclusive_scan from an initial value", scratch,
      [&](const exec& gpu) { segmented_inclusive_scan(gpu, calls.now(in), byte_flags{bytes.device}, 9, plus{}, e); },
      [&] { calls.leaves(e, from_9(inclusive(forward(heads_of_bytes)))); });
  calls.add(
      "segmented_inclusive_scan_backward from an initial value", scratch,
      [&](const exec& gpu) {
        segmented_inclusive_scan_backward(gpu, calls.now(in), bit_flags{words.device}, 9, plus{}, f);
      },
      [&] { calls.leaves(f, from_9(inclusive(backward(heads_of_words)))); });

  auto &short_blocks = calls.output<u32>(), &one_block = calls.output<u32>();
  calls.add(
      "blockwise_exclusive_scan", blockwise_scan_scratch_bytes<u32>(n, block),
      [&](const exec& gpu) { blockwise_exclusive_scan(gpu, calls.now(in), short_blocks, block); },
      [&] { calls.leaves(short_blocks, forward([](std::size_t i) { return i % block == 0; })); });
  calls.add(
      "blockwise_inclusive_scan of long blocks", blockwise_scan_scratch_bytes<u32>(n, n - 1),
      [&](const exec& gpu) { blockwise_inclusive_scan(gpu, calls.now(in), one_block, n - 1); },
      [&] { calls.leaves(one_block, inclusive(forward([](std::size_t i) { return i == n - 1; }))); });

  auto &rows = calls.output<u32>(), &long_row = calls.output<u32>(60000);
  const auto& samples = calls.input<u32>(60000, [](u32 random) { return random; });
  calls.add(
      "batched_scan", batched_scan_scratch_bytes<u32>(n / row, row),
      [&](const exec& gpu) {
        batched_scan(gpu, in.device, rows, {.rows = n / row, .length = row}, scan_directions::forward);
      },
      [&] {
        auto want = in.items;
        for (std::size_t i = 0; i < n; ++i) want[i] += i % row == 0 ? 0 : want[i - 1];
        calls.leaves(rows, want);
      });
  calls.add(
      "batched_scan of a long row, both ways", batched_scan_scratch_bytes<u32>(1, 60000),
      [&](const exec& gpu) {
        batched_scan(gpu, samples.device, long_row, {.rows = 1, .length = 60000},
                     scan_directions::forward_then_backward);
      },
      [&] {
        auto want = samples.items;
        std::inclusive_scan(want.begin(), want.end(), want.begin());
        std::inclusive_scan(want.rbegin(), want.rend(), want.rbegin());
        calls.leaves(long_row, want);
      });
  calls.replay();
}

}  // namespace contract_replay_scan_kinds
