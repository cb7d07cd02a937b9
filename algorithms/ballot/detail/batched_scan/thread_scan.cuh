// SPDX-License-Identifier: Apache-2.0
// A thread reduces and scans its consecutive items in shared memory.
//
// If the accumulator is as wide as the item: out = prefix + (sum within the thread), two short
// sums. A wider accumulator is carried through the items from the prefix on, and rounded wherever
// an item is written. No barrier.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/batched_scan/accumulator.hpp>
#include <ballot/detail/batched_scan/staging.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

// How many items a thread has: at most `vectors` vectors, from item `first` of a row of `length`.
template <class T>
__device__ __forceinline__ unsigned items_of_thread(unsigned first, unsigned length, unsigned vectors) {
  const unsigned most = vectors * items_per_vector<T>;
  return first >= length ? 0 : length - first < most ? length - first : most;
}

// f(item) for the items of a thread, in order; f may change them. Shared memory is read and written
// in whole vectors.
template <bool Backward, class T, class F>
__device__ __forceinline__ void for_each_thread_item(staged_vector<T>* thread_items, unsigned items, F&& f) {
  constexpr unsigned width = items_per_vector<T>;
  const unsigned vectors = items / width, rest = items % width;
  const auto for_rest = [&] {
    for (unsigned j = 0; j < rest; ++j) f(thread_items[vectors].item[Backward ? rest - 1 - j : j]);
  };
  if (Backward && rest != 0) for_rest();
#pragma unroll 2
  for (unsigned v = 0; v < vectors; ++v) {
    staged_vector<T>* const at = thread_items + (Backward ? vectors - 1 - v : v);
    staged_vector<T> vector = *at;
#pragma unroll
    for (unsigned j = 0; j < width; ++j) f(vector.item[Backward ? width - 1 - j : j]);
    *at = vector;
  }
  if (!Backward && rest != 0) for_rest();
}

template <class Sum, class T>
__device__ __forceinline__ Sum thread_reduce(const staged_vector<T>* thread_items, unsigned items) {
  constexpr unsigned width = items_per_vector<T>;
  Sum sum = sum_identity<Sum>();
#pragma unroll 2
  for (unsigned v = 0; v < items / width; ++v) {
    const staged_vector<T> vector = thread_items[v];
#pragma unroll
    for (unsigned j = 0; j < width; ++j) sum = add_item(sum, vector.item[j]);
  }
  for (unsigned j = 0; j < items % width; ++j) sum = add_item(sum, thread_items[items / width].item[j]);
  return sum;
}

// Replaces the items by their sums. WithTotal: returns the total of the items written, with the
// same bits as thread_reduce.
template <bool Backward, bool WithTotal, class Sum, class T>
__device__ __forceinline__ Sum thread_scan(staged_vector<T>* thread_items, unsigned items, Sum prefix) {
  Sum thread_sum = sum_identity<Sum>(), total = sum_identity<Sum>();
  for_each_thread_item<Backward>(thread_items, items, [&](T& item) {
    if constexpr (sizeof(Sum) > sizeof(T)) {
      prefix = add_item(prefix, item);
      item = static_cast<T>(prefix);
    } else {
      thread_sum = plus{}(thread_sum, item);
      item = plus{}(prefix, thread_sum);
    }
    if constexpr (WithTotal) total = add_item(total, item);
  });
  return total;
}

}  // namespace ballot::detail
