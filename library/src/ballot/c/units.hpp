// SPDX-License-Identifier: Apache-2.0
// Items of any size, as units: the largest power of two, up to 16 bytes, that divides the size and
// the addresses.
#pragma once

#include <ballot/c/calls.hpp>

#include <bit>
#include <cstdint>
#include <limits>

namespace ballot_c {

// f.template operator()<Unit>(units of an item).
template <class F>
void with_unit(const void* in, const void* out, unsigned item_bytes, const F& f) {
  const auto all = reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out) | item_bytes | 16u;
  const unsigned unit = 1u << std::countr_zero(all);
  with_word(unit, [&]<class Unit>() { f.template operator()<Unit>(item_bytes / unit); });
}

// A launch for so many units, of which there may be more than 2^64.
inline u64 units_of(u64 items, unsigned units, const char* function) {
  if (items > std::numeric_limits<u64>::max() / units) fail(function, "more items than the address space has");
  return items * units;
}

}  // namespace ballot_c
