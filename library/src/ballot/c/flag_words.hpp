// SPDX-License-Identifier: Apache-2.0
// Flags as bits: packed from bytes, set at offsets, or made by comparisons.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/core/exec.hpp>

namespace ballot_c {

// An array of n byte flags or bit flags.
void require_flag_array(const char* function, const char* name, const ballot_array& array, bool are_bits, u64 n);

// words[i / 32] bit i % 32: whether bytes[i] is not 0 (inverted: is 0), for the items of n that are
// there.
void pack_flags(ballot::stream_t stream, const ballot_array& bytes, const length& n, u32* words, const char* function,
                bool invert = false);
// The same from bits, and how many flags are set, of either.
void copy_flags(ballot::stream_t stream, const ballot_array& bits, const length& n, u32* words, const char* function,
                bool invert);
void count_flags(ballot::stream_t stream, const ballot_array& flags, bool are_bits, const length& n, bool invert,
                 const ballot::device_count& count);
// The bits of offsets below n; the others are cleared.
void set_head_bits(ballot::stream_t stream, const ballot_array& offsets, u64 n, u32* words, const char* function);

}  // namespace ballot_c
