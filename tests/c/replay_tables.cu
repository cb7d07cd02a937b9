// SPDX-License-Identifier: Apache-2.0
// The C library's top_k, histograms, merges, searches, gathers and scatters in a captured graph,
// replayed with other data and another length, which only the device knows.
#include "c/replays.hpp"

namespace ballot::test::c {
namespace replay_tables {

constexpr std::size_t n = 6000;

TEST_CASE("replay: top_k, of as many keys as the device says") {
  constexpr u64 k = 300;
  replayed_calls calls(n);
  const auto& keys = calls.input<u32>(n, [](u32 random) { return random % 2000; });
  const auto& values = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
  const auto order = [&] {
    auto best = order_of(keys.items, 0, calls.there(), true);
    best.resize(std::min<std::size_t>(k, best.size()));
    return best;
  };
  auto &keys_out = calls.output<u32>(k), &pair_keys = calls.output<u32>(k), &indices = calls.output<u32>(k);
  auto &values_out = calls.output<u64>(k), &count = calls.output<u64>(1), &count_of_pairs = calls.output<u64>(1),
       &count_of_indices = calls.output<u64>(1);
  const std::size_t bytes = bytes_of([](std::size_t* b) { return ballot_top_k_scratch_bytes(BALLOT_U32, n, k, b); });
  calls.add(
      "top_k", bytes,
      [&](const exec& gpu) { ok(ballot_top_k(on(gpu), now(calls, keys), k, out(keys_out), out(count), nullptr)); },
      [&] {
        calls.leaves(keys_out, items_at(keys.items, order()));
        calls.leaves(count, order().size());
      });
  calls.add(
      "top_k_pairs", bytes,
      [&](const exec& gpu) {
        ok(ballot_top_k_pairs(on(gpu), now(calls, keys), in(values.device), k, out(pair_keys), out(values_out),
                              out(count_of_pairs), nullptr));
      },
      [&] {
        calls.leaves(pair_keys, items_at(keys.items, order()));
        calls.leaves(values_out, items_at(values.items, order()));
        calls.leaves(count_of_pairs, order().size());
      });
  calls.add(
      "top_k_indices", bytes,
      [&](const exec& gpu) {
        ok(ballot_top_k_indices(on(gpu), now(calls, keys), k, ballot_nothing(), out(indices), out(count_of_indices),
                                nullptr));
      },
      [&] {
        calls.leaves(indices, order());
        calls.leaves(count_of_indices, order().size());
      });
  calls.replay();
}

TEST_CASE("replay: top_k of rows") {
  constexpr u64 rows = 40, k = 20;
  replayed_calls calls(n);
  const auto& keys = calls.input<u32>(n, [](u32 random) { return random % 2000; });
  const auto& values = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
  const auto& offsets = segment_offsets(calls, rows, n);
  // Row r begins at r * k.
  const auto check = [&](const auto& found, const guarded<u64>& counts, auto item_of) {
    const auto begins = cut(offsets.items, calls.there());
    const auto all = found.read();
    const auto numbers = counts.read();
    for (std::size_t r = 0; r < rows; ++r) {
      const auto best = order_of(keys.items, begins[r], begins[r + 1], true);
      REQUIRE(numbers[r] == std::min<u64>(k, best.size()));
      for (std::size_t i = 0; i < numbers[r]; ++i) REQUIRE(all[r * k + i] == item_of(best[i], begins[r]));
    }
  };
  const auto key_at = [&](u32 at, u32) { return keys.items[at]; };
  auto &keys_out = calls.output<u32>(rows * k), &pair_keys = calls.output<u32>(rows * k),
       &indices = calls.output<u32>(rows * k);
  auto &values_out = calls.output<u64>(rows * k), &counts = calls.output<u64>(rows),
       &counts_of_pairs = calls.output<u64>(rows), &counts_of_indices = calls.output<u64>(rows);
  const std::size_t bytes =
      bytes_of([](std::size_t* b) { return ballot_batched_top_k_scratch_bytes(BALLOT_U32, rows, k, b); });
  const auto layout = [&] { return ballot_rows_by(in(offsets.device)); };
  calls.add(
      "batched_top_k", bytes,
      [&](const exec& gpu) {
        ok(ballot_batched_top_k(on(gpu), now(calls, keys), layout(), k, out(keys_out), out(counts), nullptr));
      },
      [&] { check(keys_out, counts, key_at); });
  calls.add(
      "batched_top_k_pairs", bytes,
      [&](const exec& gpu) {
        ok(ballot_batched_top_k_pairs(on(gpu), now(calls, keys), in(values.device), layout(), k, out(pair_keys),
                                      out(values_out), out(counts_of_pairs), nullptr));
      },
      [&] {
        check(pair_keys, counts_of_pairs, key_at);
        check(values_out, counts_of_pairs, [&](u32 at, u32) { return values.items[at]; });
      });
  calls.add(
      "batched_top_k_indices", bytes,
      [&](const exec& gpu) {
        ok(ballot_batched_top_k_indices(on(gpu), now(calls, keys), layout(), k, ballot_nothing(), out(indices),
                                        out(counts_of_indices), nullptr));
      },
      [&] { check(indices, counts_of_indices, [](u32 at, u32 begin) { return at - begin; }); });
  calls.replay();
}

// Random items in order.
changing<u32>& sorted_input(replayed_calls& calls) {
  return calls.filled<u32>(n, [](std::vector<u32>& items, std::mt19937& random) {
    for (u32& item : items) item = static_cast<u32>(random() % 2000);
    std::sort(items.begin(), items.end());
  });
}

TEST_CASE("replay: merges, searches and checks of order") {
  replayed_calls calls(n);
  const auto &first = sorted_input(calls), &second = sorted_input(calls);
  const auto& values = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
  const auto& other_values = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
  // The merge: stable, so as a sort of those of `first` before those of `second`.
  const auto joined = [&](const auto& a, const auto& b) {
    auto all = calls.items(a);
    all.insert(all.end(), b.items.begin(), b.items.end());
    return all;
  };
  const auto merged = [&](const auto& a, const auto& b) {
    const auto keys = joined(first, second);
    return items_at(joined(a, b), order_of(keys, 0, keys.size(), false));
  };
  const auto bytes = [](ballot_type of_values) {
    return bytes_of([&](std::size_t* b) { return ballot_merge_scratch_bytes(BALLOT_U32, of_values, 2 * n, b); });
  };
  auto &keys_out = calls.output<u32>(2 * n), &pair_keys = calls.output<u32>(2 * n);
  auto& values_out = calls.output<u64>(2 * n);
  calls.add(
      "merge", bytes(BALLOT_NONE),
      [&](const exec& gpu) { ok(ballot_merge(on(gpu), now(calls, first), in(second.device), out(keys_out), nullptr)); },
      [&] { calls.leaves(keys_out, merged(first, second)); });
  calls.add(
      "merge_pairs", bytes(BALLOT_U64),
      [&](const exec& gpu) {
        ok(ballot_merge_pairs(on(gpu), now(calls, first), in(values.device), in(second.device), in(other_values.device),
                              out(pair_keys), out(values_out), nullptr));
      },
      [&] {
        calls.leaves(pair_keys, merged(first, second));
        calls.leaves(values_out, merged(values, other_values));
      });

  auto &lower = calls.output<u32>(), &upper = calls.output<u32>();
  const auto places = [&](bool is_upper) {
    const auto sorted = calls.items(first);
    std::vector<u32> all;
    for (const u32 key : second.items)
      all.push_back(static_cast<u32>((is_upper ? std::upper_bound(sorted.begin(), sorted.end(), key)
                                               : std::lower_bound(sorted.begin(), sorted.end(), key)) -
                                     sorted.begin()));
    return all;
  };
  calls.add(
      "lower_bound", 0,
      [&](const exec& gpu) {
        ok(ballot_lower_bound(on(gpu), now(calls, first), in(second.device), out(lower), nullptr));
      },
      [&] { calls.leaves(lower, places(false)); });
  calls.add(
      "upper_bound", 0,
      [&](const exec& gpu) {
        ok(ballot_upper_bound(on(gpu), now(calls, first), in(second.device), out(upper), nullptr));
      },
      [&] { calls.leaves(upper, places(true)); });

  // In order but for one place, which is another one in each run. In the last run it is behind the
  // items that there are.
  const auto& nearly = calls.filled<u32>(n, [](std::vector<u32>& items, std::mt19937& random) {
    std::iota(items.begin(), items.end(), 5u);
    items[n / 2 + random() % (n / 2)] = 0;
  });
  const auto in_order = [&] {
    const auto items = calls.items(nearly);
    return static_cast<std::size_t>(std::is_sorted_until(items.begin(), items.end()) - items.begin());
  };
  auto &answer = calls.output<u32>(1), &front = calls.output<u32>(1);
  const std::size_t bytes_of_order = bytes_of([](std::size_t* b) { return ballot_is_sorted_scratch_bytes(b); });
  calls.add(
      "is_sorted", bytes_of_order,
      [&](const exec& gpu) { ok(ballot_is_sorted(on(gpu), now(calls, nearly), out(answer), nullptr)); },
      [&] { calls.leaves(answer, std::size_t{in_order() == calls.there()}); });
  calls.add(
      "is_sorted_until", bytes_of_order,
      [&](const exec& gpu) { ok(ballot_is_sorted_until(on(gpu), now(calls, nearly), out(front), nullptr)); },
      [&] { calls.leaves(front, in_order()); });
  calls.replay();
}

TEST_CASE("replay: histogram, gather and scatter") {
  constexpr u32 bins = 30, upper = 1500;  // of items below 2000
  replayed_calls calls(n);
  const auto& items = calls.input<u32>(n, [](u32 random) { return random % 2000; });
  auto &counts = calls.output<u32>(bins), &none = calls.output<u32>(1);
  calls.add(
      "histogram", 0,
      [&](const exec& gpu) {
        const u32 from = 0, to = upper;  // of the host, and gone when the graph is replayed
        ok(ballot_histogram(on(gpu), now(calls, items), ballot_even_bins(&from, &to), out(counts), out(none)));
      },
      [&] {
        std::vector<u32> want(bins);
        std::size_t outside = 0;
        for (const u32 item : calls.items(items)) {
          if (item < upper) ++want[item * bins / upper];
          else ++outside;
        }
        calls.leaves(counts, want);
        calls.leaves(none, outside);
      });

  const auto& indices = calls.input<u32>(n, [](u32 random) { return random % (n + 100); });
  // Each place once, and the last 100 items have none.
  const auto& targets = calls.filled<u32>(n, [](std::vector<u32>& places, std::mt19937& random) {
    std::iota(places.begin(), places.end(), 0u);
    std::shuffle(places.begin(), places.end(), random);
  });
  auto &gathered = calls.output<u32>(), &scattered = calls.output<u32>(n - 100);
  auto &not_gathered = calls.output<u32>(1), &not_scattered = calls.output<u32>(1);
  calls.add(
      "gather", 0,
      [&](const exec& gpu) {
        ok(ballot_gather(on(gpu), in(items.device), now(calls, indices), out(gathered), out(not_gathered)));
      },
      [&] {
        const auto found = gathered.read();
        std::size_t outside = 0;
        bool same = true;
        for (std::size_t i = 0; i < n; ++i) {
          const u32 at = indices.items[i];
          const bool moves = i < calls.there() && at < n;
          outside += i < calls.there() && at >= n;
          same &= moves ? found[i] == items.items[at] : is_dirt(found[i]);
        }
        CHECK(same);
        calls.leaves(not_gathered, outside);
      });
  calls.add(
      "scatter", 0,
      [&](const exec& gpu) {
        ok(ballot_scatter(on(gpu), in(items.device), now(calls, targets), out(scattered), out(not_scattered)));
      },
      [&] {
        auto found = scattered.read();
        std::size_t outside = 0;
        bool same = true;
        for (std::size_t i = 0; i < calls.there(); ++i) {
          const u32 at = targets.items[i];
          if (at >= found.size()) {
            ++outside;
            continue;
          }
          same &= found[at] == items.items[i];
          std::memset(&found[at], dirt, sizeof(u32));
        }
        for (const u32& item : found) same &= is_dirt(item);  // nothing else was written
        CHECK(same);
        calls.leaves(not_scattered, outside);
      });
  calls.replay();
}

}  // namespace replay_tables
}  // namespace ballot::test::c
