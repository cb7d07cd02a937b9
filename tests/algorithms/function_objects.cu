// SPDX-License-Identifier: Apache-2.0
// Predicates, relations, bucket and key functions whose operator() is not const, in every call that
// takes one. They are called only on items that exist.
#include <ballot/compact.cuh>
#include <ballot/compact_rows.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/count_if.cuh>
#include <ballot/flag_bits.cuh>
#include <ballot/histogram.cuh>
#include <ballot/merge.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/outputs.cuh>
#include <ballot/reduce_by_key.cuh>
#include <ballot/search.cuh>
#include <ballot/segmented_reduce.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>
#include <ballot/unique.cuh>

#include "support/device_data.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <numeric>

using namespace ballot;

namespace algorithms_function_objects {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// An item has a mark, its place and a bit. Items that do not exist, and dirt, have another mark.
constexpr u32 mark = 0x5eu << 24;
constexpr u32 marked(u32 place, bool odd) { return mark | place << 1 | u32{odd}; }
BALLOT_HOST_DEVICE u32 place_of(u32 item) { return (item & 0xffffffu) >> 1; }

struct asked {
  unsigned* strangers;
  unsigned calls = 0;

  __device__ void about(u32 item) {
    ++calls;
    if (item >> 24 != mark >> 24) simt::atomic_add(strangers, 1u);  // relaxed: read behind the kernel
  }
};

struct keeps_odd : asked {
  __device__ bool operator()(u32 item) {
    about(item);
    return item % 2 != 0;
  }
  // Of a zip of items and their positions.
  __device__ bool operator()(u32 item, u32 position) {
    if (place_of(item) != position) simt::atomic_add(strangers, 1u);
    return (*this)(item);
  }
};
// Runs of items with the same bit. Asked about neighbours alone.
struct same_bit : asked {
  __device__ bool operator()(u32 before, u32 item) {
    about(before), about(item);
    if (place_of(before) + 1 != place_of(item)) simt::atomic_add(strangers, 1u);
    return before % 2 == item % 2;
  }
};
struct place_modulo_5 : asked {
  __device__ u32 operator()(u32 item) {
    about(item);
    return place_of(item) % 5;
  }
};

std::vector<u32> marked_items(std::size_t n) {
  std::vector<u32> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = marked(static_cast<u32>(i), i * 2654435761u >> 7 & 1u);
  return items;
}

// The first items of a longer output.
std::vector<u32> front(const test::guarded<u32>& out, std::size_t count) {
  const auto all = out.read();
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

struct expected {
  std::vector<u32> items, odd, even, heads, by_place, order;

  explicit expected(std::size_t n) : items(marked_items(n)), by_place(items), order(n) {
    for (const u32 item : items) (item % 2 != 0 ? odd : even).push_back(item);
    for (std::size_t i = 0; i < n; ++i)
      if (i == 0 || items[i - 1] % 2 != items[i] % 2) heads.push_back(items[i]);
    const auto less = [](u32 a, u32 b) { return place_of(a) % 5 < place_of(b) % 5; };
    std::stable_sort(by_place.begin(), by_place.end(), less);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [](u32 a, u32 b) { return a % 5 < b % 5; });
  }
};

const std::size_t lengths[] = {1, 33, 700, 9000};

// Runs body(gpu, in, count, strangers) for all lengths under some schedules; no stranger may be
// met.
template <class Body>
void for_all_lengths(Body body) {
  unsigned turn = 0;
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    const expected want(n);
    test::for_some_schedules(turn++, [&] {
      const test::guarded<u32> in(want.items);
      const test::guarded<unsigned> strangers(std::vector<unsigned>{0});
      const device_value<u64> count(test::test_stream());
      body(allocating(test::test_stream()), in, want, count, strangers.data());
      CHECK(strangers.read()[0] == 0);
    });
  }
}

TEST_CASE("selections by predicates that are not const") {
  for_all_lengths([](const exec& gpu, const test::guarded<u32>& in, const expected& want, const auto& count,
                     unsigned* strangers) {
    const std::size_t n = in.size();
    const keeps_odd keep{{strangers}};
    const auto kept = [&] { return static_cast<std::size_t>(count.read(test::test_stream())); };
    const test::guarded<u32> out(n), rejected(n), other(n), words((n + 31) / 32);
    compact(gpu, in, keep, out, count);
    CHECK(front(out, kept()) == want.odd);
    compact(gpu, zip{in, positions(n)}, keep, zip{out, other}, count);
    CHECK(front(out, kept()) == want.odd);
    compact(gpu, zip{in, positions(n)}, on_first{keep}, zip{out, other}, count);
    CHECK(front(out, kept()) == want.odd);
    compact_indices(gpu, in, keep, other, count);
    CHECK(kept() == want.odd.size());
    split(gpu, in, keep, out, rejected, count);
    CHECK(front(out, kept()) == want.odd);
    CHECK(front(rejected, n - kept()) == want.even);
    split(gpu, in, keep, out, count);
    CHECK(front(out, kept()) == want.odd);
    count_if(gpu, in, keep, count);
    CHECK(kept() == want.odd.size());
    flag_bits(gpu, in, keep, words);
    const auto bits = words.read();
    CHECK(std::all_of(want.items.begin(), want.items.end(),
                      [&](u32 item) { return (bits[place_of(item) / 32] >> place_of(item) % 32 & 1u) == item % 2; }));
    const test::guarded<u32> in_place(want.items), split_here(want.items);
    compact_in_place(gpu, in_place, keep, count);
    CHECK(front(in_place, kept()) == want.odd);
    split_in_place(gpu, split_here, keep, count);
    CHECK(front(split_here, kept()) == want.odd);
    const test::guarded<u64> of_row(1), offsets(std::vector<u64>{0, n / 2}), new_offsets(2);
    compact_rows(gpu, in, {.rows = 1, .width = n}, keep, out, of_row);
    CHECK(of_row.read()[0] == want.odd.size());
    compact_segments(gpu, in, offsets, keep, out, new_offsets);
    CHECK(front(out, want.odd.size()) == want.odd);
  });
}

