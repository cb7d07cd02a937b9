// SPDX-License-Identifier: Apache-2.0
// A thread's small numbers, packed into registers: two of 16 bits or four of 8 each. In unrolled
// loops the register's index is a constant, so that an access takes an instruction or two, and
// nothing is in local memory.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <int Count, int Bits>
class packed_words {
  static_assert(Bits == 8 || Bits == 16);

 public:
  static constexpr int in_word = 32 / Bits;

  // Must be called in order from 0: the first number of a word clears the others.
  __device__ __forceinline__ void set(int i, std::uint32_t number) { set(i / in_word, i % in_word, number); }
  __device__ __forceinline__ void set(int word, int slot, std::uint32_t number) {
    if (slot == 0) word_[word] = number;
    else word_[word] |= number << slot * Bits;
  }
  // The sum must not overflow the number's bits.
  __device__ __forceinline__ void add(int i, std::uint32_t number) {
    word_[i / in_word] += number << (i % in_word * Bits);
  }
  __device__ __forceinline__ std::uint32_t get(int i) const { return get(i / in_word, i % in_word); }
  __device__ __forceinline__ std::uint32_t get(int word, int slot) const {
    return word_[word] >> slot * Bits & ((1u << Bits) - 1u);
  }

 private:
  std::uint32_t word_[(Count + in_word - 1) / in_word]{};
};

// Calls visit(word, slot) for each of Count numbers, in order. Not Unrolled: a loop over the slots
// of a word, for short rather than fast code.
template <int Count, int Bits, bool Unrolled, class Visit>
__device__ __forceinline__ void for_each_packed(Visit visit) {
  constexpr int in_word = packed_words<Count, Bits>::in_word;
#pragma unroll
  for (int word = 0; word * in_word < Count; ++word) {
    const int slots = Count - word * in_word < in_word ? Count - word * in_word : in_word;
#pragma unroll(Unrolled ? in_word : 1)
    for (int slot = 0; slot < slots; ++slot) visit(word, slot);
  }
}

}  // namespace ballot::detail
