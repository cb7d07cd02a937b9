// SPDX-License-Identifier: Apache-2.0
// Segmented reductions in a captured graph, replayed with other data and another length, which only
// the device knows.
#include <ballot/outputs.cuh>
#include <ballot/segmented_reduce.cuh>
#include <ballot/views.cuh>

#include "support/replayed_calls.hpp"

#include <algorithm>

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_segmented_reduce {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct by_low_digits {
  __host__ __device__ bool operator()(u32 a, u32 b) const { return a % 100 < b % 100; }
};
struct index_of {
  __host__ __device__ u64 operator()(const indexed<u32>& found) const { return found.index; }
};

constexpr std::size_t n = 9000, row = 100;

TEST_CASE("replay: segmented reductions, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random % 1000; });
  const auto& offsets = calls.input<u32>(41, [](u32 random) { return random % n; });  // in no order
  const auto& heads = calls.input<std::uint8_t>(n, [](u32 random) { return random % 50 == 0 ? 1 : 0; });
  const std::size_t by_offsets = segmented_reduce_scratch_bytes<u64>(n),
                    by_flags = segmented_reduce_by_flags_scratch_bytes<u64>(n),
                    of_arg = segmented_reduce_scratch_bytes<indexed<u32>>(n),
                    of_arg_by_flags = segmented_reduce_by_flags_scratch_bytes<indexed<u32>>(n);
  // The segment from `begin` to `end`, of the items that are there.
  const auto sum_of = [&](u64 begin, u64 end) {
    u64 sum = 0;
    for (u64 i = begin; i < std::min<u64>(end, calls.there()); ++i) sum += in.items[i];
    return sum;
  };
  const auto first_of = [&](u64 begin, u64 end, auto better) {
    u64 first = no_index;
    for (u64 i = begin; i < std::min<u64>(end, calls.there()); ++i)
      if (first == no_index || better(in.items[i], in.items[first])) first = i;
    return first;
  };
  const auto begins = [&] {
    std::vector<u64> at;
    for (u64 i = 0; i < calls.there(); ++i)
      if (i == 0 || heads.items[i] != 0) at.push_back(i);
    return at;
  };
  const auto end_of = [&](const std::vector<u64>& at, std::size_t s) { return s + 1 < at.size() ? at[s + 1] : n; };

  auto &sums = calls.output<u64>(40), &flagged = calls.output<u64>(), &count = calls.output<u64>(1);
  auto &least = calls.output<indexed<u32>>(n / row), &most = calls.output<indexed<u32>>(40);
  auto &least_flagged = calls.output<indexed<u32>>(), &most_flagged = calls.output<indexed<u32>>();
  auto &least_count = calls.output<u64>(1), &most_count = calls.output<u64>(1);
  const auto indices_are = [&](const auto& out, std::size_t s, u64 want) { CHECK(out.read()[s].index == want); };
  calls.add(
      "segmented_reduce", by_offsets,
      [&](const exec& gpu) { segmented_reduce(gpu, calls.now(in), segment_offsets{offsets.device}, 7, sums); },
      [&] {
        std::vector<u64> want;
        for (std::size_t s = 0; s < 40; ++s) want.push_back(7 + sum_of(offsets.items[s], offsets.items[s + 1]));
        CHECK(sums.read() == want);
      });
  auto& of_view = calls.output<u64>(40);
  calls.add(
      "segmented_reduce of a view", by_offsets,
      [&](const exec& gpu) {
        segmented_reduce(gpu, counted{reversed{in.device}, calls.length()}, segment_offsets{offsets.device}, of_view);
      },
      [&] {
        std::vector<u64> want(40);
        for (std::size_t s = 0; s < 40; ++s)
          for (u64 i = offsets.items[s]; i < std::min<u64>(offsets.items[s + 1], calls.there()); ++i)
            want[s] += in.items[n - 1 - i];
        CHECK(of_view.read() == want);
      });
  calls.add(
      "segmented_reduce by flags", by_flags,
      [&](const exec& gpu) { segmented_reduce(gpu, calls.now(in), byte_flags{heads.device}, flagged, count.data()); },
      [&] {
        std::vector<u64> want;
        const auto at = begins();
        for (std::size_t s = 0; s < at.size(); ++s) want.push_back(sum_of(at[s], end_of(at, s)));
        calls.leaves(flagged, want);
        calls.leaves(count, want.size());
      });
  calls.add(
      "segmented_arg_min", of_arg,
      [&](const exec& gpu) { segmented_arg_min(gpu, calls.now(in), row_length(row), least); },
      [&] {
        for (std::size_t s = 0; s * row < calls.there(); ++s)
          indices_are(least, s, first_of(s * row, s * row + row, std::less{}));
      });
  calls.add(
      "segmented_arg_max", of_arg,
      [&](const exec& gpu) { segmented_arg_max(gpu, calls.now(in), segment_offsets{offsets.device}, most); },
      [&] {
        for (std::size_t s = 0; s < 40; ++s)
          indices_are(most, s, first_of(offsets.items[s], offsets.items[s + 1], std::greater{}));
      });
  calls.add(
      "segmented_arg_min by flags", of_arg_by_flags,
      [&](const exec& gpu) {
        segmented_arg_min(gpu, calls.now(in), byte_flags{heads.device}, least_flagged, least_count.data());
      },
      [&] {
        const auto at = begins();
        calls.leaves(least_count, at.size());
        for (std::size_t s = 0; s < at.size(); ++s)
          indices_are(least_flagged, s, first_of(at[s], end_of(at, s), std::less{}));
      });
  calls.add(
      "segmented_arg_max by flags", of_arg_by_flags,
      [&](const exec& gpu) {
        segmented_arg_max(gpu, calls.now(in), byte_flags{heads.device}, most_flagged, most_count.data());
      },
      [&] {
        const auto at = begins();
        calls.leaves(most_count, at.size());
        for (std::size_t s = 0; s < at.size(); ++s)
          indices_are(most_flagged, s, first_of(at[s], end_of(at, s), std::greater{}));
      });
  // By a comparison, and the index alone.
  auto &low = calls.output<u64>(40), &high = calls.output<u64>(40), &low_flagged = calls.output<u64>(),
       &high_flagged = calls.output<u64>(), &low_count = calls.output<u64>(1), &high_count = calls.output<u64>(1);
  const by_low_digits less;
  const auto more = [](u32 a, u32 b) { return by_low_digits{}(b, a); };
  const auto of_offsets = [&](const auto& out, auto better) {
    const auto got = out.read();
    for (std::size_t s = 0; s < 40; ++s) CHECK(got[s] == first_of(offsets.items[s], offsets.items[s + 1], better));
  };
  const auto of_flags = [&](auto& out, auto& counted, auto better) {
    const auto at = begins();
    std::vector<u64> want;
    for (std::size_t s = 0; s < at.size(); ++s) want.push_back(first_of(at[s], end_of(at, s), better));
    calls.leaves(out, want);
    calls.leaves(counted, want.size());
  };
  const auto indices = [](const auto& out) { return converting<indexed<u32>>(out, index_of{}); };
  calls.add(
      "segmented_arg_min by a comparison", of_arg,
      [&](const exec& gpu) {
        segmented_arg_min(gpu, calls.now(in), segment_offsets{offsets.device}, less, indices(low));
      },
      [&] { of_offsets(low, less); });
  calls.add(
      "segmented_arg_max by a comparison", of_arg,
      [&](const exec& gpu) {
        segmented_arg_max(gpu, calls.now(in), segment_offsets{offsets.device}, less, indices(high));
      },
      [&] { of_offsets(high, more); });
  calls.add(
      "segmented_arg_min by flags and a comparison", of_arg_by_flags,
      [&](const exec& gpu) {
        segmented_arg_min(gpu, calls.now(in), byte_flags{heads.device}, less, indices(low_flagged), low_count.data());
      },
      [&] { of_flags(low_flagged, low_count, less); });
  calls.add(
      "segmented_arg_max by flags and a comparison", of_arg_by_flags,
      [&](const exec& gpu) {
        segmented_arg_max(gpu, calls.now(in), byte_flags{heads.device}, less, indices(high_flagged), high_count.data());
      },
      [&] { of_flags(high_flagged, high_count, more); });
  calls.replay();
}

}  // namespace contract_replay_segmented_reduce