// An operator that changes itself.
struct first_of_two {
  unsigned calls = 0;
  BALLOT_HOST_DEVICE u32 operator()(u32 a, u32) { return ++calls == 1 ? a : ~a; }
};

TEST_CASE("runs by relations that are not const") {
  for_all_lengths(
      [](const exec& gpu, const test::guarded<u32>& in, const expected& want, const auto& count, unsigned* strangers) {
        const std::size_t n = in.size();
        const same_bit same{{strangers}};
        const auto runs = [&] { return static_cast<std::size_t>(count.read(test::test_stream())); };
        const test::guarded<u32> out(n), other(n), here(want.items), offsets(n + 1);
        unique(gpu, in, same, out, count);
        CHECK(front(out, runs()) == want.heads);
        unique_in_place(gpu, here, same, count);
        CHECK(front(here, runs()) == want.heads);
        unique_by_key(gpu, in, in, same, out, other, count);
        CHECK(front(other, runs()) == want.heads);
        reduce_by_key(gpu, in, in, same, first_of_two{}, out, other, count);
        CHECK(front(out, runs()) == want.heads);
        CHECK(front(other, runs()) == want.heads);
        const test::guarded<u32> row(1);
        segmented_reduce(gpu, in, row_length(n), want.items[0], first_of_two{}, row);
        CHECK(row.read()[0] == want.items[0]);
        run_offsets(gpu, in, same, out, offsets, count);
        CHECK(front(out, runs()) == want.heads);
        run_length_encode(gpu, in, same, out, other, count);
        CHECK(front(out, runs()) == want.heads);
      });
}

TEST_CASE("buckets and keys by functions that are not const") {
  for_all_lengths(
      [](const exec& gpu, const test::guarded<u32>& in, const expected& want, const auto&, unsigned* strangers) {
        const std::size_t n = in.size();
        const place_modulo_5 place{{strangers}};
        const test::guarded<u32> out(n), order(n), sorted(n);
        const test::guarded<u64> offsets(6);
        multisplit(gpu, in, place, 5, out, offsets);
        CHECK(out.read() == want.by_place);
        sort_by(gpu, in, place, sorted);
        CHECK(sorted.read() == want.by_place);
        argsort_by(gpu, in, place, order);
        CHECK(order.read() == want.order);
      });
}

// Whether one item's place is before another's, by fives.
struct before_by_5 : asked {
  __device__ bool operator()(u32 a, u32 b) {
    about(a), about(b);
    return place_of(a) / 5 < place_of(b) / 5;
  }
};
struct widened {
  unsigned calls = 0;
  __device__ u64 operator()(u32 item) { return ++calls == 1 ? item : ~u64{item}; }
};

TEST_CASE("merges, searches and histograms by functions that are not const") {
  for_all_lengths(
      [](const exec& gpu, const test::guarded<u32>& in, const expected& want, const auto& count, unsigned* strangers) {
        const std::size_t n = in.size(), half = n / 2;
        const before_by_5 before{{strangers}};
        const auto got_count = [&] { return static_cast<std::size_t>(count.read(test::test_stream())); };
        // The items are in order: both halves, in either order of the arguments, give them again,
        // except equal ones.
        const auto first = device_span(in.data(), half), second = device_span(in.data() + half, n - half);
        const test::guarded<u32> out(n), places_out(n), found(n), found_upper(n);
        merge(gpu, first, second, before, out);
        CHECK(out.read() == want.items);
        merge_pairs(gpu, first, first, second, second, before, out, places_out);
        CHECK(places_out.read() == want.items);
        lower_bound(gpu, in, in, before, found);
        upper_bound(gpu, in, in, before, found_upper);
        const auto lower = found.read(), upper = found_upper.read();
        bool right = true;
        for (std::size_t i = 0; i < n; ++i) right &= lower[i] == i / 5 * 5 && upper[i] == std::min(n, i / 5 * 5 + 5);
        CHECK(right);
        is_sorted(gpu, in, before, count);
        CHECK(got_count() == 1);
        is_sorted_until(gpu, in, before, count);
        CHECK(got_count() == n);
        const test::guarded<u32> counts(5);
        histogram(gpu, in, place_modulo_5{{strangers}}, counts, count);
        CHECK(got_count() == 0);
        for (const u32 of_bin : counts.read()) right &= of_bin == n / 5 || of_bin == n / 5 + 1;
        CHECK(right);
        const test::guarded<u64> wide(n);
        compact(gpu, in, keeps_odd{{strangers}}, converting<u32>(wide, widened{}), count);
        const auto got = wide.read();
        CHECK(std::equal(want.odd.begin(), want.odd.end(), got.begin()));
      });
}

#if BALLOT_EMULATED  // nvcc takes lambdas with an option alone
TEST_CASE("a lambda that is mutable") {
  for_all_lengths(
      [](const exec& gpu, const test::guarded<u32>& in, const expected& want, const auto& count, unsigned*) {
        const test::guarded<u32> out(in.size());
        compact(
            gpu, in, [calls = 0](u32 item) mutable { return ++calls > 0 && item % 2 != 0; }, out, count);
        CHECK(front(out, want.odd.size()) == want.odd);
      });
}
#endif

}  // namespace algorithms_function_objects
