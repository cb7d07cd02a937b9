// SPDX-License-Identifier: Apache-2.0
// Random merges, searches, selections of the k best, histograms, gathers and scatters, reductions
// of runs and segments.
#include <ballot/gather.cuh>
#include <ballot/histogram.cuh>
#include <ballot/merge.cuh>
#include <ballot/reduce_by_key.cuh>
#include <ballot/search.cuh>
#include <ballot/segmented_reduce.cuh>
#include <ballot/top_k.cuh>

#include "stress/checks.hpp"

#include <algorithm>

namespace ballot::test {
namespace {

struct is_less {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};
struct is_greater {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return b < a;
  }
};

template <class T>
placed<T> sorted_items(draws& draw, u64 n) {
  placed<T> items = drawn_items<T>(draw, n);
  peer::stable_sort(items.data(), n, is_less{});
  return items;
}

template <class T>
void check_merge(draws& draw, const exec& where, u64 n) {
  const u64 m = draw.length();
  CAPTURE(m);
  const placed<T> first = sorted_items<T>(draw, n), second = sorted_items<T>(draw, m);
  const placed<u32> places = positions<u32>(n + m, draw.shift());
  placed<T> want(n + m), out(n + m, draw.shift());
  placed<u32> want_places(n + m), places_out(n + m, draw.shift());
  peer::copy(first.data(), n, want.data());
  peer::copy(second.data(), m, want.data() + n);
  peer::copy(places.data(), n + m, want_places.data());
  peer::stable_sort_by_key(want.data(), n + m, want_places.data(), is_less{});
  if (draw.yes()) {
    merge(where, first, second, out);
  } else {
    const auto of_first = device_span(places.data(), n), of_second = device_span(places.data() + n, m);
    merge_pairs(where, first, of_first, second, of_second, out, places_out);
    CHECK(equal_items(places_out.data(), want_places.data(), n + m));
  }
  CHECK(equal_items(out.data(), want.data(), n + m));
}

// Whether items before a position come before the key, and those from there on do not.
template <class T>
struct is_bound {
  const T *sorted, *keys;
  const u32* found;
  u64 n;
  bool upper;
  __host__ __device__ bool before(u64 at, u64 i) const {
    return upper ? !(keys[i] < sorted[at]) : sorted[at] < keys[i];
  }
  __host__ __device__ bool operator()(u64 i) const {
    const u64 at = found[i];
    return at <= n && (at == 0 || before(at - 1, i)) && (at == n || !before(at, i));
  }
};
template <class T>
void check_search(draws& draw, const exec& where, u64 n) {
  const u64 m = draw.length();
  CAPTURE(m);
  const placed<T> sorted = sorted_items<T>(draw, n), keys = drawn_items<T>(draw, m);
  placed<u32> found(m, draw.shift());
  const bool upper = draw.yes();
  if (upper) upper_bound(where, sorted, keys, found);
  else lower_bound(where, sorted, keys, found);
  CHECK(peer::all(m, is_bound<T>{sorted.data(), keys.data(), found.data(), n, upper}));
}

template <class T>
void check_top_k(draws& draw, const exec& where, u64 n) {
  const u64 k = draw.yes() ? draw.below(n + 2) : draw.below(200);
  const bool largest = draw.yes();
  CAPTURE(k);
  CAPTURE(largest);
  const placed<T> keys = drawn_items<T>(draw, n);
  const placed<u32> places = positions<u32>(n, draw.shift());
  placed<T> want(n), out(k, draw.shift());
  placed<u32> want_places(n), places_out(k, draw.shift());
  peer::copy(keys.data(), n, want.data());
  peer::copy(places.data(), n, want_places.data());
  if (largest) peer::stable_sort_by_key(want.data(), n, want_places.data(), is_greater{});
  else peer::stable_sort_by_key(want.data(), n, want_places.data(), is_less{});
  const top_k_options options{.direction = largest ? direction::descending : direction::ascending};
  device_value<u64> count(test_stream());
  const u64 way = draw.below(3);
  CAPTURE(way);
  if (way == 0) top_k(where, keys, k, out, count, options);
  else if (way == 1) top_k_pairs(where, keys, places, k, out, places_out, count, options);
  else top_k_indices(where, keys, k, places_out, count, options);
  const u64 selected = std::min(k, n);
  REQUIRE(count.read(test_stream()) == selected);
  if (way != 2) CHECK(equal_items(out.data(), want.data(), selected));
  if (way != 0) CHECK(equal_items(places_out.data(), want_places.data(), selected));
}

struct remainder_of {
  u32 bins;
  template <class T>
  __host__ __device__ u32 operator()(const T& x) const {
    return static_cast<u32>(x % bins);
  }
};
template <class T>
struct bin_of_item {
  const T* items;
  u32 bins;
  __host__ __device__ u32 operator()(u64 i) const { return remainder_of{bins}(items[i]); }
};
// A bin's items are neighbours among the sorted numbers of bins, as many as its count.
struct is_count_of_bin {
  const u32 *sorted, *counts, *begins;
  u64 n;
  __host__ __device__ bool operator()(u64 bin) const {
    const u64 begin = begins[bin], end = begin + counts[bin];
    return end <= n && (begin == end || (sorted[begin] == bin && sorted[end - 1] == bin));
  }
};
struct sum_is {
  const u32 *counts, *begins;
  u64 bins, n;
  __host__ __device__ bool operator()(u64) const { return begins[bins - 1] + u64{counts[bins - 1]} == n; }
};
template <class T>
void check_histogram(draws& draw, const exec& where, u64 n) {
  const u32 bins = 1 + static_cast<u32>(draw.below(draw.yes() ? 300 : 70'000));
  CAPTURE(bins);
  const placed<T> items = drawn_items<T>(draw, n);
  placed<u32> counts(bins, draw.shift()), numbers(n), begins(bins);
  histogram(where, items, remainder_of{bins}, counts);
  peer::make_items(numbers.data(), n, bin_of_item<T>{items.data(), bins});
  peer::stable_sort(numbers.data(), n, is_less{});
  peer::exclusive_scan(counts.data(), bins, begins.data(), u32{0});
  CHECK(peer::all(bins, is_count_of_bin{numbers.data(), counts.data(), begins.data(), n}));
  CHECK(peer::all(1, sum_is{counts.data(), begins.data(), bins, n}));
}

template <class T>
struct is_moved {
  const T *from, *to;
  const u32* places;
  bool scatters;
  __host__ __device__ bool operator()(u64 i) const {
    return scatters ? to[places[i]] == from[i] : to[i] == from[places[i]];
  }
};
template <class T>
void check_moves(draws& draw, const exec& where, u64 n) {
  const placed<T> items = drawn_items<T>(draw, n);
  placed<u64> keys = drawn_items<u64>(draw, n);
  placed<u32> places = positions<u32>(n, draw.shift());  // a permutation
  peer::stable_sort_by_key(keys.data(), n, places.data(), is_less{});
  placed<T> out(n, draw.shift());
  device_value<u64> outside(test_stream());
  const bool scatters = draw.yes();
  if (scatters) scatter(where, items, places, out, outside);
  else gather(where, items, places, out, outside);
  CHECK(outside.read(test_stream()) == 0);
  CHECK(peer::all(n, is_moved<T>{items.data(), out.data(), places.data(), scatters}));
}

// From the sums up to each item.
struct is_sum_of_segment {
  const u64 *sums, *results;
  const u32* offsets;
  __host__ __device__ u64 up_to(u64 end) const { return end == 0 ? 0 : sums[end - 1]; }
  __host__ __device__ bool operator()(u64 s) const { return results[s] == up_to(offsets[s + 1]) - up_to(offsets[s]); }
};
template <class T>
struct item_below {
  const T* items;
  u64 n;
  __host__ __device__ u32 operator()(u64 i) const { return static_cast<u32>(items[i] % (n + 1)); }
};
template <class T>
void check_segment_sums(draws& draw, const exec& where, u64 n) {
  const placed<T> items = drawn_items<T>(draw, n);
  const u64 segments = draw.length();
  CAPTURE(segments);
  const placed<u64> random = drawn_items<u64>(draw, segments + 1);
  placed<u32> offsets(segments + 1, draw.shift());
  peer::make_items(offsets.data(), segments + 1, item_below<u64>{random.data(), n});
  peer::stable_sort(offsets.data(), segments + 1, is_less{});
  placed<u64> sums(n), results(segments, draw.shift());
  peer::inclusive_scan(items.data(), n, sums.data());
  segmented_reduce(where, items, segment_offsets{offsets}, u64{0}, plus{}, results);
  CHECK(peer::all(segments, is_sum_of_segment{sums.data(), results.data(), offsets.data()}));
}

struct is_sum_of_run {
  const u32 *scanned, *results, *begins;
  u64 runs, n;
  __host__ __device__ bool operator()(u64 run) const {
    return results[run] == scanned[(run + 1 < runs ? begins[run + 1] : n) - 1];
  }
};
template <class T>
void check_run_sums(draws& draw, const exec& where, u64 n) {
  const placed<T> keys = drawn_items<T>(draw, n);
  const placed<u32> values = drawn_items<u32>(draw, n), places = positions<u32>(n);
  placed<T> want(n), heads(n, draw.shift());
  placed<u32> begins(n), scanned(n), results(n, draw.shift());
  const u64 runs = peer::unique_by_key(keys.data(), places.data(), n, want.data(), begins.data());
  if (n != 0) peer::inclusive_scan_by_key(keys.data(), values.data(), n, scanned.data());
  device_value<u64> count(test_stream());
  reduce_by_key(where, keys, values, heads, results, count);
  REQUIRE(count.read(test_stream()) == runs);
  CHECK(equal_items(heads.data(), want.data(), runs));
  CHECK(peer::all(runs, is_sum_of_run{scanned.data(), results.data(), begins.data(), runs, n}));
}

}  // namespace

void check_orders(draws& draw, const exec& where, u64 n) {
  with_drawn_word(draw, [&]<class T>(std::type_identity<T>) {
    const u64 call = draw.below(7);
    CAPTURE(call);
    if (call == 0) check_merge<T>(draw, where, n);
    else if (call == 1) check_search<T>(draw, where, n);
    else if (call == 2) check_top_k<T>(draw, where, n);
    else if (call == 3) check_histogram<T>(draw, where, n);
    else if (call == 4) check_moves<T>(draw, where, n);
    else if (call == 5) check_segment_sums<T>(draw, where, n);
    else check_run_sums<T>(draw, where, n);
  });
}

}  // namespace ballot::test
