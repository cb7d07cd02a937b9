// SPDX-License-Identifier: Apache-2.0
// Random runs of equal items: their values, where they begin, how long they are.
#include <ballot/reduce_by_key.cuh>
#include <ballot/unique.cuh>

#include "stress/checks.hpp"

namespace ballot::test {
namespace {

// The length of each run, from where they begin.
template <class Length>
struct length_of_run {
  const u32* begins;
  u64 runs, n;
  __host__ __device__ Length operator()(u64 run) const {
    return static_cast<Length>((run + 1 < runs ? begins[run + 1] : n) - begins[run]);
  }
};

struct constant_one {
  __host__ __device__ std::uint8_t operator()(u64) const { return 1; }
};

// The last offset is the end.
template <class Offset>
struct is_begin_of_run {
  const Offset* offsets;
  const u32* begins;
  u64 runs, n;
  __host__ __device__ bool operator()(u64 run) const { return offsets[run] == (run < runs ? begins[run] : n); }
};

template <class T>
void check_runs_of(draws& draw, const exec& where, u64 n) {
  using Number = std::conditional_t<sizeof(T) == 1, u64, u32>;
  const placed<T> in = drawn_items<T>(draw, n);
  const placed<u32> places = positions<u32>(n, draw.shift());
  placed<T> values(n, draw.shift()), want(n);
  placed<u32> begins(n);
  const u64 runs = peer::unique_by_key(in.data(), places.data(), n, want.data(), begins.data());
  device_value<u64> count(test_stream());
  const auto way = draw.below(6);
  CAPTURE(way);
  if (way == 0) {
    unique(where, in, values, count);
  } else if (way == 1) {
    placed<u32> first(n, draw.shift());
    unique_by_key(where, in, places, values, first, count);
    CHECK(equal_items(first.data(), begins.data(), runs));
  } else if (way == 2) {
    placed<Number> offsets(n + 1, draw.shift());
    run_offsets(where, in, values, offsets, count);
    CHECK(peer::all(runs + 1, is_begin_of_run<Number>{offsets.data(), begins.data(), runs, n}));
  } else if (way == 3) {
    placed<Number> lengths(n, draw.shift()), want_lengths(runs);
    peer::make_items(want_lengths.data(), runs, length_of_run<Number>{begins.data(), runs, n});
    run_length_encode(where, in, values, lengths, count);
    CHECK(equal_items(lengths.data(), want_lengths.data(), runs));
  } else if (way == 4) {
    placed<std::uint8_t> ones(n, draw.shift());
    peer::make_items(ones.data(), n, constant_one{});
    placed<Number> lengths(n, draw.shift()), want_lengths(runs);
    peer::make_items(want_lengths.data(), runs, length_of_run<Number>{begins.data(), runs, n});
    reduce_by_key(where, in, ones, values, lengths, count);
    CHECK(equal_items(lengths.data(), want_lengths.data(), runs));
  } else {
    peer::copy(in.data(), n, values.data());
    unique_in_place(where, values, count);
  }
  REQUIRE(count.read(test_stream()) == runs);
  CHECK(equal_items(values.data(), want.data(), runs));
}

}  // namespace

void check_runs(draws& draw, const exec& where, u64 n) {
  with_drawn_word(draw, [&]<class T>(std::type_identity<T>) { check_runs_of<T>(draw, where, n); });
}

}  // namespace ballot::test
