// A thread's small numbers, several to a register: two of 16 bits or four of 8. The register is known at compile time once
// the loops around are unrolled; so each access takes an instruction or two, and nothing lies in local memory.
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

  // In order from 0: the first of a word's numbers clears the others.
  __device__ __forceinline__ void set(int i, std::uint32_t number) { set(i / in_word, i % in_word, number); }
  __device__ __forceinline__ void set(int word, int part, std::uint32_t number) {
    if (part == 0) word_[word] = number;
    else word_[word] |= number << part * Bits;
  }
  // The sum must not exceed what a number holds.
  __device__ __forceinline__ void add(int i, std::uint32_t number) {
    word_[i / in_word] += number << (i % in_word * Bits);
  }
  __device__ __forceinline__ std::uint32_t get(int i) const { return get(i / in_word, i % in_word); }
  __device__ __forceinline__ std::uint32_t get(int word, int part) const {
    return word_[word] >> part * Bits & ((1u << Bits) - 1u);
  }

 private:
  std::uint32_t word_[(Count + in_word - 1) / in_word]{};
};

// Calls visit(word, part) for each of Count numbers, in order. Not Unrolled: a word's parts in a loop, for code that is
// to be short rather than fast.
template <int Count, int Bits, bool Unrolled, class Visit>
__device__ __forceinline__ void for_each_packed(Visit visit) {
  constexpr int in_word = packed_words<Count, Bits>::in_word;
#pragma unroll
  for (int word = 0; word * in_word < Count; ++word) {
    const int parts = Count - word * in_word < in_word ? Count - word * in_word : in_word;
#pragma unroll(Unrolled ? in_word : 1)
    for (int part = 0; part < parts; ++part) visit(word, part);
  }
}

}  // namespace ballot::detail
