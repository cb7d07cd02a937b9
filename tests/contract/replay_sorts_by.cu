// SPDX-License-Identifier: Apache-2.0
// Sorts by key functions, by columns and within segments, in one captured graph, replayed with
// other data and another length, which only the device knows.
#include <ballot/argsort_by_columns.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/views.cuh>

#include "support/replayed_calls.hpp"

#include <numeric>

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_sorts_by {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct low_half {
  __host__ __device__ u16 operator()(u32 x) const { return static_cast<u16>(x); }
};
// Stays where it is while keys are sorted.
struct record {
  u32 words[3];
  friend bool operator==(const record&, const record&) = default;
  friend bool operator<(const record& a, const record& b) { return a.words[0] < b.words[0]; }
};
struct middle_word {
  __host__ __device__ u32 operator()(const record& r) const { return r.words[1]; }
};

template <class Less>
std::vector<u32> stable_order(std::size_t items, Less&& less) {
  std::vector<u32> order(items);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}
template <class T>
std::vector<T> in_order(const test::changing<T>& column, const std::vector<u32>& order) {
  std::vector<T> items;
  for (const u32 i : order) items.push_back(column.items[i]);
  return items;
}

TEST_CASE("replay: sorts by key functions and columns, of as many items as the device says") {
  constexpr std::size_t n = 5000;
  replayed_calls calls(n);
  const auto& words = calls.input<u32>(n, [](u32 random) { return random & 0xfff000ffu; });
  const auto& records = calls.input<record>(n, [](u32 random) { return record{{random, random % 500, ~random}}; });
  const auto& years = calls.input<u16>(n, [](u32 random) { return static_cast<u16>(random % 7); });
  const auto& prices = calls.input<float>(n, [](u32 random) { return static_cast<float>(random % 50); });

  auto& by_half = calls.output<u32>();
  auto& by_word = calls.output<record>();
  auto &order_by = calls.output<u32>(), &further = calls.output<u32>(), &by_columns = calls.output<u32>();
  const auto by_low_half = [&](u32 x, u32 y) { return low_half{}(words.items[x]) < low_half{}(words.items[y]); };
  calls.add(
      "sort_by", sort_by_scratch_bytes<u16, u32>(n),
      [&](const exec& gpu) { sort_by(gpu, calls.now(words), low_half{}, by_half); },
      [&] { calls.leaves(by_half, in_order(words, stable_order(calls.there(), by_low_half))); });
  calls.add(
      "sort_by of items that stay", sort_by_scratch_bytes<u32, record>(n),
      [&](const exec& gpu) {
        sort_by(gpu, calls.now(records), middle_word{}, by_word, {.direction = direction::descending});
      },
      [&] {
        calls.leaves(by_word, in_order(records, stable_order(calls.there(), [&](u32 x, u32 y) {
                                         return records.items[x].words[1] > records.items[y].words[1];
                                       })));
      });
  calls.add(
      "argsort_by", argsort_by_scratch_bytes<u16, u32>(n),
      [&](const exec& gpu) { argsort_by(gpu, calls.now(words), low_half{}, order_by); },
      [&] { calls.leaves(order_by, stable_order(calls.there(), by_low_half)); });
  auto& of_view = calls.output<u32>();
  calls.add(
      "argsort_by of a view", argsort_by_scratch_bytes<u16, u32>(n),
      [&](const exec& gpu) {
        argsort_by(gpu, counted{reversed{words.device}, calls.length()}, low_half{}, of_view);
      },
      [&] {
        const auto key = [&](u32 i) { return low_half{}(words.items[n - 1 - i]); };
        calls.leaves(of_view, stable_order(calls.there(), [&](u32 x, u32 y) { return key(x) < key(y); }));
      });
  // The order that it sorts further is made by the same graph.
  calls.add(
      "argsort_further", std::max(argsort_by_scratch_bytes<u16, u32>(n), argsort_further_scratch_bytes<u16, u32>(n)),
      [&](const exec& gpu) {
        argsort_by(gpu, calls.now(words), low_half{}, further);
        argsort_further(gpu, calls.now(years), further);
      },
      [&] {
        calls.leaves(further, stable_order(calls.there(), [&](u32 x, u32 y) {
                       return years.items[x] != years.items[y] ? years.items[x] < years.items[y] : by_low_half(x, y);
                     }));
      });
  calls.add(
      "argsort_by_columns", argsort_by_columns_scratch_bytes<u32, u16, float>(n),
      [&](const exec& gpu) {
        const auto now = calls.now(prices);
        argsort_by_columns(gpu, by_columns, calls.now(years), column{now, {.direction = direction::descending}});
      },
      [&] {
        calls.leaves(by_columns, stable_order(calls.there(), [&](u32 x, u32 y) {
                       return years.items[x] != years.items[y] ? years.items[x] < years.items[y]
                                                               : prices.items[x] > prices.items[y];
                     }));
      });
  calls.replay();
}

// Offsets, and how many of them there are, change too. Segments that fit a block in one replay are
// merged in the next. On the GPU, with so many items, it is gathered and sorted by digits.
TEST_CASE("replay: sorts within segments, of as many items and segments as the device says") {
  const std::size_t n = BALLOT_EMULATED ? 5000 : 1'200'000, most_segments = n / 50;
  replayed_calls calls(n);
  const auto& keys = calls.input<u32>(n, [](u32 random) { return random & 0xfff000ffu; });
  const auto& values = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
  const auto& records = calls.input<record>(n, [](u32 random) { return record{{random, ~random, random / 3}}; });
  const auto& number = calls.input<u64>(1, [&](u32 random) { return random % most_segments; });
  const auto& offsets = calls.filled<u32>(most_segments, [&](std::vector<u32>& at, std::mt19937& random) {
    for (u32& offset : at) offset = static_cast<u32>(random() % n);
    std::sort(at.begin(), at.end());
  });
  const auto segments = [&] { return counted{offsets.device, number.device.data()}; };
  // Each segment's order; those that begin behind the last item are empty.
  const auto order = [&] {
    std::vector<u32> all(calls.there());
    std::iota(all.begin(), all.end(), 0u);
    for (std::size_t s = 0, begin = 0; s <= number.items[0]; ++s) {
      const std::size_t end = s < number.items[0] ? std::min<std::size_t>(offsets.items[s], all.size()) : all.size();
      std::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](u32 x, u32 y) { return keys.items[x] < keys.items[y]; });
      begin = end;
    }
    return all;
  };
  auto &sorted = calls.output<u32>(), &with_values = calls.output<u32>(), &with_records = calls.output<u32>();
  auto& sorted_values = calls.output<u64>();
  auto& sorted_records = calls.output<record>();
  calls.add(
      "segmented_sort", segmented_sort_scratch_bytes<u32>(n),
      [&](const exec& gpu) { segmented_sort(gpu, calls.now(keys), segments(), sorted); },
      [&] { calls.leaves(sorted, in_order(keys, order())); });
  calls.add(
      "segmented_sort_pairs", segmented_sort_pairs_scratch_bytes<u32, u64>(n),
      [&](const exec& gpu) {
        segmented_sort_pairs(gpu, calls.now(keys), values.device, segments(), with_values, sorted_values);
      },
      [&] {
        calls.leaves(with_values, in_order(keys, order()));
        calls.leaves(sorted_values, in_order(values, order()));
      });
  calls.add(
      "segmented_sort_pairs, values that stay", segmented_sort_pairs_scratch_bytes<u32, record>(n),
      [&](const exec& gpu) {
        segmented_sort_pairs(gpu, calls.now(keys), records.device, segments(), with_records, sorted_records);
      },
      [&] {
        calls.leaves(with_records, in_order(keys, order()));
        calls.leaves(sorted_records, in_order(records, order()));
      });
  calls.replay();
}

}  // namespace contract_replay_sorts_by
