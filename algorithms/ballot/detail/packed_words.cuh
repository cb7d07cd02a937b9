// A thread's small numbers, several to a register: two of 16 bits or four of 8. Indices are constants once the loops
// around are unrolled, so that each access is an instruction or two and nothing lies in local memory.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <int Count, int Bits>
class packed_words {
  static_assert(Bits == 8 || Bits == 16);
  static constexpr int in_word = 32 / Bits;

 public:
  // In order from 0: the first of a word's numbers clears the others.
  __device__ __forceinline__ void set(int i, std::uint32_t number) {
    const int shift = i % in_word * Bits;
    if (shift == 0) word_[i / in_word] = number;
    else word_[i / in_word] |= number << shift;
  }
  // The sum must not exceed what a number holds.
  __device__ __forceinline__ void add(int i, std::uint32_t number) {
    word_[i / in_word] += number << (i % in_word * Bits);
  }
  __device__ __forceinline__ std::uint32_t get(int i) const {
    return word_[i / in_word] >> (i % in_word * Bits) & ((1u << Bits) - 1u);
  }

 private:
  std::uint32_t word_[(Count + in_word - 1) / in_word]{};
};

}  // namespace ballot::detail
