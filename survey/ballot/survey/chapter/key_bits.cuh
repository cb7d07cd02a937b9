// Common to the chapter's two sorts: the flag that a pass ranks, and the checks of the bit range.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <concepts>

namespace ballot::survey {

struct bit_is_clear {
  int bit;
  template <std::unsigned_integral K>
  __device__ bool operator()(K key) const {
    return (key >> bit & 1u) == 0;
  }
};

// Checks the keys and the output.
template <class K>
void require_keys(const detail::input<K>& from, const detail::output<K>& to, const char* function) {
  detail::require_readable(from, function);
  detail::require_writable(to, function);
  detail::require(to.size == from.capacity(), function, "input and output have different lengths");
}

// The range with its upper end as a number; invalid_argument for one that is empty or outside the key.
inline bit_range require_bits(bit_range bits, int key_bits, const char* function) {
  if (bits.high == bit_range::full) bits.high = key_bits;
  detail::require(bits.low >= 0 && bits.low < bits.high && bits.high <= key_bits, function,
                  "the bit range is empty or outside the key");
  return bits;
}

}  // namespace ballot::survey
