// SPDX-License-Identifier: Apache-2.0
// The C library's reductions in a captured graph, replayed with other data and another length, which
// only the device knows.
#include "c/replays.hpp"

#include <array>

namespace ballot::test::c {
namespace replay_reductions {

constexpr std::size_t n = 6000;
using record = std::array<u64, 2>;  // an index, and behind it the value in the first 4 bytes

// The first smallest or largest of the items [begin, end).
u64 best_of(const std::vector<u32>& items, std::size_t begin, std::size_t end, bool largest) {
  if (begin >= end) return ~u64{0};
  std::size_t best = begin;
  for (std::size_t i = begin + 1; i < end; ++i)
    if (largest ? items[best] < items[i] : items[i] < items[best]) best = i;
  return best;
}
void check_record(const record& found, const std::vector<u32>& items, u64 best) {
  CHECK(found[0] == best);
  if (best < items.size()) CHECK(static_cast<u32>(found[1]) == items[best]);
}

TEST_CASE("replay: reductions, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& items = calls.input<u32>(n, [](u32 random) { return random % 3000; });
  auto& sum = calls.output<u32>(1);
  auto &least = calls.output<record>(1), &most = calls.output<record>(1);
  calls.add(
      "reduce", bytes_of([](std::size_t* b) { return ballot_reduce_scratch_bytes(BALLOT_U32, n, b); }),
      [&](const exec& gpu) {
        const u32 from = 7;  // of the host, and gone when the graph is replayed
        ok(ballot_reduce(on(gpu), now(calls, items), &from, BALLOT_PLUS, out(sum)));
      },
      [&] {
        const auto all = calls.items(items);
        calls.leaves(sum, std::size_t{std::accumulate(all.begin(), all.end(), 7u)});
      });
  const std::size_t bytes = bytes_of([](std::size_t* b) { return ballot_arg_scratch_bytes(BALLOT_U32, n, b); });
  calls.add(
      "arg_min", bytes, [&](const exec& gpu) { ok(ballot_arg_min(on(gpu), now(calls, items), least.data())); },
      [&] { check_record(value_at(least), items.items, best_of(items.items, 0, calls.there(), false)); });
  calls.add(
      "arg_max", bytes, [&](const exec& gpu) { ok(ballot_arg_max(on(gpu), now(calls, items), most.data())); },
      [&] { check_record(value_at(most), items.items, best_of(items.items, 0, calls.there(), true)); });
  calls.replay();
}

TEST_CASE("replay: reductions of segments and by key") {
  replayed_calls calls(n);
  const auto& items = calls.input<u32>(n, [](u32 random) { return random % 3000; });
  const auto& keys = calls.input<u32>(n, [](u32 random) { return random % 4; });
  const auto& heads = calls.input<u8>(n, [](u32 random) { return static_cast<u8>(random % 50 == 0); });
  constexpr std::size_t segments = 40, row = 150;
  const auto& offsets = segment_offsets(calls, segments, n);
  // Where segments begin, and the end.
  const auto begins = [&](auto is_begin) {
    std::vector<u32> at;
    for (u32 i = 0; i < calls.there(); ++i)
      if (i == 0 || is_begin(i)) at.push_back(i);
    at.push_back(static_cast<u32>(calls.there()));
    return at;
  };
  const auto sums = [&](const std::vector<u32>& at) {
    std::vector<u32> all;
    for (std::size_t s = 0; s + 1 < at.size(); ++s)
      all.push_back(std::accumulate(items.items.begin() + at[s], items.items.begin() + at[s + 1], 0u));
    return all;
  };

  auto& reduced = calls.output<u32>(segments);
  calls.add(
      "segmented_reduce by offsets", bytes_of([](std::size_t* b) {
        return ballot_segmented_reduce_scratch_bytes(BALLOT_U32, BALLOT_SEGMENT_OFFSETS, n, b);
      }),
      [&](const exec& gpu) {
        ok(ballot_segmented_reduce(on(gpu), now(calls, items),
                                   ballot_segments_by(BALLOT_SEGMENT_OFFSETS, in(offsets.device)), nullptr, BALLOT_PLUS,
                                   out(reduced), ballot_nothing()));
      },
      [&] { calls.leaves(reduced, sums(cut(offsets.items, calls.there()))); });

  const auto arg_bytes = [](ballot_segments_kind kind) {
    return bytes_of([&](std::size_t* b) { return ballot_segmented_arg_scratch_bytes(BALLOT_U32, kind, n, b); });
  };
  auto &least = calls.output<record>(), &most = calls.output<record>(n / row);
  auto& count_of_heads = calls.output<u64>(1);
  calls.add(
      "segmented_arg_min by bytes", arg_bytes(BALLOT_HEAD_BYTES),
      [&](const exec& gpu) {
        ok(ballot_segmented_arg_min(on(gpu), now(calls, items), ballot_segments_by(BALLOT_HEAD_BYTES, in(heads.device)),
                                    out(least), out(count_of_heads)));
      },
      [&] {
        const auto at = begins([&](u32 i) { return heads.items[i] != 0; });
        calls.leaves(count_of_heads, at.size() - 1);
        const auto found = least.read();
        for (std::size_t s = 0; s + 1 < at.size(); ++s)
          check_record(found[s], items.items, best_of(items.items, at[s], at[s + 1], false));
      });
  calls.add(
      "segmented_arg_max of rows", arg_bytes(BALLOT_SEGMENT_ROWS),
      [&](const exec& gpu) {
        ok(ballot_segmented_arg_max(on(gpu), now(calls, items), ballot_segments_of(row), out(most), ballot_nothing()));
      },
      [&] {
        const auto found = most.read();
        for (std::size_t r = 0; r < found.size(); ++r) {
          const std::size_t begin = r * row, end = std::min(begin + row, calls.there());
          if (begin < end) check_record(found[r], items.items, best_of(items.items, begin, end, true));
          else CHECK(is_dirt(found[r]));  // no such row
        }
      });

  auto &keys_out = calls.output<u32>(), &results = calls.output<u32>();
  auto& count = calls.output<u64>(1);
  calls.add(
      "reduce_by_key",
      bytes_of([](std::size_t* b) { return ballot_reduce_by_key_scratch_bytes(BALLOT_U32, BALLOT_U32, n, b); }),
      [&](const exec& gpu) {
        ok(ballot_reduce_by_key(on(gpu), now(calls, keys), in(items.device), BALLOT_PLUS, out(keys_out), out(results),
                                out(count)));
      },
      [&] {
        auto at = begins([&](u32 i) { return keys.items[i] != keys.items[i - 1]; });
        calls.leaves(results, sums(at));
        at.pop_back();
        calls.leaves(keys_out, items_at(keys.items, at));
        calls.leaves(count, at.size());
      });
  calls.replay();
}

}  // namespace replay_reductions
}  // namespace ballot::test::c
