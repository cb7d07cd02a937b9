// SPDX-License-Identifier: Apache-2.0
// Merges, searches and checks of sorted keys by their width: the instances that merge.cuh and
// search.cuh define.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>

namespace ballot_c {

using ballot::detail::no_value;

template <class U>
ballot::key_codec<U> order_of_keys(const char* function, const type_info& type, const ballot_order_options* given) {
  const auto options = options_of(function, given, sizeof(ballot_order_options));
  require_choice(function, "direction", options.direction, 2);
  require_choice(function, "nans", options.nans, 3);
  return codec_of<U>(
      type, options.direction == BALLOT_DESCENDING ? ballot::direction::descending : ballot::direction::ascending,
      options.nans == BALLOT_NANS_FIRST     ? ballot::nan_order::first
      : options.nans == BALLOT_NANS_BY_BITS ? ballot::nan_order::by_bits
                                            : ballot::nan_order::last);
}

template <class U, class W>
struct merge_request {
  input<U> first, second;
  const W *first_values, *second_values;
  U* keys_out;
  W* values_out;
  ballot::key_codec<U> codec;
  const char* function;
};
template <class U, class W>
void merge_words(ballot::stream_t stream, std::byte* scratch, const merge_request<U, W>& request);
template <class U>
std::size_t merge_words_bytes(u64 n);
// The number of both together, if a grid covers them.
template <class U>
u64 merged_items(u64 first, u64 second, const char* function);

// keys.data null: positions.
template <class U>
void search_words(ballot::stream_t stream, const input<U>& sorted, const input<U>& keys, bool keys_are_positions,
                  const ballot::key_codec<U>& codec, bool upper, const ballot::device_count& positions,
                  const char* function);
template <class U>
void check_order(const ballot::exec& where, const input<U>& in, const ballot::key_codec<U>& codec, bool whether,
                 const ballot::device_count& result, const char* function);

}  // namespace ballot_c
