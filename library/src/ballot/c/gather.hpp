// SPDX-License-Identifier: Apache-2.0
// Moves items of any size by their positions: columns that have no word, and values of sorts. Also
// between such values and words.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/core/exec.hpp>

namespace ballot_c {

// out[i] = in[order[skipped + i]] for i < n - skipped, at most `room` items.
struct gather_request {
  const void* in;
  void* out;
  u64 room;
  unsigned item_bytes;
  const void* order;  // u32; is_wide: u64
  bool is_wide;
  length n;
  length skipped;  // {0}: none
};
void gather(ballot::stream_t stream, const gather_request& request, const char* function);

// words[i] = the bytes of values[i], and zeros after them; and back. item_bytes: up to 8;
// word_bytes: 4 or 8.
void pack_values(ballot::stream_t stream, const void* values, unsigned item_bytes, void* words, unsigned word_bytes,
                 const length& n, const char* function);
void unpack_values(ballot::stream_t stream, const void* words, unsigned word_bytes, void* values, unsigned item_bytes,
                   const length& n, const char* function);

// out[i] = in[i].
void widen_positions(ballot::stream_t stream, const u32* in, u64* out, const length& n, const char* function);

// out[i] = in[i], of the items that are there; and out[i] = i.
void copy_items(ballot::stream_t stream, const void* in, void* out, unsigned item_bytes, const length& n,
                const char* function);
void write_positions(ballot::stream_t stream, void* out, bool is_wide, const length& n, const char* function);

// out[i] = positions[i] in 32 bits.
void narrow_positions(ballot::stream_t stream, const u64* positions, u32* out, const length& n, const char* function);

// Of two arrays: item i is item i of `first`, or i - first_items of `second`; of a position that
// neither has, the first item there is. n and others: the items that there are.
void gather_of_two(ballot::stream_t stream, const void* first, u64 first_items, const void* second,
                   const gather_request& request, const length& others, const char* function);
// out[i] = from + i.
void write_positions_from(ballot::stream_t stream, u64 from, void* out, bool is_wide, const length& n,
                          const char* function);

}  // namespace ballot_c
