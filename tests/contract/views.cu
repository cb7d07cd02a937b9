// SPDX-License-Identifier: Apache-2.0
// Calls on views ask the runtime for the same as calls on ranges. So do they in a graph that is
// replayed with other data, indices and lengths, which only the device knows.
#include <ballot/blockwise_scan.cuh>
#include <ballot/compact.cuh>
#include <ballot/compact_rows.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/count_if.cuh>
#include <ballot/flag_bits.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/outputs.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/search.cuh>
#include <ballot/segmented_reduce.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/split.cuh>
#include <ballot/unique.cuh>
#include <ballot/views.cuh>

#include "support/replayed_calls.hpp"
#include "support/runtime_calls.hpp"

using namespace ballot;
using test::check_contract;
using test::guarded;
using test::replayed_calls;

namespace contract_views {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 20'000, large = 200'000;

struct is_odd {
  __host__ __device__ bool operator()(u32 x) const { return x % 2 != 0; }
};
struct mixed {
  __host__ __device__ u32 operator()(u32 x, u32 y) const { return x * 5 + (y >> 3); }
};
struct digit {
  __device__ u32 operator()(u32 x) const { return x % 7; }
};

// call(exec, input) on a view asks for what it does on a range of its length, with as much scratch.
template <class View, class Range, class Call>
void check_same_work(const std::string& name, std::size_t scratch_bytes, const View& view, const Range& range,
                     Call call) {
  const test::exact_scratch scratch(scratch_bytes);
  const test::runtime_calls work = test::runtime_calls_of([&] { call(scratch.where(), range); });
  CHECK(work.launches >= 1);
  check_contract(name, scratch_bytes, {work.launches, work.fills, work.copies},
                 [&](const exec& gpu) { call(gpu, view); });
}

TEST_CASE("contract: views") {
  std::vector<u32> some(n);
  for (std::size_t i = 0; i < n; ++i) some[i] = static_cast<u32>(i * 2654435761u >> 7);
  const guarded<u32> in(some);
  const guarded<u8> heads(std::vector<u8>(n, 1));
  guarded<u32> out(n), rest(n), words(n), offsets(n + 1);
  device_value<u64> count(test::test_stream());
  device_value<indexed<u32>> at(test::test_stream());
  const transformed view{in, reversed{in}, mixed{}};

  check_same_work("compact", compact_scratch_bytes<u32>(n), view, in,
                  [&](const exec& gpu, const auto& of) { compact(gpu, of, is_odd{}, out, count); });
  check_same_work("count_if", 0, view, in,
                  [&](const exec& gpu, const auto& of) { count_if(gpu, of, is_odd{}, count); });
  check_same_work("flag_bits", 0, view, in,
                  [&](const exec& gpu, const auto& of) { flag_bits(gpu, of, is_odd{}, words); });
  const std::size_t two = detail::partition_scratch_bytes<detail::rejects::second_output, u32>(n);
  check_same_work("split", detail::bytes_at_any_address(two), view, in,
                  [&](const exec& gpu, const auto& of) { split(gpu, of, is_odd{}, out, rest, count); });
  check_same_work("unique", unique_scratch_bytes<u32>(n), view, in,
                  [&](const exec& gpu, const auto& of) { unique(gpu, of, out, count); });
  check_same_work("run_length_encode", run_length_encode_scratch_bytes<u32, u32>(n), view, in,
                  [&](const exec& gpu, const auto& of) { run_length_encode(gpu, of, out, rest, count); });
  check_same_work("multisplit", multisplit_scratch_bytes<u32>(n, 7), view, in,
                  [&](const exec& gpu, const auto& of) { multisplit(gpu, of, digit{}, 7, out, offsets); });
  check_same_work("inclusive_scan", scan_scratch_bytes<u32>(n), view, in,
                  [&](const exec& gpu, const auto& of) { inclusive_scan(gpu, of, out); });
  check_same_work("counts_to_offsets", scan_scratch_bytes<u32>(n), view, in,
                  [&](const exec& gpu, const auto& of) { counts_to_offsets(gpu, of, offsets); });
  for (const std::uint64_t block_items : {512, 15'000})
    check_same_work("blockwise_inclusive_scan", blockwise_scan_scratch_bytes<u32>(n, block_items), view, in,
                    [&](const exec& gpu, const auto& of) { blockwise_inclusive_scan(gpu, of, out, block_items); });
  const guarded<u32> begins(std::vector<u32>{0, 7, 5000, n});
  const std::span<u32> three(out.data(), 3), rows(out.data(), 20);
  check_same_work("segmented_reduce by offsets", segmented_reduce_scratch_bytes<u32>(n), view, in,
                  [&](const exec& gpu, const auto& of) { segmented_reduce(gpu, of, segment_offsets{begins}, three); });
  check_same_work("segmented_reduce by rows", segmented_reduce_scratch_bytes<u32>(n), view, in,
                  [&](const exec& gpu, const auto& of) { segmented_reduce(gpu, of, row_length(1000), rows); });
  check_same_work("segmented_reduce by flags", segmented_reduce_by_flags_scratch_bytes<u32>(n), view, in,
                  [&](const exec& gpu, const auto& of) { segmented_reduce(gpu, of, byte_flags{heads}, out, count); });
  check_same_work("segmented_inclusive_scan", segmented_scan_scratch_bytes<u32>(n), view, in,
                  [&](const exec& gpu, const auto& of) { segmented_inclusive_scan(gpu, of, byte_flags{heads}, out); });
  check_same_work("lower_bound", 0, view, in, [&](const exec& gpu, const auto& of) { lower_bound(gpu, of, in, out); });
  check_same_work("is_sorted", is_sorted_scratch_bytes(), view, in,
                  [&](const exec& gpu, const auto& of) { is_sorted(gpu, of, count); });
  // One block, and several.
  const auto front = device_span(in.data(), 3000);
  check_same_work("sum", 0, reversed{front}, front, [&](const exec& gpu, const auto& of) { sum(gpu, of, count); });
  check_same_work("arg_min", 0, transformed{front, front, mixed{}}, front,
                  [&](const exec& gpu, const auto& of) { arg_min(gpu, of, at); });
  const test::exact_scratch scratch(reduce_scratch_bytes<u64>(large));
  const auto work = test::runtime_calls_of([&] { sum(scratch.where(), constant{u32{1}, large}, count); });
  CHECK(work.launches >= 1);
  CHECK(work.launches + work.fills <= 2);
  CHECK(work.allocations + work.releases + work.copies + work.waits == 0);
}

// The same on output views.
TEST_CASE("contract: output views") {
  std::vector<u32> some(n);
  for (std::size_t i = 0; i < n; ++i) some[i] = static_cast<u32>(i * 2654435761u >> 7);
  const guarded<u32> in(some), offset(std::vector<u32>{3});
  const guarded<u8> heads(std::vector<u8>(n, 1));
  const guarded<u32> begins(std::vector<u32>{0, 7, 5'000, n});
  const row_layout rows{.rows = 4, .width = 4'990, .pitch = 5'000};
  guarded<u32> out(n), rest(n), new_begins(4);
  guarded<u64> wide(n);
  device_value<u64> count(test::test_stream());
  const std::size_t two = detail::partition_scratch_bytes<detail::rejects::second_output, u32>(n);
  test::with_and_without_clusters([&](std::uint64_t launches) {
    check_contract("compact", compact_scratch_bytes<u32>(n), {launches}, [&](const exec& gpu) {
      compact(gpu, in, is_odd{}, converting<u32>(appended{wide, offset.data()}), count);
    });
    check_contract("compact_indices", compact_indices_scratch_bytes<u32, u32>(n), {launches}, [&](const exec& gpu) {
      compact_indices(gpu, in, is_odd{}, appended{out, offset.data()}, count);
    });
    check_contract("split", detail::bytes_at_any_address(two), {launches},
                   [&](const exec& gpu) { split(gpu, in, is_odd{}, discarded<u32>(n), out, count); });
    check_contract("unique", unique_scratch_bytes<u32>(n), {launches},
                   [&](const exec& gpu) { unique(gpu, in, converting<u32>(wide), count); });
    check_contract("run_length_encode", run_length_encode_scratch_bytes<u32, u32>(n), {launches}, [&](const exec& gpu) {
      run_length_encode(gpu, in, discarded<u32>(n), appended{rest, offset.data()}, count);
    });
    check_contract("segmented_inclusive_scan", segmented_scan_scratch_bytes<u32>(n), {launches}, [&](const exec& gpu) {
      segmented_inclusive_scan(gpu, in, byte_flags{heads}, converting<u32>(wide));
    });
    check_contract("compact_rows", compact_rows_scratch_bytes<u32>(rows), {1, 1}, [&](const exec& gpu) {
      compact_rows(gpu, in, rows, is_odd{}, converting<u32>(appended{wide, offset.data()}), rest);
    });
    check_contract("compact_segments", compact_segments_scratch_bytes<u32>(n), {4}, [&](const exec& gpu) {
      compact_segments(gpu, in, begins, is_odd{}, appended{out, offset.data()}, new_begins);
    });
    check_contract("segmented_arg_min", segmented_reduce_scratch_bytes<indexed<u32>>(n), {1},
                   [&](const exec& gpu) { segmented_arg_min(gpu, in, row_length(1000), discarded<indexed<u32>>(20)); });
    check_contract("lower_bound", 0, {1}, [&](const exec& gpu) {
      lower_bound(gpu, in, in, appended{out, offset.data()});
    });
    for (const std::uint64_t block_items : {512, 15'000})
      check_contract("blockwise_inclusive_scan", blockwise_scan_scratch_bytes<u32>(n, block_items),
                     {block_items == 512 ? 1 : launches}, [&](const exec& gpu) {
                       blockwise_inclusive_scan(gpu, in, appended{out, offset.data()}, block_items);
                     });
  });
}

TEST_CASE("replay: views, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random; });
  const auto& places = calls.input<u32>(n, [](u32 random) { return random % n; });
  auto &kept = calls.output<u32>(), &sums = calls.output<u32>(), &heads = calls.output<u32>();
  auto &count = calls.output<u64>(1), &runs = calls.output<u64>(1), &total = calls.output<u64>(1),
       &total_odd = calls.output<u64>(1);
  const transformed view{gathered{in.device, places.device}, reversed{in.device}, mixed{}};
  const auto item = [&](std::size_t i) { return mixed{}(in.items[places.items[i]], in.items[n - 1 - i]); };
  const counted now{view, calls.length()};
  calls.add(
      "compact", compact_scratch_bytes<u32>(n),
      [&](const exec& gpu) { compact(gpu, now, is_odd{}, kept, count.data()); },
      [&] {
        std::vector<u32> odd;
        for (std::size_t i = 0; i < calls.there(); ++i)
          if (is_odd{}(item(i))) odd.push_back(item(i));
        calls.leaves(kept, odd);
        calls.leaves(count, odd.size());
      });
  // Behind an offset that is another one in each run.
  const auto& offset = calls.input<u32>(1, [](u32 random) { return random % n; });
  auto& behind = calls.output<u64>();
  calls.add(
      "compact, appended", compact_scratch_bytes<u32>(n),
      [&](const exec& gpu) {
        compact(gpu, now, is_odd{}, converting<u32>(appended{behind, offset.device.data()}), total_odd.data());
      },
      [&] {
        const auto got = behind.read();
        std::size_t at = offset.items[0];
        for (std::size_t i = 0; i < at; ++i) CHECK(test::is_dirt(got[i]));
        for (std::size_t i = 0; i < calls.there(); ++i)
          if (is_odd{}(item(i)) && at < n) CHECK(got[at++] == item(i));
        for (; at < n; ++at) CHECK(test::is_dirt(got[at]));
      });
  calls.add(
      "inclusive_scan", scan_scratch_bytes<u32>(n), [&](const exec& gpu) { inclusive_scan(gpu, now, sums); },
      [&] {
        std::vector<u32> want(calls.there());
        for (std::size_t i = 0; i < want.size(); ++i) want[i] = item(i) + (i != 0 ? want[i - 1] : 0);
        calls.leaves(sums, want);
      });
  auto& blocks = calls.output<u32>();
  calls.add(
      "blockwise_inclusive_scan", blockwise_scan_scratch_bytes<u32>(n, 512),
      [&](const exec& gpu) { blockwise_inclusive_scan(gpu, now, blocks, 512); },
      [&] {
        std::vector<u32> want(calls.there());
        for (std::size_t i = 0; i < want.size(); ++i) want[i] = item(i) + (i % 512 != 0 ? want[i - 1] : 0);
        calls.leaves(blocks, want);
      });
  calls.add(
      "unique", unique_scratch_bytes<u32>(n), [&](const exec& gpu) { unique(gpu, now, heads, runs.data()); },
      [&] {
        std::vector<u32> want;
        for (std::size_t i = 0; i < calls.there(); ++i)
          if (want.empty() || want.back() != item(i)) want.push_back(item(i));
        calls.leaves(heads, want);
        calls.leaves(runs, want.size());
      });
  calls.add(
      "sum", reduce_scratch_bytes<u64>(n), [&](const exec& gpu) { sum(gpu, now, total.data()); },
      [&] {
        u64 want = 0;
        for (std::size_t i = 0; i < calls.there(); ++i) want += item(i);
        calls.leaves(total, want);
      });
  calls.replay();
}

}  // namespace contract_views
