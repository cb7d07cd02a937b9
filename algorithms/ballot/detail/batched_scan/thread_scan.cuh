// What a thread does with its run of consecutive items in shared memory: sums it, and scans it in place.
//
// An accumulator as wide as the item: out = before + (sum within the run), two short sums. A wider one: the sum is
// carried through the run from what lies before it, and rounded wherever an item is written. No barrier.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/batched_scan/accumulator.hpp>
#include <ballot/detail/batched_scan/staging.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

// Of the items that begin at `first`, those that a run of `run` vectors has of a row of `length`.
template <class T>
__device__ __forceinline__ unsigned items_of_run(unsigned first, unsigned length, unsigned run) {
  const unsigned most = run * items_a_vector<T>;
  return first >= length ? 0 : length - first < most ? length - first : most;
}

// f(item) for the items of a thread's run, in order; it may change them. Each is read from shared memory and written
// back in whole vectors.
template <bool Backward, class T, class F>
__device__ __forceinline__ void update_run(staged_vector<T>* run, unsigned items, F&& f) {
  constexpr unsigned width = items_a_vector<T>;
  const unsigned vectors = items / width, rest = items % width;
  const auto update_rest = [&] {
    for (unsigned j = 0; j < rest; ++j) f(run[vectors].item[Backward ? rest - 1 - j : j]);
  };
  if (Backward && rest != 0) update_rest();
#pragma unroll 2
  for (unsigned v = 0; v < vectors; ++v) {
    staged_vector<T>* const place = run + (Backward ? vectors - 1 - v : v);
    staged_vector<T> here = *place;
#pragma unroll
    for (unsigned j = 0; j < width; ++j) f(here.item[Backward ? width - 1 - j : j]);
    *place = here;
  }
  if (!Backward && rest != 0) update_rest();
}

template <class Sum, class T>
__device__ __forceinline__ Sum sum_run(const staged_vector<T>* run, unsigned items) {
  constexpr unsigned width = items_a_vector<T>;
  Sum sum = sum_identity<Sum>();
#pragma unroll 2
  for (unsigned v = 0; v < items / width; ++v) {
    const staged_vector<T> here = run[v];
#pragma unroll
    for (unsigned j = 0; j < width; ++j) sum = add_item(sum, here.item[j]);
  }
  for (unsigned j = 0; j < items % width; ++j) sum = add_item(sum, run[items / width].item[j]);
  return sum;
}

// Items become sums. Returns the total of what was written, if asked for; the same sum, to the bit, as sum_run gives.
template <bool Backward, bool WithTotal, class Sum, class T>
__device__ __forceinline__ Sum scan_run(staged_vector<T>* run, unsigned items, Sum before) {
  Sum in_run = sum_identity<Sum>(), total = sum_identity<Sum>();
  update_run<Backward>(run, items, [&](T& item) {
    if constexpr (sizeof(Sum) > sizeof(T)) {
      before = add_item(before, item);
      item = static_cast<T>(before);
    } else {
      in_run = plus{}(in_run, item);
      item = plus{}(before, in_run);
    }
    if constexpr (WithTotal) total = add_item(total, item);
  });
  return total;
}

}  // namespace ballot::detail
