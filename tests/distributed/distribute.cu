// SPDX-License-Identifier: Apache-2.0
// The kernels that move a rank's items to their stretches, by themselves and in small shapes. Keys
// equal splitters in no, few and all tiles. Splitters are equal, groups are cut between stretches,
// and keys have other orders.
#include <ballot/distributed/detail/distribute.cuh>

#include <doctest/doctest.h>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace ballot;
using namespace ballot::distributed::detail;

namespace distributed_distribute {

template <class U>
struct key_set {
  std::string name;
  std::vector<U> keys;
};

template <class U>
std::vector<key_set<U>> key_sets(std::size_t n, const key_codec<U>& codec) {
  const auto drawn = test::random_items<std::uint32_t>(n, 71);
  const auto many = test::random_items<U>(n, 72);
  const auto of = [&](auto key_of) {
    std::vector<U> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<U>(key_of(i));
    return keys;
  };
  std::vector<key_set<U>> sets;
  sets.push_back({"all different", many});
  sets.push_back({"all equal", of([&](std::size_t) { return many[0]; })});
  const U first = codec.decode(U{0});  // as what stands before the splitters where there are fewer than there can be
  sets.push_back({"the first key alone", of([&](std::size_t) { return first; })});
  sets.push_back({"some of the first key", of([&](std::size_t i) { return i % 7 == 0 ? first : many[i]; })});
  sets.push_back({"five", of([&](std::size_t i) { return many[drawn[i] % std::min<std::size_t>(n, 5)]; })});
  sets.push_back({"half of them equal", of([&](std::size_t i) { return drawn[i] % 2 == 0 ? many[0] : many[i]; })});
  sets.push_back({"equal in one stretch", of([&](std::size_t i) { return i < n / 3 ? many[0] : many[i]; })});
  return sets;
}

// Sorted codes: some of those of the keys, some beside them, some twice.
template <class U>
std::vector<U> splitters_of(std::vector<U> codes, int number, unsigned way) {
  std::sort(codes.begin(), codes.end());
  std::vector<U> splitters;
  for (int j = 0; j < number; ++j) {
    const auto at = (static_cast<std::size_t>(j) + 1) * codes.size() / (static_cast<std::size_t>(number) + 1);
    U splitter = codes[std::min(at, codes.size() - 1)];
    if (way == 1 && j % 3 == 1) splitter = static_cast<U>(splitter | 1u);
    if (way == 2 && j % 2 == 1) splitter = splitters.back();
    if (way == 3) splitter = j == 0 ? U{0} : static_cast<U>(~U{0});
    splitters.push_back(splitter);
  }
  std::sort(splitters.begin(), splitters.end());
  return splitters;
}

// launch(scratch, arguments): the kernel at hand. Keys alone have no order within a group; pairs
// are stable.
template <class U, class V, class Shape, class Launch>
void check(const key_set<U>& set, const asked_bits<U>& asked, int number, unsigned way, bool is_stable,
           Launch&& launch) {
  const std::size_t n = set.keys.size();
  std::vector<U> codes(n);
  for (std::size_t i = 0; i < n; ++i) codes[i] = asked.of(set.keys[i]);
  const std::vector<U> splitters = splitters_of(codes, number, way);
  const auto group_of = [&](U code) {
    const auto [first, upto] = std::equal_range(splitters.begin(), splitters.end(), code);
    return (first - splitters.begin()) + (upto - splitters.begin());
  };
  std::vector<std::uint64_t> below;
  for (const U splitter : splitters) {
    below.push_back(
        static_cast<std::uint64_t>(std::count_if(codes.begin(), codes.end(), [&](U code) { return code < splitter; })));
    below.push_back(static_cast<std::uint64_t>(std::count(codes.begin(), codes.end(), splitter)));
  }
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return group_of(codes[a]) < group_of(codes[b]); });
  // A splitter cuts between stretches, anywhere among the keys that equal it. Each stretch lies
  // some items further than its place among the items by group.
  std::vector<stretch> stretches{{0, 1, 0}};
  for (int j = 0; j < number; ++j) {
    const auto at = 2 * static_cast<std::size_t>(j);
    const std::uint64_t left = below[at + 1] * (static_cast<std::uint64_t>(j) + 1) / static_cast<std::uint64_t>(number);
    stretches.push_back({below[at] + left, 3 * j + 4, 2 * j + 2});
  }
  stretches.push_back({n, 0, 0});
  const std::size_t room = n + 3 * static_cast<std::size_t>(number) + 8;
  std::vector<V> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<V>(i);
  CAPTURE(set.name);
  CAPTURE(number);
  CAPTURE(way);
  CAPTURE(n);
  test::for_some_schedules([&] {
    const test::guarded<U> keys(set.keys), bounds(splitters);
    const test::guarded<V> payload(values);
    const test::guarded<std::uint64_t> own_below(below);
    const test::guarded<stretch> places(stretches);
    test::guarded<U> keys_out(room);
    test::guarded<V> values_out(room);
    const std::size_t state_words = Shape::groups * (n / Shape::items + 1);
    test::guarded<std::byte> scratch(sizeof(distribute_state::word) * state_words + sizeof(std::uint32_t));
    launch(scratch.data(), keys.data(), payload.data(), n, asked, bounds.data(), number, own_below.data(),
           places.data(), keys_out.data(), values_out.data());
    const auto all_keys = keys_out.read();
    const auto all_values = values_out.read();
    std::vector<U> found(n), wanted(n);
    std::vector<V> found_values(n), wanted_values(n);
    for (std::size_t i = 0, s = 0; i < n; ++i) {
      while (stretches[s + 1].begin <= i) ++s;
      found[i] = all_keys[i + static_cast<std::size_t>(stretches[s].key_shift)];
      wanted[i] = set.keys[order[i]];
      found_values[i] = all_values[i + static_cast<std::size_t>(stretches[s].value_shift)];
      wanted_values[i] = values[order[i]];
    }
    if (is_stable) {
      CHECK(found == wanted);
      CHECK(found_values == wanted_values);
      return;
    }
    for (std::size_t begin = 0; begin < n;) {
      std::size_t end = begin;
      while (end < n && group_of(codes[order[end]]) == group_of(codes[order[begin]])) ++end;
      const auto from = static_cast<std::ptrdiff_t>(begin), to = static_cast<std::ptrdiff_t>(end);
      std::sort(found.begin() + from, found.begin() + to);
      std::sort(wanted.begin() + from, wanted.begin() + to);
      begin = end;
    }
    CHECK(found == wanted);
  });
}

