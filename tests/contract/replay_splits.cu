// SPDX-License-Identifier: Apache-2.0
// Splits and multisplits of all kinds in one captured graph, replayed with other data and another
// length, which only the device knows.
#include <ballot/multisplit.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>

#include "support/replayed_calls.hpp"

using namespace ballot;
using test::guarded;
using test::replayed_calls;

namespace contract_replay_splits {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct is_odd {
  __host__ __device__ bool operator()(u32 x) const { return x % 2 != 0; }
};
// One bucket more than there are: its items are left out.
struct remainder {
  u32 buckets;
  __host__ __device__ u32 operator()(u32 x) const { return x % (buckets + 1); }
};

// Of a column: the items that are there of those rows for which the first column's item says so.
template <class T>
std::vector<T> those(const replayed_calls& calls, const test::changing<T>& column, const test::changing<u32>& first,
                     bool odd) {
  std::vector<T> chosen;
  for (std::size_t i = 0; i < calls.there(); ++i)
    if (is_odd{}(first.items[i]) == odd) chosen.push_back(column.items[i]);
  return chosen;
}
template <class T>
std::vector<T> odd_then_even(const replayed_calls& calls, const test::changing<T>& column,
                             const test::changing<u32>& first) {
  auto all = those(calls, column, first, true);
  const auto even = those(calls, column, first, false);
  all.insert(all.end(), even.begin(), even.end());
  return all;
}

TEST_CASE("replay: splits, of as many items as the device says") {
  constexpr std::size_t n = 6000;
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random; });
  const auto& second = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
  const auto number_of_odd = [&] { return those(calls, in, in, true).size(); };

  auto &odd = calls.output<u32>(), &even = calls.output<u32>(), &both = calls.output<u32>();
  auto &odd_second = calls.output<u64>(), &even_second = calls.output<u64>(), &both_second = calls.output<u64>();
  auto &one = calls.output<u64>(1), &two = calls.output<u64>(1), &three = calls.output<u64>(1),
       &four = calls.output<u64>(1), &five = calls.output<u64>(1);
  auto& ends = calls.output<u32>();
  calls.add(
      "split to both ends", split_scratch_bytes<u32>(n),
      [&](const exec& gpu) {
        split_to_both_ends(gpu, counted{in.device, calls.length()}, is_odd{}, ends, five.data());
      },
      [&] {
        auto want = those(calls, in, in, true), rejected = those(calls, in, in, false);
        want.insert(want.end(), rejected.rbegin(), rejected.rend());
        calls.leaves(ends, want);
        calls.leaves(five, number_of_odd());
      });
  calls.add(
      "split a zip, two outputs", split_scratch_bytes<u32, u64>(n),
      [&](const exec& gpu) {
        split(gpu, zip{calls.now(in), second.device}, on_first{is_odd{}}, zip{odd, odd_second}, zip{even, even_second},
              one.data());
      },
      [&] {
        calls.leaves(odd, those(calls, in, in, true));
        calls.leaves(odd_second, those(calls, second, in, true));
        calls.leaves(even, those(calls, in, in, false));
        calls.leaves(even_second, those(calls, second, in, false));
        calls.leaves(one, number_of_odd());
      });
  calls.add(
      "split a zip, one output", split_scratch_bytes<u32, u64>(n),
      [&](const exec& gpu) {
        split(gpu, zip{calls.now(in), second.device}, on_first{is_odd{}}, zip{both, both_second}, two.data());
      },
      [&] {
        calls.leaves(both, odd_then_even(calls, in, in));
        calls.leaves(both_second, odd_then_even(calls, second, in));
        calls.leaves(two, number_of_odd());
      });
  auto &in_place = calls.copy_of(in), &first_in_place = calls.copy_of(in);
  auto& second_in_place = calls.copy_of(second);
  calls.add(
      "split_in_place", split_in_place_scratch_bytes<u32>(n),
      [&](const exec& gpu) {
        split_in_place(gpu, counted{in_place, calls.length()}, is_odd{}, three.data());
      },
      [&] {
        calls.leaves_in_place(in_place, odd_then_even(calls, in, in), in);
        calls.leaves(three, number_of_odd());
      });
  calls.add(
      "split_in_place of a zip", split_in_place_scratch_bytes<u32, u64>(n),
      [&](const exec& gpu) {
        split_in_place(gpu, zip{counted{first_in_place, calls.length()}, second_in_place}, on_first{is_odd{}},
                       four.data());
      },
      [&] {
        calls.leaves_in_place(first_in_place, odd_then_even(calls, in, in), in);
        calls.leaves_in_place(second_in_place, odd_then_even(calls, second, in), second);
        calls.leaves(four, number_of_odd());
      });
  calls.replay();
}

// So many tiles that their counts are scanned by a kernel of its own.
TEST_CASE("replay: a split into one output, of many tiles") {
  const std::size_t n = BALLOT_EMULATED ? 40'000 : 3'000'000;
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random; });
  auto& both = calls.output<u32>();
  auto& count = calls.output<u64>(1);
  calls.add(
      "split", split_scratch_bytes<u32>(n),
      [&](const exec& gpu) { split(gpu, calls.now(in), is_odd{}, both, count.data()); },
      [&] {
        calls.leaves(both, odd_then_even(calls, in, in));
        calls.leaves(count, those(calls, in, in, true).size());
      });
  calls.replay();
}

TEST_CASE("replay: multisplits, of as many items as the device says") {
  constexpr std::size_t n = 6000;
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random; });
  const auto& small = calls.input<u8>(n, [](u32 random) { return static_cast<u8>(random); });
  // The places of the items of all buckets, and the begins of buckets.
  const auto order = [&](const auto& column, u32 buckets, std::vector<u64>& begins) {
    std::vector<u32> at;
    begins = {0};
    for (u32 bucket = 0; bucket < buckets; ++bucket) {
      for (u32 i = 0; i < calls.there(); ++i)
        if (remainder{buckets}(column.items[i]) == bucket) at.push_back(i);
      begins.push_back(at.size());
    }
    return at;
  };
  auto &items = calls.output<u32>(), &indices = calls.output<u32>();
  auto& bytes = calls.output<u8>();
  auto &begins_of_pairs = calls.output<u64>(8), &begins_of_bytes = calls.output<u64>(257);
  calls.add(
      "multisplit of a zip", multisplit_scratch_bytes<u32, u64>(n, 7),
      [&](const exec& gpu) {
        multisplit(gpu, zip{calls.now(in), positions(n)}, on_first{remainder{7}}, 7, zip{items, indices},
                   begins_of_pairs);
      },
      [&] {
        std::vector<u64> begins;
        const auto at = order(in, 7, begins);
        std::vector<u32> want;
        for (const u32 i : at) want.push_back(in.items[i]);
        calls.leaves(items, want);
        calls.leaves(indices, at);
        calls.leaves(begins_of_pairs, begins);
      });
  calls.add(
      "multisplit into 256", multisplit_scratch_bytes<u8>(n, 256),
      [&](const exec& gpu) { multisplit(gpu, calls.now(small), remainder{256}, 256, bytes, begins_of_bytes); },
      [&] {
        std::vector<u64> begins;
        std::vector<u8> want;
        for (const u32 i : order(small, 256, begins)) want.push_back(small.items[i]);
        calls.leaves(bytes, want);
        calls.leaves(begins_of_bytes, begins);
      });
  calls.replay();
}

}  // namespace contract_replay_splits
