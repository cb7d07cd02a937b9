// SPDX-License-Identifier: Apache-2.0
// Sorts of integers that fit into a core's cache: with vectors where that is faster, else by
// digits.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/cpu/radix_passes.hpp"
#include "engines/cpu/vector_sort.hpp"

#include <cstddef>
#include <cstring>
#include <span>

namespace ballot::app::cpu {

// Sorts the items of `a` by the lowest `bits` bits of their keys, into `a` or into `b`. `is_whole`:
// key_of drops no bit that tells two of them apart.
template <class U, class KeyOf>
void sort_integers_locally(std::span<U> a, std::span<U> b, const KeyOf& key_of, bool is_whole, int bits, bool into_a) {
  if constexpr (sizeof(U) == 8) {
    constexpr std::size_t few = 64;
    constexpr int most_bits_by_digits = 33;  // three passes by digits are as fast
    if (is_whole && bits > most_bits_by_digits && a.size() > few && has_vector_sort()) {
      vector_sort(a);
      if (!into_a) std::memcpy(b.data(), a.data(), a.size_bytes());
      return;
    }
  }
  sort_by_digits(a, b, key_of, bits, into_a);
}

}  // namespace ballot::app::cpu
