// SPDX-License-Identifier: Apache-2.0
// The C library's scans in a captured graph, replayed with other data and another length, which only
// the device knows.
#include "c/replays.hpp"

namespace ballot::test::c {
namespace replay_scans {

constexpr std::size_t n = 6000;

// Sums from `initial` on, of each item with or without itself.
std::vector<u32> sums_of(const std::vector<u32>& items, u32 initial, bool inclusive) {
  std::vector<u32> sums;
  for (u32 sum = initial; const u32 item : items) {
    sums.push_back(inclusive ? sum + item : sum);
    sum += item;
  }
  return sums;
}
std::size_t scratch_bytes() {
  return bytes_of([](std::size_t* bytes) { return ballot_scan_scratch_bytes(BALLOT_U32, n, bytes); });
}

TEST_CASE("replay: scans, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random; });
  const auto& initial = calls.input<u32>(1, [](u32 random) { return random; });
  const auto items = [&] { return calls.items(in); };
  const auto sum = [&] {
    const auto all = items();
    return std::accumulate(all.begin(), all.end(), 0u);
  };

  auto &inclusive = calls.output<u32>(), &exclusive = calls.output<u32>(), &backward_total = calls.output<u32>(1);
  calls.add(
      "inclusive_scan", scratch_bytes(),
      [&](const exec& gpu) {
        ok(ballot_inclusive_scan(on(gpu), now(calls, in), BALLOT_PLUS, out(inclusive), nullptr));
      },
      [&] { calls.leaves(inclusive, sums_of(items(), 0, true)); });
  calls.add(
      "exclusive_scan, backward, with a total", scratch_bytes(),
      [&](const exec& gpu) {
        // Of the host, and gone when the graph is replayed.
        const u32 from = 7;
        const ballot_scan_options options{sizeof(options), backward_total.data(), BALLOT_BACKWARD, 0};
        ok(ballot_exclusive_scan(on(gpu), now(calls, in), &from, BALLOT_PLUS, out(exclusive), &options));
      },
      [&] {
        auto reversed = items();
        std::reverse(reversed.begin(), reversed.end());
        auto sums = sums_of(reversed, 7, false);
        std::reverse(sums.begin(), sums.end());
        calls.leaves(exclusive, sums);
        calls.leaves(backward_total, std::size_t{7 + sum()});
      });

  auto &inclusive_from = calls.output<u32>(), &exclusive_from = calls.output<u32>();
  calls.add(
      "inclusive_scan_from the device", scratch_bytes(),
      [&](const exec& gpu) {
        ok(ballot_inclusive_scan_from(on(gpu), now(calls, in), initial.device.data(), 1, BALLOT_PLUS,
                                      out(inclusive_from), nullptr));
      },
      [&] { calls.leaves(inclusive_from, sums_of(items(), initial.items[0], true)); });
  calls.add(
      "exclusive_scan_from the device", scratch_bytes(),
      [&](const exec& gpu) {
        ok(ballot_exclusive_scan_from(on(gpu), now(calls, in), initial.device.data(), 1, BALLOT_PLUS,
                                      out(exclusive_from), nullptr));
      },
      [&] { calls.leaves(exclusive_from, sums_of(items(), initial.items[0], false)); });

  auto& offsets = calls.output<u32>(n + 1);
  calls.add(
      "counts_to_offsets", scratch_bytes(),
      [&](const exec& gpu) { ok(ballot_counts_to_offsets(on(gpu), now(calls, in), out(offsets))); },
      [&] {
        auto want = sums_of(items(), 0, false);
        want.push_back(sum());
        calls.leaves(offsets, want);
      });

  const auto& flags = calls.input<u8>(n, [](u32 random) { return static_cast<u8>(random % 3); });
  auto &up_to = calls.output<u32>(), &before = calls.output<u32>();
  const auto ranks = [&](bool inclusive) {
    std::vector<u32> set;
    for (const u8 flag : calls.items(flags)) set.push_back(flag != 0);
    return sums_of(set, 0, inclusive);
  };
  calls.add(
      "inclusive_scan_flags", scratch_bytes(),
      [&](const exec& gpu) { ok(ballot_inclusive_scan_flags(on(gpu), now(calls, flags), out(up_to), nullptr)); },
      [&] { calls.leaves(up_to, ranks(true)); });
  calls.add(
      "exclusive_scan_flags", scratch_bytes(),
      [&](const exec& gpu) { ok(ballot_exclusive_scan_flags(on(gpu), now(calls, flags), out(before), nullptr)); },
      [&] { calls.leaves(before, ranks(false)); });
  calls.replay();
}

TEST_CASE("replay: scans of segments and of rows") {
  replayed_calls calls(n);
  const auto& items = calls.input<u32>(n, [](u32 random) { return random; });
  const auto& heads = calls.input<u8>(n, [](u32 random) { return static_cast<u8>(random % 50 == 0); });
  const auto& offsets = segment_offsets(calls, 40, n);
  const auto bytes = [](ballot_segments_kind kind) {
    return bytes_of([&](std::size_t* b) { return ballot_segmented_scan_scratch_bytes(BALLOT_U32, kind, n, b); });
  };
  // Sums that begin anew where begins(i).
  const auto segmented = [&](u32 initial, bool inclusive, auto begins) {
    std::vector<u32> sums;
    u32 sum = initial;
    for (std::size_t i = 0; i < calls.there(); ++i) {
      if (begins(i)) sum = initial;
      sums.push_back(inclusive ? sum + items.items[i] : sum);
      sum += items.items[i];
    }
    return sums;
  };
  auto &inclusive = calls.output<u32>(), &exclusive = calls.output<u32>();
  calls.add(
      "segmented_inclusive_scan by bytes", bytes(BALLOT_HEAD_BYTES),
      [&](const exec& gpu) {
        ok(ballot_segmented_inclusive_scan(on(gpu), now(calls, items),
                                           ballot_segments_by(BALLOT_HEAD_BYTES, in(heads.device)), BALLOT_PLUS,
                                           out(inclusive), BALLOT_FORWARD));
      },
      [&] { calls.leaves(inclusive, segmented(0, true, [&](std::size_t i) { return heads.items[i] != 0; })); });
  calls.add(
      "segmented_exclusive_scan by offsets", bytes(BALLOT_SEGMENT_OFFSETS),
      [&](const exec& gpu) {
        const u32 from = 7;
        ok(ballot_segmented_exclusive_scan(on(gpu), now(calls, items),
                                           ballot_segments_by(BALLOT_SEGMENT_OFFSETS, in(offsets.device)), &from,
                                           BALLOT_PLUS, out(exclusive), BALLOT_FORWARD));
      },
      [&] {
        const auto& at = offsets.items;
        calls.leaves(exclusive, segmented(7, false, [&](std::size_t i) {
                       return std::binary_search(at.begin(), at.end(), static_cast<u32>(i));
                     }));
      });
  auto& rows = calls.output<u32>();
  constexpr std::size_t row = n / 6;
  calls.add(
      "batched_scan", bytes_of([](std::size_t* b) {
        return ballot_batched_scan_scratch_bytes(BALLOT_U32, BALLOT_ACCUMULATE_ITEMS, 6, row, b);
      }),
      [&](const exec& gpu) {
        ok(ballot_batched_scan(on(gpu), in(items.device), out(rows), ballot_batch{6, row, 0, 0}, BALLOT_ROWS_FORWARD,
                               BALLOT_ACCUMULATE_ITEMS));
      },
      [&] {
        std::vector<u32> want;
        for (std::size_t i = 0; i < n; ++i) want.push_back(items.items[i] + (i % row == 0 ? 0 : want.back()));
        calls.leaves(rows, want);
      });
  calls.replay();
}

}  // namespace replay_scans
}  // namespace ballot::test::c
