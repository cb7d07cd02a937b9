// SPDX-License-Identifier: Apache-2.0
// Random sorts by a function of the items and by several columns, selections of positions and to
// both ends, and how far keys are in order. Compared with loops on the host.
#include <ballot/argsort_by_columns.cuh>
#include <ballot/compact.cuh>
#include <ballot/search.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/split.cuh>

#include "stress/checks.hpp"
#include "stress/key_draws.cuh"

#include "support/odd_items.hpp"
#include "support/patterns.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace ballot::test {
namespace columns_of_stress {

template <int Bytes>
struct bytes_of_item {
  u8 byte[Bytes];
};
// Of the first two bytes, with half of the keys equal.
struct key_of_bytes {
  template <int Bytes>
  __host__ __device__ std::int16_t operator()(const bytes_of_item<Bytes>& item) const {
    return static_cast<std::int16_t>((item.byte[0] & 0x83u) << 8 | (item.byte[1] & 0x0fu));
  }
};

}  // namespace columns_of_stress
namespace {

using columns_of_stress::bytes_of_item;
using columns_of_stress::key_of_bytes;

template <class T>
bool same_items(const std::vector<T>& got, const std::vector<T>& items, const std::vector<u64>& order) {
  bool same = true;
  for (std::size_t i = 0; i < order.size(); ++i) same &= std::memcmp(&got[i], &items[order[i]], sizeof(T)) == 0;
  for (std::size_t i = order.size(); i < got.size(); ++i) same &= is_dirt(got[i]);
  return same;
}

template <int Bytes>
void check_sort_by(draws& draw, const exec& where) {
  using T = bytes_of_item<Bytes>;
  const u64 n = draw.short_length(), there = draw.yes() ? n : draw.below(n + 1);
  CAPTURE(n);
  CAPTURE(there);
  const auto items = random_items<T>(static_cast<std::size_t>(n), static_cast<unsigned>(draw.random()));
  const drawn_order<std::int16_t> order(draw);
  CAPTURE(order.options.bits.low);
  CAPTURE(order.options.bits.high);
  std::vector<u64> want(static_cast<std::size_t>(there));
  std::iota(want.begin(), want.end(), u64{0});
  const auto word = [&](u64 i) { return static_cast<std::uint16_t>(key_of_bytes{}(items[i])); };
  std::stable_sort(want.begin(), want.end(), [&](u64 a, u64 b) { return order.before(word(a), word(b)); });
  const guarded<T> in(items, draw.shift());
  device_value<u32> length(test_stream());
  length.write(test_stream(), static_cast<u32>(there));
  const counted now{in, length};
  if (draw.yes()) {
    guarded<T> out(items.size(), draw.shift());
    sort_by(where, now, key_of_bytes{}, out, order.options);
    CHECK(same_items(out.read(), items, want));
  } else {
    guarded<std::int64_t> out(items.size());
    argsort_by(where, now, key_of_bytes{}, out, order.options);
    const auto got = out.read();
    bool same = true;
    for (std::size_t i = 0; i < got.size(); ++i)
      same &= i < want.size() ? static_cast<u64>(got[i]) == want[i] : is_dirt(got[i]);
    CHECK(same);
  }
}

void check_columns(draws& draw, const exec& where) {
  const u64 n = draw.short_length();
  CAPTURE(n);
  const auto size = static_cast<std::size_t>(n);
  auto first = random_items<u8>(size, static_cast<unsigned>(draw.random()));
  auto second = random_items<std::int32_t>(size, static_cast<unsigned>(draw.random()));
  auto third = random_items<double>(size, static_cast<unsigned>(draw.random()));
  for (std::size_t i = 0; i < size; ++i) {
    if (draw.below(4) != 0) first[i] %= 3;
    if (draw.below(4) != 0) second[i] %= 5;
    if (draw.below(4) == 0) third[i] = static_cast<double>(draw.below(3)) - 1;
  }
  const drawn_order<u8> by_first(draw);
  const drawn_order<std::int32_t> by_second(draw);
  const drawn_order<double> by_third(draw);
  std::vector<u64> want(size);
  std::iota(want.begin(), want.end(), u64{0});
  const auto bits = [](double x) {
    u64 word;
    std::memcpy(&word, &x, sizeof word);
    return word;
  };
  std::stable_sort(want.begin(), want.end(), [&](u64 a, u64 b) {
    const auto& one = by_first.before;
    const auto& two = by_second.before;
    const auto& last = by_third.before;
    if (one(first[a], first[b]) || one(first[b], first[a])) return one(first[a], first[b]);
    const auto x = static_cast<u32>(second[a]), y = static_cast<u32>(second[b]);
    if (two(x, y) || two(y, x)) return two(x, y);
    return last(bits(third[a]), bits(third[b]));
  });
  const guarded<u8> ones(first, draw.shift());
  const guarded<std::int32_t> twos(second, draw.shift());
  const guarded<double> threes(third, draw.shift());
  guarded<u32> out(size, draw.shift());
  argsort_by_columns(where, out, column{ones, by_first.options}, column{twos, by_second.options},
                     column{threes, by_third.options});
  const auto got = out.read();
  CHECK(std::equal(got.begin(), got.end(), want.begin(), want.end()));
}

// Selected items have an odd first byte.
template <int Bytes>
void check_selection_of(draws& draw, const exec& where) {
  using T = bytes_of_item<Bytes>;
  const u64 n = draw.short_length(), there = draw.yes() ? n : draw.below(n + 1), share = u64{1} << draw.below(8);
  CAPTURE(n);
  CAPTURE(there);
  std::vector<bool> flags(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = draw.below(share) == 0;
  auto items = items_with_flags<T>(flags);
  std::vector<u64> selected, rejected;
  for (u64 i = 0; i < there; ++i) (flags[i] ? selected : rejected).push_back(i);
  const guarded<T> in(items, draw.shift());
  device_value<u64> length(test_stream()), count(test_stream());
  length.write(test_stream(), there);
  const counted now{in, length};
  const u64 way = draw.below(3);
  CAPTURE(way);
  if (way == 0) {
    guarded<u32> out(items.size(), draw.shift());
    compact_indices(where, now, is_odd{}, out, count);
    const auto got = out.read();
    bool same = true;
    for (std::size_t i = 0; i < got.size(); ++i) same &= i < selected.size() ? got[i] == selected[i] : is_dirt(got[i]);
    CHECK(same);
  } else if (way == 1) {
    guarded<T> out(items.size(), draw.shift());
    split_to_both_ends(where, now, is_odd{}, out, count);
    std::vector<u64> order = selected;  // rejected item k goes to place n - 1 - k of the n that are there
    order.insert(order.end(), rejected.rbegin(), rejected.rend());
    CHECK(same_items(out.read(), items, order));
  } else {
    guarded<T> out(items.size(), draw.shift()), rest(items.size(), draw.shift());
    split(where, now, is_odd{}, out, rest, count);
    CHECK(same_items(out.read(), items, selected));
    CHECK(same_items(rest.read(), items, rejected));
  }
  CHECK(count.read(test_stream()) == selected.size());
}

template <class K>
void check_order_of_keys(draws& draw, const exec& where) {
  const u64 n = draw.short_length();
  CAPTURE(n);
  auto keys = random_items<K>(static_cast<std::size_t>(n), static_cast<unsigned>(draw.random()));
  const direction way = draw.yes() ? direction::ascending : direction::descending;
  const auto before = [&](K a, K b) { return ordered_bits(a, way) < ordered_bits(b, way); };
  std::stable_sort(keys.begin(), keys.end(), before);
  if (!keys.empty() && draw.yes()) keys[draw.below(keys.size())] = random_items<K>(1, 8)[0];
  const guarded<K> in(keys, draw.shift());
  device_value<u64> sorted(test_stream()), until(test_stream());
  is_sorted(where, in, sorted, {.direction = way});
  is_sorted_until(where, in, until, {.direction = way});
  const auto end = std::is_sorted_until(keys.begin(), keys.end(), before);
  CHECK(sorted.read(test_stream()) == (end == keys.end() ? 1u : 0u));
  CHECK(until.read(test_stream()) == static_cast<u64>(end - keys.begin()));
}

}  // namespace

void check_columns_and_items(draws& draw, const exec& where) {
  const u64 kind = draw.below(9);
  CAPTURE(kind);
  if (kind == 0) check_sort_by<2>(draw, where);
  else if (kind == 1) check_sort_by<3>(draw, where);
  else if (kind == 2) check_sort_by<20>(draw, where);
  else if (kind == 3) check_columns(draw, where);
  else if (kind == 4) check_selection_of<1>(draw, where);
  else if (kind == 5) check_selection_of<4>(draw, where);
  else if (kind == 6) check_selection_of<12>(draw, where);
  else if (kind == 7) check_order_of_keys<std::int16_t>(draw, where);
  else check_order_of_keys<float>(draw, where);
}

}  // namespace ballot::test
