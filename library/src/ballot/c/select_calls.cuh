// SPDX-License-Identifier: Apache-2.0
// Selections by type at run time: of one column of words, which instances compile (select.cuh), and
// of others by their positions and a gather (gather.hpp).
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/c/selector.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/flags.hpp>

#include <span>

namespace ballot_c {

// Positions as the items of a column: the instances' other kind of column.
template <class Index>
struct positions_of {};

// One column: items at `in` (of positions null), n of them, to `out` with room for so many items.
struct column_request {
  const void* in;
  length n;
  void* out;
  u64 room;
  void* rejected;  // of a split into two
  u64 rejected_room;
  ballot::device_count count;
  const char* function;
};

// Column: a word or positions_of. Select: byte_flags, bit_flags, or a comparison of the column's
// own items.
template <class Column, class Select>
void compact_column(const ballot::exec& where, const column_request& request, const Select& select);
template <class Column>
std::size_t compact_column_bytes(u64 n);
template <class U>
void compact_column_in_place(const ballot::exec& where, const column_request& request, const ballot::bit_flags& flags);

template <class U>
void split_column_in_place(const ballot::exec& where, const column_request& request, const ballot::bit_flags& flags);
template <class U>
std::size_t split_column_in_place_bytes(u64 n);

enum class split_into { one, two };
template <class Column, split_into Into>
void split_column(const ballot::exec& where, const column_request& request, const ballot::bit_flags& flags);
template <class Column>
std::size_t split_column_bytes(u64 n);

// By comparisons of the items U.
template <class U>
void count_by_comparison(ballot::stream_t stream, const input<U>& in, const comparison<U>& compare,
                         const ballot::device_count& count);
template <class U>
void flag_bits_by_comparison(ballot::stream_t stream, const input<U>& in, const comparison<U>& compare, u32* words);
// The flags as bits: the caller's, or in `words`.
inline ballot::bit_flags bits_of(ballot::stream_t stream, const checked_selector& select, const length& n, u32* words,
                                 const char* function) {
  if (select.by_bits) return select.bit_flags();
  if (select.by_bytes) pack_flags(stream, select.given.array, n, words, function, select.inverts());
  else
    with_word(select.type.bytes, [&]<class U>() {
      flag_bits_by_comparison<U>(stream, {static_cast<const U*>(select.compared.data), n}, select.compare<U>(), words);
    });
  return {std::span(const_cast<const u32*>(words), static_cast<std::size_t>(ballot::detail::ceil_div(n.capacity, 32)))};
}

template <class U>
void compact_indices_by_comparison(const ballot::exec& where, const input<U>& in, const comparison<U>& compare,
                                   const column_request& request);
template <class U>
std::size_t compact_indices_by_comparison_bytes(u64 n);

}  // namespace ballot_c