template <class U, int Bits>
void check_keys(const key_set<U>& set, key_codec<U> codec, int number, unsigned way) {
  using shape = distribute_shape<64, 6, 1, Bits>;
  const asked_bits<U> asked(codec, {0, 8 * static_cast<int>(sizeof(U))});
  check<U, std::uint32_t, shape>(
      set, asked, number, way, false,
      [](std::byte* scratch, const U* keys, const auto*, std::size_t n, const asked_bits<U>& of, const U* splitter,
         int splitters, const std::uint64_t* below, const stretch* places, U* out, auto*) {
        launch_distribute_by<U, no_value, shape>(
            test::test_stream(), scratch,
            {keys, nullptr, 0, n, of, splitter, splitters, below, places, out, nullptr, nullptr, nullptr},
            distribute_keys_kernel<U, shape>, sizeof(distribute_keys_storage<U, shape>));
      });
}
template <class U, int Bits>
void check_pairs(const key_set<U>& set, key_codec<U> codec, int number, unsigned way) {
  using V = std::uint32_t;
  using shape = distribute_shape<64, 6, 1, Bits>;
  const asked_bits<U> asked(codec, {0, 8 * static_cast<int>(sizeof(U))});
  check<U, V, shape>(
      set, asked, number, way, true,
      [](std::byte* scratch, const U* keys, const V* values, std::size_t n, const asked_bits<U>& of, const U* splitter,
         int splitters, const std::uint64_t* below, const stretch* places, U* out, V* values_out) {
        launch_distribute_in_shape<U, V, shape>(
            test::test_stream(), scratch,
            {keys, values, 0, n, of, splitter, splitters, below, places, out, values_out, nullptr, nullptr});
      });
}

template <class U>
void check_sizes(key_codec<U> codec) {
  constexpr std::size_t tile = 64 * 6;
  for (const std::size_t n : {std::size_t{100}, tile, 4 * tile + 77})
    for (const key_set<U>& set : key_sets<U>(n, codec))
      for (const unsigned way : {0u, 1u, 2u, 3u}) {
        if (n != 4 * tile + 77 && way != 0) continue;
        for (const int number : {1, 3, 7}) check_keys<U, 4>(set, codec, number, way);
        for (const int number : {9, 15}) check_keys<U, 5>(set, codec, number, way);
        check_pairs<U, 4>(set, codec, 7, way);
        check_pairs<U, 5>(set, codec, 11, way);
      }
}

TEST_CASE("keys into stretches: u32") { check_sizes(key_codec_of<std::uint32_t>(direction::ascending)); }
TEST_CASE("keys into stretches: floats") { check_sizes(key_codec_of<float>(direction::ascending)); }
TEST_CASE("keys into stretches: i64, descending") { check_sizes(key_codec_of<std::int64_t>(direction::descending)); }

}  // namespace distributed_distribute
