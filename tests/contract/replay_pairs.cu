// SPDX-License-Identifier: Apache-2.0
// Sorts in place, of pairs, and orders, in one captured graph, replayed with other data and another
// length, which only the device knows. In one replay keys are in order, in another all the same:
// then the device skips passes.
#include <ballot/sort.cuh>
#include <ballot/sort_ping_pong.cuh>

#include "support/replayed_calls.hpp"
#include "support/sort_reference.hpp"

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_pairs {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Stays where it is while keys are sorted.
struct record {
  u32 words[3];
  friend bool operator==(const record&, const record&) = default;
  friend bool operator<(const record& a, const record& b) { return a.words[0] < b.words[0]; }
};

// Becomes a word while they are.
struct colour {
  std::uint8_t of[3];
  friend bool operator==(const colour&, const colour&) = default;
  friend bool operator<(const colour& a, const colour& b) { return a.of[0] < b.of[0]; }
};

// The order of the keys that are there, and a column in that order.
template <class K>
std::vector<u64> order_of(const replayed_calls& calls, const test::changing<K>& keys, const sort_options& options) {
  return test::serial_argsort(calls.items(keys), options);
}
template <class T>
std::vector<T> in_order(const test::changing<T>& column, const std::vector<u64>& order) {
  std::vector<T> items;
  for (const u64 i : order) items.push_back(column.items[i]);
  return items;
}

constexpr std::size_t n = 5000;
const sort_options some_bits{.direction = direction::descending, .bits = {3, 20}};

// Pairs in place, and out of place.
template <class V>
void add_pairs(replayed_calls& calls, const test::changing<u32>& keys, const test::changing<V>& values,
               const std::string& kind, const sort_options& in_place_options, const sort_options& options) {
  auto &keys_in_place = calls.copy_of(keys), &sorted = calls.output<u32>();
  auto &values_in_place = calls.copy_of(values), &sorted_values = calls.output<V>();
  calls.add(
      "sort_pairs_in_place, " + kind, sort_pairs_in_place_scratch_bytes<u32, V>(n),
      [&, in_place_options](const exec& gpu) {
        sort_pairs_in_place(gpu, counted{keys_in_place, calls.length()}, values_in_place, in_place_options);
      },
      [&, in_place_options] {
        const auto order = order_of(calls, keys, in_place_options);
        calls.leaves_in_place(keys_in_place, in_order(keys, order), keys);
        calls.leaves_in_place(values_in_place, in_order(values, order), values);
      });
  calls.add(
      "sort_pairs, " + kind, sort_pairs_scratch_bytes<u32, V>(n),
      [&, options](const exec& gpu) {
        sort_pairs(gpu, calls.now(keys), values.device, sorted, sorted_values, options);
      },
      [&, options] {
        const auto order = order_of(calls, keys, options);
        calls.leaves(sorted, in_order(keys, order));
        calls.leaves(sorted_values, in_order(values, order));
      });
}

TEST_CASE("replay: sorts in place and of pairs, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& keys = calls.input<u32>(n, [](u32 random) { return random & 0x8f0f00ffu; });
  const auto& values = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
  const auto& colours = calls.input<colour>(n, [](u32 random) {
    return colour{{std::uint8_t(random), std::uint8_t(random >> 8), std::uint8_t(random >> 16)}};
  });
  const auto& records = calls.input<record>(n, [](u32 random) { return record{{random, ~random, random / 3}}; });

  auto& in_place = calls.copy_of(keys);
  calls.add(
      "sort_in_place", sort_in_place_scratch_bytes<u32>(n),
      [&](const exec& gpu) {
        sort_in_place(gpu, counted{in_place, calls.length()}, some_bits);
      },
      [&] { calls.leaves_in_place(in_place, in_order(keys, order_of(calls, keys, some_bits)), keys); });
  add_pairs(calls, keys, values, "words", {}, some_bits);
  add_pairs(calls, keys, colours, "values made words", {}, some_bits);
  add_pairs(calls, keys, records, "values that stay", some_bits, {});

  auto &a = calls.copy_of(keys), &b = calls.output<u32>();
  auto &values_a = calls.copy_of(values), &values_b = calls.output<u64>();
  int at = 0;
  calls.add(
      "sort_pairs_ping_pong", sort_pairs_ping_pong_scratch_bytes<u32, u64>(n),
      [&](const exec& gpu) {
        at = sort_pairs_ping_pong(gpu, counted{a, calls.length()}, values_a, b, values_b, {.bits = {0, 24}});
      },
      [&] {
        REQUIRE(at == 1);  // of three passes
        const auto order = order_of(calls, keys, {.bits = {0, 24}});
        calls.leaves(b, in_order(keys, order));
        calls.leaves(values_b, in_order(values, order));
      });
  calls.replay();
}

TEST_CASE("replay: orders, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& keys = calls.input<u64>(n, [](u32 random) { return u64{random} << 30 | random % 5; });
  auto &order = calls.output<u32>(), &order_of_both = calls.output<u32>();
  auto& sorted = calls.output<u64>();
  const auto want = [&](const sort_options& options) {
    const auto all = order_of(calls, keys, options);
    return std::vector<u32>(all.begin(), all.end());
  };
  calls.add(
      "argsort", argsort_scratch_bytes<u64, u32>(n),
      [&](const exec& gpu) {
        argsort(gpu, calls.now(keys), order, {.bits = {0, 40}});
      },
      [&] {
        calls.leaves(order, want({.bits = {0, 40}}));
      });
  calls.add(
      "argsort, keys too", sort_pairs_scratch_bytes<u64, u32>(n),
      [&](const exec& gpu) { argsort(gpu, calls.now(keys), sorted, order_of_both); },
      [&] {
        calls.leaves(order_of_both, want({}));
        calls.leaves(sorted, in_order(keys, order_of(calls, keys, {})));
      });
  calls.replay();
}

// So many keys that the device decides whether to go by a prefix: it does where they are spread, in
// the first run.
TEST_CASE("replay: sorts that go by a prefix in some replays, and not in others") {
  const std::size_t many = BALLOT_EMULATED ? 40'000 : 1'500'000;
  replayed_calls calls(many);
  const auto& keys = calls.input<u32>(many, [](u32 random) { return random; });
  auto &sorted = calls.output<u32>(), &in_place = calls.copy_of(keys), &order = calls.output<u32>();
  const auto want = [&] {
    auto all = calls.items(keys);
    std::sort(all.begin(), all.end());
    return all;
  };
  calls.add(
      "sort", sort_scratch_bytes<u32>(many), [&](const exec& gpu) { sort(gpu, calls.now(keys), sorted); },
      [&] { calls.leaves(sorted, want()); });
  calls.add(
      "sort_in_place", sort_in_place_scratch_bytes<u32>(many),
      [&](const exec& gpu) {
        sort_in_place(gpu, counted{in_place, calls.length()});
      },
      [&] { calls.leaves_in_place(in_place, want(), keys); });
  calls.add(
      "argsort", argsort_scratch_bytes<u32, u32>(many), [&](const exec& gpu) { argsort(gpu, calls.now(keys), order); },
      [&] {
        const auto at = order_of(calls, keys, {});
        calls.leaves(order, std::vector<u32>(at.begin(), at.end()));
      });
  calls.replay();
}

}  // namespace contract_replay_pairs
