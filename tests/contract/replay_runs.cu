// SPDX-License-Identifier: Apache-2.0
// Functions on runs in one captured graph, replayed with other data and another length, which only
// the device knows.
#include <ballot/unique.cuh>

#include "support/replayed_calls.hpp"

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_runs {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 6000;

TEST_CASE("replay: runs, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& keys = calls.input<u32>(n, [](u32 random) { return random % 4; });
  const auto& values = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
  // The begins of runs, and at the end the number of items.
  const auto begins = [&] {
    std::vector<u32> at;
    for (u32 i = 0; i < calls.there(); ++i)
      if (i == 0 || keys.items[i] != keys.items[i - 1]) at.push_back(i);
    at.push_back(static_cast<u32>(calls.there()));
    return at;
  };
  const auto heads = [&](const auto& column) {
    auto at = begins();
    at.pop_back();
    std::remove_cvref_t<decltype(column.items)> first;
    for (const u32 i : at) first.push_back(column.items[i]);
    return first;
  };
  const auto runs = [&] { return begins().size() - 1; };

  auto &first = calls.output<u32>(), &in_place = calls.copy_of(keys);
  auto &count = calls.output<u64>(1), &count_in_place = calls.output<u64>(1);
  calls.add(
      "unique", unique_scratch_bytes<u32>(n),
      [&](const exec& gpu) { unique(gpu, calls.now(keys), first, count.data()); },
      [&] {
        calls.leaves(first, heads(keys));
        calls.leaves(count, runs());
      });
  calls.add(
      "unique_in_place", unique_scratch_bytes<u32>(n),
      [&](const exec& gpu) {
        unique_in_place(gpu, counted{in_place, calls.length()}, count_in_place.data());
      },
      [&] {
        calls.leaves_in_place(in_place, heads(keys), keys);
        calls.leaves(count_in_place, runs());
      });

  auto& first_of_pairs = calls.output<u32>();
  auto &first_values = calls.output<u64>(), &count_of_pairs = calls.output<u64>(1);
  calls.add(
      "unique_by_key", unique_scratch_bytes<u32, u64>(n),
      [&](const exec& gpu) {
        unique_by_key(gpu, calls.now(keys), values.device, first_of_pairs, first_values, count_of_pairs.data());
      },
      [&] {
        calls.leaves(first_of_pairs, heads(keys));
        calls.leaves(first_values, heads(values));
        calls.leaves(count_of_pairs, runs());
      });

  auto &first_of_offsets = calls.output<u32>(), &offsets = calls.output<u32>(n + 1);
  auto& count_of_offsets = calls.output<u64>(1);
  calls.add(
      "run_offsets", run_offsets_scratch_bytes<u32, u32>(n),
      [&](const exec& gpu) { run_offsets(gpu, calls.now(keys), first_of_offsets, offsets, count_of_offsets.data()); },
      [&] {
        calls.leaves(first_of_offsets, heads(keys));
        calls.leaves(offsets, begins());
        calls.leaves(count_of_offsets, runs());
      });

  auto& first_of_lengths = calls.output<u32>();
  auto &lengths = calls.output<u64>(), &count_of_lengths = calls.output<u64>(1);
  calls.add(
      "run_length_encode", run_length_encode_scratch_bytes<u32, u64>(n),
      [&](const exec& gpu) {
        run_length_encode(gpu, calls.now(keys), first_of_lengths, lengths, count_of_lengths.data());
      },
      [&] {
        const auto at = begins();
        std::vector<u64> want;
        for (std::size_t r = 0; r + 1 < at.size(); ++r) want.push_back(at[r + 1] - at[r]);
        calls.leaves(first_of_lengths, heads(keys));
        calls.leaves(lengths, want);
        calls.leaves(count_of_lengths, runs());
      });
  calls.replay();
}

struct same_half {
  BALLOT_HOST_DEVICE bool operator()(u32 before, u32 item) const { return before / 2 == item / 2; }
};

TEST_CASE("replay: runs by a relation, with counts of 4 bytes") {
  replayed_calls calls(n);
  const auto& keys = calls.input<u32>(n, [](u32 random) { return random % 6; });
  const auto begins = [&] {
    std::vector<int> at;
    for (std::size_t i = 0; i < calls.there(); ++i)
      if (i == 0 || !same_half{}(keys.items[i - 1], keys.items[i])) at.push_back(static_cast<int>(i));
    at.push_back(static_cast<int>(calls.there()));
    return at;
  };
  const auto heads = [&] {
    std::vector<u32> first;
    const auto at = begins();
    for (std::size_t r = 0; r + 1 < at.size(); ++r) first.push_back(keys.items[static_cast<std::size_t>(at[r])]);
    return first;
  };
  // Each call has outputs of its own: heads and their number, and begins or lengths.
  auto &of_unique = calls.output<u32>(), &in_place = calls.copy_of(keys), &of_pairs = calls.output<u32>(),
       &other_of_pairs = calls.output<u32>(), &of_offsets = calls.output<u32>(), &of_lengths = calls.output<u32>();
  auto &count = calls.output<int>(1), &count_in_place = calls.output<int>(1), &count_of_pairs = calls.output<int>(1),
       &count_of_offsets = calls.output<int>(1), &count_of_lengths = calls.output<int>(1);
  auto &offsets = calls.output<int>(n + 1), &lengths = calls.output<int>(n);
  const auto check = [&](auto& first, auto& number) {
    calls.leaves(first, heads());
    calls.leaves(number, static_cast<int>(begins().size()) - 1);
  };
  calls.add(
      "unique", unique_scratch_bytes<u32>(n),
      [&](const exec& gpu) { unique(gpu, calls.now(keys), same_half{}, of_unique, count.data()); },
      [&] { check(of_unique, count); });
  calls.add(
      "unique_in_place", unique_scratch_bytes<u32>(n),
      [&](const exec& gpu) {
        unique_in_place(gpu, counted{in_place, calls.length()}, same_half{}, count_in_place.data());
      },
      [&] {
        calls.leaves_in_place(in_place, heads(), keys);
        calls.leaves(count_in_place, static_cast<int>(begins().size()) - 1);
      });
  calls.add(
      "unique_by_key", unique_scratch_bytes<u32, u32>(n),
      [&](const exec& gpu) {
        unique_by_key(gpu, calls.now(keys), keys.device, same_half{}, of_pairs, other_of_pairs, count_of_pairs.data());
      },
      [&] {
        check(of_pairs, count_of_pairs);
        calls.leaves(other_of_pairs, heads());
      });
  calls.add(
      "run_offsets", run_offsets_scratch_bytes<u32, int>(n),
      [&](const exec& gpu) {
        run_offsets(gpu, calls.now(keys), same_half{}, of_offsets, offsets, count_of_offsets.data());
      },
      [&] {
        check(of_offsets, count_of_offsets);
        calls.leaves(offsets, begins());
      });
  calls.add(
      "run_length_encode", run_length_encode_scratch_bytes<u32, int>(n),
      [&](const exec& gpu) {
        run_length_encode(gpu, calls.now(keys), same_half{}, of_lengths, lengths, count_of_lengths.data());
      },
      [&] {
        check(of_lengths, count_of_lengths);
        const auto at = begins();
        std::vector<int> want;
        for (std::size_t r = 0; r + 1 < at.size(); ++r) want.push_back(at[r + 1] - at[r]);
        calls.leaves(lengths, want);
      });
  calls.replay();
}

}  // namespace contract_replay_runs
