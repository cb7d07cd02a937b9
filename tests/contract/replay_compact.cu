// SPDX-License-Identifier: Apache-2.0
// Compactions of all kinds in one captured graph, replayed with other data and another length,
// which only the device knows.
#include <ballot/compact.cuh>
#include <ballot/compact_rows.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/count_if.cuh>
#include <ballot/flag_bits.cuh>

#include "support/replayed_calls.hpp"

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_compact {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 6000;

struct is_odd {
  __host__ __device__ bool operator()(u32 x) const { return x % 2 != 0; }
};

TEST_CASE("replay: compactions and flags, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random; });
  const auto& second = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
  const auto& flags = calls.input<u8>(n, [](u32 random) { return static_cast<u8>(random % 3); });
  const auto odd_of = [&](const auto& column) {
    std::remove_cvref_t<decltype(column.items)> kept;
    for (std::size_t i = 0; i < calls.there(); ++i)
      if (is_odd{}(in.items[i])) kept.push_back(column.items[i]);
    return kept;
  };
  const auto odd = [&] { return odd_of(in); };

  auto &kept = calls.output<u32>(), &in_place = calls.copy_of(in), &first_in_place = calls.copy_of(in);
  auto &kept_second = calls.output<u64>(), &second_in_place = calls.copy_of(second), &indices = calls.output<u64>();
  auto &count = calls.output<u64>(1), &count_in_place = calls.output<u64>(1), &count_of_both = calls.output<u64>(1),
       &count_of_indices = calls.output<u64>(1), &count_of_flags = calls.output<u64>(1);
  calls.add(
      "compact a zip", compact_scratch_bytes<u32, u64>(n),
      [&](const exec& gpu) {
        compact(gpu, zip{calls.now(in), second.device}, on_first{is_odd{}}, zip{kept, kept_second}, count.data());
      },
      [&] {
        calls.leaves(kept, odd());
        calls.leaves(kept_second, odd_of(second));
        calls.leaves(count, odd().size());
      });
  calls.add(
      "compact_in_place", compact_in_place_scratch_bytes<u32>(n),
      [&](const exec& gpu) {
        compact_in_place(gpu, counted{in_place, calls.length()}, is_odd{}, count_in_place.data());
      },
      [&] {
        calls.leaves_in_place(in_place, odd(), in);
        calls.leaves(count_in_place, odd().size());
      });
  calls.add(
      "compact_in_place of a zip", compact_in_place_scratch_bytes<u32, u64>(n),
      [&](const exec& gpu) {
        compact_in_place(gpu, zip{counted{first_in_place, calls.length()}, second_in_place}, on_first{is_odd{}},
                         count_of_both.data());
      },
      [&] {
        calls.leaves_in_place(first_in_place, odd(), in);
        calls.leaves_in_place(second_in_place, odd_of(second), second);
        calls.leaves(count_of_both, odd().size());
      });
  calls.add(
      "compact_indices", compact_indices_scratch_bytes<u64, u32>(n),
      [&](const exec& gpu) {
        compact_indices(gpu, calls.now(in), byte_flags{flags.device}, indices, count_of_indices.data());
      },
      [&] {
        std::vector<u64> want;
        for (std::size_t i = 0; i < calls.there(); ++i)
          if (flags.items[i] != 0) want.push_back(i);
        calls.leaves(indices, want);
        calls.leaves(count_of_indices, want.size());
      });
  calls.add(
      "count_if", 0,
      [&](const exec& gpu) {
        count_if(gpu, calls.now(in), byte_flags{flags.device, true}, count_of_flags.data());
      },
      [&] {
        const auto there = calls.items(flags);
        calls.leaves(count_of_flags, static_cast<u64>(std::count(there.begin(), there.end(), 0)));
      });
  auto& words = calls.output<u32>((n + 31) / 32);
  calls.add(
      "flag_bits", 0, [&](const exec& gpu) { flag_bits(gpu, calls.now(in), is_odd{}, words); },
      [&] {
        std::vector<u32> want((calls.there() + 31) / 32);
        for (std::size_t i = 0; i < calls.there(); ++i) want[i / 32] |= u32{is_odd{}(in.items[i])} << i % 32;
        calls.leaves(words, want);
      });
  calls.replay();
}

TEST_CASE("replay: many arrays in one call, of lengths that the device says") {
  constexpr std::size_t rows = 12, width = 480, pitch = n / rows, segments = 30;
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random; });
  const auto& lengths = calls.input<u64>(rows, [](u32 random) { return random % (width + 20); });
  // Some are empty, the last one ends where the items do.
  const auto& offsets = calls.filled<u32>(segments + 1, [&](std::vector<u32>& at, std::mt19937& random) {
    for (u32& offset : at) offset = static_cast<u32>(random() % (calls.there() + 1)) / 100 * 100;
    std::sort(at.begin(), at.end());
    at.front() = 0;
    at.back() = static_cast<u32>(calls.there());
  });

  auto& kept = calls.output<u32>();
  auto& counts = calls.output<u64>(rows);
  calls.add(
      "compact_rows", compact_rows_scratch_bytes<u32>({.rows = rows, .width = width, .pitch = pitch}),
      [&](const exec& gpu) {
        const row_layout layout{.rows = rows, .width = width, .pitch = pitch, .lengths = lengths.device.data()};
        compact_rows(gpu, in.device, layout, is_odd{}, kept, counts);
      },
      [&] {
        const auto all = kept.read();
        bool right = true;
        std::vector<u64> want_counts;
        for (std::size_t r = 0; r < rows; ++r) {
          std::size_t place = r * pitch;
          for (std::size_t i = r * pitch; i < r * pitch + std::min<u64>(lengths.items[r], width); ++i)
            if (is_odd{}(in.items[i])) right &= all[place++] == in.items[i];
          want_counts.push_back(place - r * pitch);
          for (; place < (r + 1) * pitch; ++place) right &= test::is_dirt(all[place]);
        }
        CHECK(right);
        calls.leaves(counts, want_counts);
      });

  auto &of_segments = calls.output<u32>(), &new_offsets = calls.output<u32>(segments + 1);
  calls.add(
      "compact_segments", compact_segments_scratch_bytes<u32>(n),
      [&](const exec& gpu) {
        compact_segments(gpu, calls.now(in), offsets.device, is_odd{}, of_segments, new_offsets);
      },
      [&] {
        std::vector<u32> want, odd_before{0}, want_offsets;
        for (const u32 x : calls.items(in)) {
          if (is_odd{}(x)) want.push_back(x);
          odd_before.push_back(static_cast<u32>(want.size()));
        }
        for (const u32 at : offsets.items) want_offsets.push_back(odd_before[at]);
        calls.leaves(of_segments, want);
        calls.leaves(new_offsets, want_offsets);
      });
  calls.replay();
}

}  // namespace contract_replay_compact
