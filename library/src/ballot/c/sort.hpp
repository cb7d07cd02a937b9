// SPDX-License-Identifier: Apache-2.0
// Sorts by the widths of keys and values: the instances that sort.cuh defines. Keys come as words
// with the order's constants, values as words of 4 or 8 bytes (none, inline, or positions).
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/segmented_sort/any_offsets.hpp>

namespace ballot_c {

using ballot::detail::no_value;

// [low, high) of the ordered bits; there is at least one.
struct sort_bits {
  int low, high;
};

// As dispatch.cuh has them: keys_out null: not wanted; values null: positions; double buffers for
// repacked values.
template <class U, class W>
struct sort_request {
  input<U> keys;
  U* keys_out;
  const W* values;
  W* values_out;
  U* keys_spare = nullptr;
  W* values_spare = nullptr;
  ballot::key_codec<U> codec;
  sort_bits bits;
};

enum class sort_use { out_of_place, in_place, values_only, double_buffer };

// scratch: aligned, of sort_bytes.
template <class U, class W>
void sort_words(ballot::stream_t stream, std::byte* scratch, const sort_request<U, W>& request);
template <class U, class W>
std::size_t sort_words_bytes(u64 n, sort_use use);

template <class U, class W>
struct segmented_sort_request {
  input<U> keys;
  ballot::detail::any_offsets at;
  length segments;
  u64 longest;  // no segment has more items
  U* keys_out;
  const W* values;  // null: positions
  W* values_out;
  ballot::key_codec<U> codec;
  sort_bits bits;
};
template <class U, class W>
void segmented_sort_words(ballot::stream_t stream, std::byte* scratch, const segmented_sort_request<U, W>& request,
                          const char* function);
template <class U, class W>
std::size_t segmented_sort_words_bytes(u64 n, u64 longest);
// Whether the current GPU's blocks have room for a row. Then values are moved once.
template <class U, class W>
bool segmented_sort_has_room_for(u64 row);

}  // namespace ballot_c
