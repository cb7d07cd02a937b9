// SPDX-License-Identifier: Apache-2.0
// Random compactions, splits and multisplits.
#include <ballot/compact.cuh>
#include <ballot/flag_bits.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/split.cuh>

#include "stress/checks.hpp"
#include "stress/flag_draws.cuh"

namespace ballot::test {
namespace {

struct bucket_of {
  unsigned buckets;
  template <class T>
  __host__ __device__ unsigned operator()(const T& x) const {
    return static_cast<unsigned>(static_cast<u64>(x) % buckets);
  }
};
template <class T>
struct before_in_bucket {
  bucket_of of;
  __host__ __device__ bool operator()(const T& a, const T& b) const { return of(a) < of(b); }
};
template <class T>
struct begins_bucket {
  const T* sorted;
  u64 n;
  bucket_of of;
  const u64* offsets;
  __host__ __device__ bool operator()(u64 bucket) const {
    const u64 at = offsets[bucket];
    return at <= n && (at == 0 || of(sorted[at - 1]) < bucket) && (at == n || of(sorted[at]) >= bucket);
  }
};

template <class T>
void check_selection_of(draws& draw, const exec& where, u64 n) {
  const placed<T> in = drawn_items<T>(draw, n);
  placed<T> out(n, draw.shift()), rest(n, draw.shift()), want(n), want_rest(n);
  device_value<u64> count(test_stream());
  const keeps keep(draw);
  placed<u8> flags(n, draw.shift());
  peer::make_items(flags.data(), n, flag_of<T>{in.data(), keep});
  const u64 kept = peer::stable_partition(in.data(), n, flags.data(), want.data(), want_rest.data());
  const auto way = draw.below(5);
  CAPTURE(way);
  const byte_flags by_bytes{{flags.data(), flags.size()}};
  if (way == 0) compact(where, in, keep, out, count);
  else if (way == 1) compact(where, in, by_bytes, out, count);
  else if (way == 2) split(where, in, keep, out, rest, count);
  else if (way == 3) split(where, in, by_bytes, out, count);
  else {
    device_array<u32> words((n + 31) / 32, test_stream());
    flag_bits(where, in, keep, words);
    compact(where, in, bit_flags{{words.data(), words.size()}}, out, count);
  }
  REQUIRE(count.read(test_stream()) == kept);
  CHECK(equal_items(out.data(), want.data(), kept));
  if (way == 2) CHECK(equal_items(rest.data(), want_rest.data(), n - kept));
  if (way == 3) CHECK(equal_items(out.data() + kept, want_rest.data(), n - kept));
}

template <class T>
void check_buckets_of(draws& draw, const exec& where, u64 n) {
  const placed<T> in = drawn_items<T>(draw, n);
  placed<T> out(n, draw.shift()), want(n);
  const bucket_of of{1 + static_cast<unsigned>(draw.below(256))};
  device_array<u64> offsets(of.buckets + 1, test_stream());
  peer::copy(in.data(), n, want.data());
  peer::stable_sort(want.data(), n, before_in_bucket<T>{of});
  multisplit(where, in, of, of.buckets, out, offsets);
  CHECK(equal_items(out.data(), want.data(), n));
  // Each bucket's first item is the first one of its bucket or of a later one.
  CHECK(peer::all(of.buckets + u64{1}, begins_bucket<T>{want.data(), n, of, offsets.data()}));
}

}  // namespace

void check_selection(draws& draw, const exec& where, u64 n) {
  with_drawn_word(draw, [&]<class T>(std::type_identity<T>) { check_selection_of<T>(draw, where, n); });
}

void check_buckets(draws& draw, const exec& where, u64 n) {
  with_drawn_word(draw, [&]<class T>(std::type_identity<T>) { check_buckets_of<T>(draw, where, n); });
}

}  // namespace ballot::test
