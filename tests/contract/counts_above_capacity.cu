// SPDX-License-Identifier: Apache-2.0
// A length on the device that is larger than the range counts as the range's. Every call that takes
// such a length has the same result as with a length on the host. Nothing around the range is read
// or written.
#include <ballot/ballot.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <string>
#include <tuple>

using namespace ballot;
using test::guarded;

namespace contract_counts_above_capacity {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct is_odd {
  __device__ bool operator()(u32 x) const { return x % 2 != 0; }
};
struct last_digit {
  __device__ u32 operator()(u32 x) const { return x % 10; }
};
struct sum_is_odd {
  __device__ bool operator()(u32 a, u32 b) const { return (a + b) % 2 != 0; }
};

// An item that is no key, and that a sort does not move with its key.
struct wide {
  u32 key, rest[2];
  bool operator==(const wide&) const = default;
};
struct key_of_wide {
  __device__ u32 operator()(const wide& x) const { return x.key; }
};

// `call(exec, length)` without a length on the device has the same outputs as with lengths above
// the capacity. fill: writes the contents of the outputs before a call in place.
template <class... T, class Fill, class Call>
void clamps(const std::string& name, std::tuple<guarded<T>&...> outputs, Fill&& fill, Call&& call) {
  CAPTURE(name);
  const exec where = allocating(test::test_stream());
  const auto run = [&](const u64* length) {
    std::apply([](auto&... out) { (out.fill_dirt(), ...); }, outputs);
    fill();
    call(where, length);
    return std::apply([](auto&... out) { return std::tuple(out.read()...); }, outputs);
  };
  const auto want = run(nullptr);
  const auto clamps_to_range = [&](u64 above) {
    const guarded<u64> length(std::vector<u64>{above});
    CHECK(run(length.data()) == want);
  };
  // What a count is cut to does not depend on the schedule. All schedules of these calls: their own
  // tests. Both counts are more than any range here has.
  test::depth_first([&] { clamps_to_range(~u64{0}); });
  test::for_some_schedules([&] { clamps_to_range(5000); });
  if (!test::left_to_checked_run()) test::for_some_schedules([&] { clamps_to_range(~u64{0}); });
}
// The same of calls that read one range and write others.
template <class In, class... T, class Call>
void clamps(const std::string& name, const guarded<In>& in, std::tuple<guarded<T>&...> outputs, Call&& call) {
  clamps(
      name, outputs, [] {},
      [&](const exec& gpu, const u64* length) {
        call(gpu, counted{in, length});
      });
}

std::vector<u32> some_keys(std::size_t n) {
  std::vector<u32> keys = test::random_items<u32>(n, 5);
  for (u32& key : keys) key %= 1000;
  for (std::size_t i = 0; i < n; i += 3) keys[i] = keys[i / 2];
  return keys;
}

TEST_CASE("counts above the capacity: selections") {
  const std::size_t n = 1400;
  const std::vector<u32> items = some_keys(n);
  const guarded<u32> in(items), beside(test::random_items<u32>(n, 1));
  const guarded<u32> words(test::random_items<u32>((n + 31) / 32, 2));
  const guarded<u32> begins(std::vector<u32>{0, 5, 5, 900, n});
  guarded<u32> out(n), other(n), bits((n + 31) / 32), new_begins(5);
  guarded<u64> count(1), offsets(11);
  u64* const c = count.data();
  const bit_flags flags{words};
  const auto one = std::tie(out, count);
  const auto two = std::tie(out, other, count);

  clamps("compact", in, one, [&](const exec& gpu, auto now) { compact(gpu, now, is_odd{}, out, c); });
  clamps("compact by flags", in, one, [&](const exec& gpu, auto now) { compact(gpu, now, flags, out, c); });
  clamps("compact a zip", in, two, [&](const exec& gpu, auto now) {
    compact(gpu, zip{now, beside}, sum_is_odd{}, zip{out, other}, c);
  });
  clamps("compact_indices", in, one, [&](const exec& gpu, auto now) { compact_indices(gpu, now, is_odd{}, out, c); });
  clamps("count_if", in, std::tie(count), [&](const exec& gpu, auto now) { count_if(gpu, now, is_odd{}, c); });
  clamps("flag_bits", in, std::tie(bits), [&](const exec& gpu, auto now) { flag_bits(gpu, now, is_odd{}, bits); });
  clamps("split", in, two, [&](const exec& gpu, auto now) { split(gpu, now, is_odd{}, out, other, c); });
  clamps("split, one output", in, one, [&](const exec& gpu, auto now) { split(gpu, now, is_odd{}, out, c); });
  clamps("unique", in, one, [&](const exec& gpu, auto now) { unique(gpu, now, out, c); });
  clamps("unique_by_key", in, two, [&](const exec& gpu, auto now) { unique_by_key(gpu, now, beside, out, other, c); });
  clamps("run_offsets", in, two, [&](const exec& gpu, auto now) { run_offsets(gpu, now, out, other, c); });
  clamps("run_length_encode", in, two, [&](const exec& gpu, auto now) { run_length_encode(gpu, now, out, other, c); });
  clamps("multisplit", in, std::tie(out, offsets),
         [&](const exec& gpu, auto now) { multisplit(gpu, now, last_digit{}, 10, out, offsets); });
  clamps("compact_segments", in, std::tie(out, new_begins),
         [&](const exec& gpu, auto now) { compact_segments(gpu, now, begins, is_odd{}, out, new_begins); });
  const auto nothing = [] {};
  clamps("compact positions", one, nothing, [&](const exec& gpu, const u64* length) {
    compact(gpu, counted{positions(n), length}, is_odd{}, out, c);
  });

  const auto refill = [&] { out.write(items), other.write(items); };
  clamps("compact_in_place", one, refill, [&](const exec& gpu, const u64* length) {
    compact_in_place(gpu, counted{out, length}, is_odd{}, c);
  });
  clamps("compact_in_place of a zip", two, refill, [&](const exec& gpu, const u64* length) {
    compact_in_place(gpu, zip{counted{out, length}, other}, flags, c);
  });
  clamps("split_in_place", one, refill, [&](const exec& gpu, const u64* length) {
    split_in_place(gpu, counted{out, length}, is_odd{}, c);
  });
  clamps("unique_in_place", one, refill, [&](const exec& gpu, const u64* length) {
    unique_in_place(gpu, counted{out, length}, c);
  });

  const row_layout layout{.rows = 5, .width = 70, .pitch = 71};
  const guarded<u64> lengths(std::vector<u64>{71, ~u64{0}, 70, 1'000'000, 72});
  guarded<u32> rows(5 * 71 - 1);
  guarded<u64> counts(5);
  clamps("compact_rows", std::tie(rows, counts), nothing, [&](const exec& gpu, const u64* length) {
    row_layout of = layout;
    if (length != nullptr) of.lengths = lengths.data();
    compact_rows(gpu, std::span(in.data(), rows.size()), of, is_odd{}, rows, counts);
  });
}

TEST_CASE("counts above the capacity: sorts") {
  const std::size_t n = 4200;
  const std::vector<u32> keys = some_keys(n), others = test::random_items<u32>(n, 3);
  const std::vector<wide> items = test::random_items<wide>(n, 4);
  const guarded<u32> in(keys), values(others);
  const guarded<wide> large(items);
  guarded<u32> out(n), second(n), third(n), fourth(n);
  guarded<wide> moved(n);
  const sort_options few{.bits = {0, 10}};
  const auto one = std::tie(out);
  const auto two = std::tie(out, second);
  const auto with_wide = std::tie(out, moved);

  clamps("sort", in, one, [&](const exec& gpu, auto now) { sort(gpu, now, out); });
  clamps("sort_pairs", in, two, [&](const exec& gpu, auto now) { sort_pairs(gpu, now, values, out, second, few); });
  clamps("sort_pairs of values that stay", in, with_wide,
         [&](const exec& gpu, auto now) { sort_pairs(gpu, now, large, out, moved, few); });
  clamps("argsort", in, one, [&](const exec& gpu, auto now) { argsort(gpu, now, out, few); });
  clamps("argsort with keys", in, two, [&](const exec& gpu, auto now) { argsort(gpu, now, out, second, few); });
  clamps("sort_by", in, one, [&](const exec& gpu, auto now) { sort_by(gpu, now, last_digit{}, out, few); });
  clamps("sort_by of items that stay", large, std::tie(moved),
         [&](const exec& gpu, auto now) { sort_by(gpu, now, key_of_wide{}, moved, few); });
  clamps("argsort_by", in, one, [&](const exec& gpu, auto now) { argsort_by(gpu, now, last_digit{}, out, few); });
  clamps("argsort_by_columns", in, one, [&](const exec& gpu, auto now) {
    argsort_by_columns(gpu, out, column{now, {.bits = {0, 4}}}, column{now, few});
  });

  const auto refill = [&] { out.write(keys), second.write(others), moved.write(items); };
  clamps("sort_in_place", one, refill, [&](const exec& gpu, const u64* length) {
    sort_in_place(gpu, counted{out, length}, few);
  });
  clamps("sort_pairs_in_place", two, refill, [&](const exec& gpu, const u64* length) {
    sort_pairs_in_place(gpu, counted{out, length}, second, few);
  });
  clamps("sort_pairs_in_place of values that stay", with_wide, refill, [&](const exec& gpu, const u64* length) {
    sort_pairs_in_place(gpu, counted{out, length}, moved, few);
  });
  clamps("sort_ping_pong", one, refill, [&](const exec& gpu, const u64* length) {
    sort_ping_pong(gpu, counted{out, length}, third, few);
  });
  clamps("sort_pairs_ping_pong", two, refill, [&](const exec& gpu, const u64* length) {
    sort_pairs_ping_pong(gpu, counted{out, length}, second, third, fourth, few);
  });
  std::vector<u32> order(n);
  for (u32 i = 0; i < n; ++i) order[i] = static_cast<u32>(n) - 1 - i;
  clamps(
      "argsort_further", one, [&] { out.write(order); },
      [&](const exec& gpu, const u64* length) {
        argsort_further(gpu, counted{in, length}, out, few);
      });

  for (const std::size_t there : {std::size_t{500}, n}) {  // within a block, and pieces that are merged
    CAPTURE(there);
    const guarded<u32> begins(std::vector<u32>{0, 7, 7, 30}), some(some_keys(there)), with(some_keys(there));
    guarded<u32> sorted(there), with_sorted(there);
    const auto nothing = [] {};
    clamps("segmented_sort", std::tie(sorted), nothing, [&](const exec& gpu, const u64* length) {
      segmented_sort(gpu, counted{some, length}, counted{begins, length}, sorted);
    });
    clamps("segmented_sort_pairs", std::tie(sorted, with_sorted), nothing, [&](const exec& gpu, const u64* length) {
      segmented_sort_pairs(gpu, counted{some, length}, with, counted{begins, length}, sorted, with_sorted);
    });
  }
}

TEST_CASE("counts above the capacity: scans and reductions") {
  const std::size_t n = 1300;
  const guarded<u32> in(some_keys(n)), begins(std::vector<u32>{0, 7, 7, 30, 1000});
  const guarded<u8> heads(test::as_bytes(test::make_flags(test::flag_patterns[6], n)));
  guarded<u32> out(n), places(n + 1);
  guarded<u64> total(1), best(2);
  const byte_flags segments{heads};
  const auto one = std::tie(out);
  clamps("inclusive_scan", in, one, [&](const exec& gpu, auto now) { inclusive_scan(gpu, now, out); });
  clamps("exclusive_scan", in, one, [&](const exec& gpu, auto now) {
    exclusive_scan(gpu, now, 3u, maximum{}, out, {.order = scan_order::backward});
  });
  clamps("counts_to_offsets", in, std::tie(places),
         [&](const exec& gpu, auto now) { counts_to_offsets(gpu, now, places); });
  clamps("inclusive_scan_flags", heads, one, [&](const exec& gpu, auto now) { inclusive_scan_flags(gpu, now, out); });
  clamps("segmented scan", in, one,
         [&](const exec& gpu, auto now) { segmented_exclusive_scan_backward(gpu, now, segments, out); });
  clamps(
      "segmented scan by offsets", one, [] {},
      [&](const exec& gpu, const u64* length) {
        segmented_inclusive_scan(gpu, counted{in, length}, segment_offsets{counted{begins, length}}, out);
      });
  for (const u64 block : {64, 5000})
    clamps("blockwise scan", in, one,
           [&](const exec& gpu, auto now) { blockwise_inclusive_scan(gpu, now, out, block); });
  clamps("sum", in, std::tie(total), [&](const exec& gpu, auto now) { sum(gpu, now, total.data()); });
  clamps("arg_max", in, std::tie(best),
         [&](const exec& gpu, auto now) { arg_max(gpu, now, reinterpret_cast<indexed<u32>*>(best.data())); });
}

}  // namespace contract_counts_above_capacity
