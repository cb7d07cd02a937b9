// Functions on runs in one captured graph, replayed with other data and another length, which only the device knows.
#include <ballot/unique.cuh>

#include "support/replayed_calls.hpp"

using namespace ballot;
using test::guarded;
using test::replayed_calls;

namespace contract_replay_runs {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 6000;

TEST_CASE("replay: runs, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& keys = calls.input<u32>(n, [](u32 random) { return random % 4; });
  const auto& values = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
  // Where runs begin, and at the end how many items there are.
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

}  // namespace contract_replay_runs
