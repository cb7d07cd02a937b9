// SPDX-License-Identifier: Apache-2.0
// The C library's sorts in a captured graph, replayed with other data and another length, which only
// the device knows.
#include "c/replays.hpp"

namespace ballot::test::c {
namespace replay_sorts {

constexpr std::size_t n = 6000;

// Keys with equal ones among them, and values.
struct pairs_of {
  explicit pairs_of(replayed_calls& calls)
      : calls(calls),
        keys(calls.input<u32>(n, [](u32 random) { return random % 1000; })),
        values(calls.input<u64>(n, [](u32 random) { return u64{random} << 20; })) {}
  // The positions of the keys, in order within each segment.
  std::vector<u32> order(const std::vector<u32>& offsets) const {
    std::vector<u32> all;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      for (const u32 at : order_of(keys.items, offsets[s], offsets[s + 1], false)) all.push_back(at);
    return all;
  }
  std::vector<u32> order() const { return order({0, static_cast<u32>(calls.there())}); }

  replayed_calls& calls;
  const changing<u32>& keys;
  const changing<u64>& values;
};

TEST_CASE("replay: sorts, of as many keys as the device says") {
  replayed_calls calls(n);
  const pairs_of pairs(calls);
  const auto& keys = pairs.keys;
  const auto& values = pairs.values;
  const auto sorted_keys = [&] { return items_at(keys.items, pairs.order()); };
  const auto sorted_values = [&] { return items_at(values.items, pairs.order()); };
  const std::size_t bytes = bytes_of([](std::size_t* b) { return ballot_sort_scratch_bytes(BALLOT_U32, n, b); });
  const std::size_t bytes_of_pairs =
      bytes_of([](std::size_t* b) { return ballot_sort_pairs_scratch_bytes(BALLOT_U32, BALLOT_U64, n, b); });

  auto &keys_out = calls.output<u32>(), &keys_in_place = calls.copy_of(keys);
  calls.add(
      "sort", bytes,
      [&](const exec& gpu) {
        // Options are on the host, and gone when the graph is replayed.
        const ballot_sort_options options{sizeof(options), BALLOT_DESCENDING, 0, 0, 10, 0, 0};
        ok(ballot_sort(on(gpu), now(calls, keys), out(keys_out), &options));
      },
      [&] {
        auto want = sorted_keys();
        std::reverse(want.begin(), want.end());
        calls.leaves(keys_out, want);
      });
  calls.add(
      "sort_in_place", bytes,
      [&](const exec& gpu) { ok(ballot_sort_in_place(on(gpu), now(calls, keys_in_place), nullptr)); },
      [&] { calls.leaves_in_place(keys_in_place, sorted_keys(), keys); });
  auto &pair_keys = calls.output<u32>(), &pair_keys_in_place = calls.copy_of(keys);
  auto &pair_values = calls.output<u64>(), &values_in_place = calls.copy_of(values);
  calls.add(
      "sort_pairs", bytes_of_pairs,
      [&](const exec& gpu) {
        ok(ballot_sort_pairs(on(gpu), now(calls, keys), in(values.device), out(pair_keys), out(pair_values), nullptr));
      },
      [&] {
        calls.leaves(pair_keys, sorted_keys());
        calls.leaves(pair_values, sorted_values());
      });
  calls.add(
      "sort_pairs_in_place", bytes_of_pairs,
      [&](const exec& gpu) {
        ok(ballot_sort_pairs_in_place(on(gpu), now(calls, pair_keys_in_place), in(values_in_place), nullptr));
      },
      [&] {
        calls.leaves_in_place(pair_keys_in_place, sorted_keys(), keys);
        calls.leaves_in_place(values_in_place, sorted_values(), values);
      });

  auto &a = calls.copy_of(keys), &b = calls.output<u32>(), &pairs_a = calls.copy_of(keys),
       &pairs_b = calls.output<u32>();
  auto &values_a = calls.copy_of(values), &values_b = calls.output<u64>();
  i32 at = -1, at_of_pairs = -1;  // the graph leaves them where the captured call said
  const auto ping_pong_bytes = [](ballot_type of_values) {
    return bytes_of([&](std::size_t* b) { return ballot_sort_ping_pong_scratch_bytes(BALLOT_U32, of_values, n, b); });
  };
  calls.add(
      "sort_ping_pong", ping_pong_bytes(BALLOT_NONE),
      [&](const exec& gpu) { ok(ballot_sort_ping_pong(on(gpu), now(calls, a), out(b), &at, nullptr)); },
      [&] { CHECK(first_of((at == 0 ? a : b).read(), calls.there()) == sorted_keys()); });
  calls.add(
      "sort_pairs_ping_pong", ping_pong_bytes(BALLOT_U64),
      [&](const exec& gpu) {
        ok(ballot_sort_pairs_ping_pong(on(gpu), now(calls, pairs_a), in(values_a), out(pairs_b), out(values_b),
                                       &at_of_pairs, nullptr));
      },
      [&] {
        CHECK(first_of((at_of_pairs == 0 ? pairs_a : pairs_b).read(), calls.there()) == sorted_keys());
        CHECK(first_of((at_of_pairs == 0 ? values_a : values_b).read(), calls.there()) == sorted_values());
      });

  auto &order = calls.output<u32>(), &ordered = calls.output<u32>();
  calls.add(
      "argsort", bytes_of([](std::size_t* b) { return ballot_argsort_scratch_bytes(BALLOT_U32, BALLOT_U32, n, b); }),
      [&](const exec& gpu) { ok(ballot_argsort(on(gpu), now(calls, keys), out(ordered), out(order), nullptr)); },
      [&] {
        calls.leaves(order, pairs.order());
        calls.leaves(ordered, sorted_keys());
      });
  calls.replay();
}

TEST_CASE("replay: sorts of segments") {
  replayed_calls calls(n);
  const pairs_of pairs(calls);
  const auto& keys = pairs.keys;
  const auto& values = pairs.values;
  const auto& offsets = segment_offsets(calls, 40, n);
  const auto order = [&] { return pairs.order(cut(offsets.items, calls.there())); };
  const auto sorted_keys = [&] { return items_at(keys.items, order()); };
  const auto sorted_values = [&] { return items_at(values.items, order()); };
  const auto bytes = [](ballot_type of_values) {
    return bytes_of([&](std::size_t* b) { return ballot_segmented_sort_scratch_bytes(BALLOT_U32, of_values, n, b); });
  };

  auto &keys_out = calls.output<u32>(), &pair_keys = calls.output<u32>(), &ordered = calls.output<u32>(),
       &positions = calls.output<u32>();
  auto& pair_values = calls.output<u64>();
  calls.add(
      "segmented_sort", bytes(BALLOT_NONE),
      [&](const exec& gpu) {
        ok(ballot_segmented_sort(on(gpu), now(calls, keys), in(offsets.device), out(keys_out), nullptr));
      },
      [&] { calls.leaves(keys_out, sorted_keys()); });
  calls.add(
      "segmented_sort_pairs", bytes(BALLOT_U64),
      [&](const exec& gpu) {
        ok(ballot_segmented_sort_pairs(on(gpu), now(calls, keys), in(values.device), in(offsets.device), out(pair_keys),
                                       out(pair_values), nullptr));
      },
      [&] {
        calls.leaves(pair_keys, sorted_keys());
        calls.leaves(pair_values, sorted_values());
      });
  auto &a = calls.copy_of(keys), &b = calls.output<u32>(), &pairs_a = calls.copy_of(keys),
       &pairs_b = calls.output<u32>();
  auto &values_a = calls.copy_of(values), &values_b = calls.output<u64>();
  i32 at = -1, at_of_pairs = -1;
  calls.add(
      "segmented_sort_ping_pong", bytes(BALLOT_NONE),
      [&](const exec& gpu) {
        ok(ballot_segmented_sort_ping_pong(on(gpu), now(calls, a), in(offsets.device), out(b), &at, nullptr));
      },
      [&] {
        CHECK(at == 1);
        CHECK(first_of(b.read(), calls.there()) == sorted_keys());
      });
  calls.add(
      "segmented_sort_pairs_ping_pong", bytes(BALLOT_U64),
      [&](const exec& gpu) {
        ok(ballot_segmented_sort_pairs_ping_pong(on(gpu), now(calls, pairs_a), in(values_a), in(offsets.device),
                                                 out(pairs_b), out(values_b), &at_of_pairs, nullptr));
      },
      [&] {
        CHECK(at_of_pairs == 1);
        CHECK(first_of(pairs_b.read(), calls.there()) == sorted_keys());
        CHECK(first_of(values_b.read(), calls.there()) == sorted_values());
      });
  calls.add(
      "segmented_argsort", bytes(BALLOT_U32),
      [&](const exec& gpu) {
        ok(ballot_segmented_argsort(on(gpu), now(calls, keys), in(offsets.device), out(ordered), out(positions),
                                    nullptr));
      },
      [&] {
        calls.leaves(ordered, sorted_keys());
        calls.leaves(positions, order());
      });
  calls.replay();
}

TEST_CASE("replay: sorts of rows") {
  constexpr u32 row = 500;
  replayed_calls calls(n);
  const pairs_of pairs(calls);
  const auto& keys = pairs.keys;
  const auto& values = pairs.values;
  const auto order = [&] {
    std::vector<u32> begins;
    for (u32 at = 0; at <= n; at += row) begins.push_back(at);
    return pairs.order(begins);
  };
  const auto sorted_keys = [&] { return items_at(keys.items, order()); };
  const auto bytes = [](ballot_type of_values) {
    return bytes_of(
        [&](std::size_t* b) { return ballot_batched_sort_scratch_bytes(BALLOT_U32, of_values, n, row, b); });
  };
  auto &keys_out = calls.output<u32>(), &pair_keys = calls.output<u32>(), &positions = calls.output<u32>();
  auto& pair_values = calls.output<u64>();
  calls.add(
      "batched_sort", bytes(BALLOT_NONE),
      [&](const exec& gpu) { ok(ballot_batched_sort(on(gpu), in(keys.device), row, out(keys_out), nullptr)); },
      [&] { calls.leaves(keys_out, sorted_keys()); });
  calls.add(
      "batched_sort_pairs", bytes(BALLOT_U64),
      [&](const exec& gpu) {
        ok(ballot_batched_sort_pairs(on(gpu), in(keys.device), in(values.device), row, out(pair_keys), out(pair_values),
                                     nullptr));
      },
      [&] {
        calls.leaves(pair_keys, sorted_keys());
        calls.leaves(pair_values, items_at(values.items, order()));
      });
  calls.add(
      "batched_argsort", bytes(BALLOT_U32),
      [&](const exec& gpu) {
        ok(ballot_batched_argsort(on(gpu), in(keys.device), row, ballot_nothing(), out(positions), nullptr));
      },
      [&] {
        auto want = order();
        for (u32& at : want) at %= row;
        calls.leaves(positions, want);
      });
  calls.replay();
}

}  // namespace replay_sorts
}  // namespace ballot::test::c
