// SPDX-License-Identifier: Apache-2.0
// The instances of merges and searches: included by the sources that library/instances.cmake
// generates.
#pragma once

#include <ballot/c/merge.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/comparison.cuh>
#include <ballot/detail/merge/launch.cuh>
#include <ballot/detail/search/launch.cuh>

namespace ballot_c {

template <class U, class W>
void merge_words(ballot::stream_t stream, std::byte* scratch, const merge_request<U, W>& r) {
  ballot::detail::launch_merge<U, W>(stream, scratch,
                                     {r.first.data, r.second.data, r.first.length, r.second.length, r.first_values,
                                      r.second_values, r.keys_out, r.values_out, nullptr},
                                     r.codec, ballot::detail::smaller_bits{}, r.function);
}
template <class U>
std::size_t merge_words_bytes(u64 n) {
  return ballot::detail::merge_bytes<U>(n);
}
template <class U>
u64 merged_items(u64 first, u64 second, const char* function) {
  return ballot::detail::sum_of_lengths<U>(first, second, function);
}

// Keys in memory, or positions.
template <class U>
struct searched_words {
  const U* data;
  length n;
  __device__ __forceinline__ U operator()(u64 i) const { return data != nullptr ? data[i] : static_cast<U>(i); }
};

template <class U>
void search_words(ballot::stream_t stream, const input<U>& sorted, const input<U>& keys, bool keys_are_positions,
                  const ballot::key_codec<U>& codec, bool upper, const ballot::device_count& positions,
                  const char* function) {
  using namespace ballot::detail;
  if (keys.capacity() == 0) return;
  const searched_words<U> searched{keys_are_positions ? nullptr : keys.data, keys.length};
  const key_before<U> before{codec};
  if (upper) launch_search_of_any<true>(stream, sorted, searched, before, positions, function);
  else launch_search_of_any<false>(stream, sorted, searched, before, positions, function);
}
template <class U>
void check_order(const ballot::exec& where, const input<U>& in, const ballot::key_codec<U>& codec, bool whether,
                 const ballot::device_count& result, const char* function) {
  const ballot::detail::key_before<U> before{codec};
  if (whether) ballot::detail::run_sorted<true>(where, in, before, result, function);
  else ballot::detail::run_sorted<false>(where, in, before, result, function);
}

}  // namespace ballot_c
