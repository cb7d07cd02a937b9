// SPDX-License-Identifier: Apache-2.0
// Common to the chapter's two sorts: the flag that a pass ranks, and the checks of the bit range.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <concepts>
#include <string>

namespace ballot::survey {

struct bit_is_clear {
  int bit;
  template <std::unsigned_integral K>
  __device__ bool operator()(K key) const {
    return (key >> bit & 1u) == 0;
  }
};

// Checks the keys and the output. in_place: they may be the same.
template <class K>
void require_keys(const detail::input<K>& from, const detail::output<K>& to, const char* function,
                  bool in_place = false) {
  const detail::argument keys = argument_of("keys", from), out = argument_of("out", to);
  detail::require_not_null(function, {keys, out});
  detail::require_same_length(function, "keys", from.capacity(), "out", to.size);
  if (!in_place || from.data != to.data) detail::require_apart(function, {out}, {keys});
}

// The range with its upper end as a number; invalid_argument for one that is empty or outside the
// key.
inline bit_range require_bits(bit_range bits, int key_bits, const char* function) {
  if (bits.high == bit_range::full) bits.high = key_bits;
  if (bits.low < 0 || bits.low >= bits.high || bits.high > key_bits)
    detail::fail(function,
                 detail::joined({"the bit range [", std::to_string(bits.low), ", ", std::to_string(bits.high),
                                 ") is empty or outside the key, which has ", std::to_string(key_bits), " bits"}));
  return bits;
}

}  // namespace ballot::survey
