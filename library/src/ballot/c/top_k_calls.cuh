// SPDX-License-Identifier: Apache-2.0
// The k best keys by their width, with positions of 64 bits: the instances that top_k.cuh defines.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/batched_top_k/kernels.cuh>

namespace ballot_c {

using ballot::detail::keys_of_rows;

// scratch: aligned, of top_k_words_bytes. Returns the number of selected items, as a length on the
// device: its address is in the scratch.
template <class U>
struct top_k_request {
  input<U> keys;
  ballot::key_codec<U> codec;
  u64 k;
  U* keys_out;
  u64* positions;
  ballot::device_count count;
  bool sorted;
  const char* function;
};
template <class U>
length top_k_words(ballot::stream_t stream, std::byte* scratch, const top_k_request<U>& request);
template <class U>
std::size_t top_k_words_bytes(u64 n, u64 k);

template <class U>
struct batched_top_k_request {
  keys_of_rows rows;
  const U* keys;
  ballot::key_codec<U> codec;
  u64 k;
  U* keys_out;
  u64* positions;
  ballot::device_count counts;
  bool sorted;
};
template <class U>
void batched_top_k_words(ballot::stream_t stream, const batched_top_k_request<U>& request);

}  // namespace ballot_c
