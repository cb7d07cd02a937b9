// SPDX-License-Identifier: Apache-2.0
// Mistakes in calls of sorts, one for each number of MISTAKE, and what the compiler says to each.
// Without MISTAKE, the file compiles. "compiler: nvcc": to a host compiler, for the emulator, it is
// no mistake.
#include <ballot/argsort_by_columns.cuh>
#include <ballot/distributed/sort.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/sort_ping_pong.cuh>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#ifndef MISTAKE
#  define MISTAKE 0
#endif

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
struct particle {
  float x, y;
  u32 cell;
};
struct cell_of {
  __device__ u32 operator()(const particle& p) const { return p.cell; }
};
struct itself {
  __device__ particle operator()(const particle& p) const { return p; }
};
struct of_a_number {
  __device__ u32 operator()(u32 number) const { return number; }
};
struct arguments {
  const ballot::exec& gpu;
  std::span<const u32> keys;
  std::span<u32> sorted, order;
  std::span<const particle> particles;
  std::span<particle> moved;
  u32* count;
};

#if MISTAKE == 1
void f(const arguments& a) {
  ballot::sort(a.gpu, a.keys.data(), a.sorted);
}  // says: a pointer does not know its length
#endif
#if MISTAKE == 2
// says: trivially copyable (std::string is not)
void f(const arguments& a, std::span<const std::string> names, std::span<std::string> sorted) {
  ballot::sort(a.gpu, names, sorted);
}
#endif
#if MISTAKE == 3
// says: Sort other items by a key of theirs
void f(const arguments& a) { ballot::sort(a.gpu, a.particles, a.moved); }
#endif
#if MISTAKE == 4
// says: the output's items have another type than the input's
void f(const arguments& a, std::span<float> sorted) { ballot::sort(a.gpu, a.keys, sorted); }
#endif
#if MISTAKE == 5
// says: the output is const
void f(const arguments& a) { ballot::sort(a.gpu, a.sorted, a.keys); }
#endif
#if MISTAKE == 6
// says: lies in the host's memory
void f(const arguments& a, const std::vector<u32>& keys) { ballot::sort(a.gpu, keys, a.sorted); }
#endif
#if MISTAKE == 7
// says: an output is not counted
void f(const arguments& a) { ballot::sort(a.gpu, a.keys, ballot::counted{a.sorted, a.count}); }
#endif
#if MISTAKE == 8
// says: only the keys are counted
void f(const arguments& a) { ballot::sort_pairs(a.gpu, a.keys, ballot::counted{a.keys, a.count}, a.sorted, a.order); }
#endif
#if MISTAKE == 9
// says: changed in place must not be const
void f(const arguments& a) { ballot::sort_in_place(a.gpu, a.keys); }
#endif
#if MISTAKE == 10
// says: the key function is a __device__ lambda, and the host has to know the key's type
// compiler: nvcc
void f(const arguments& a) {
  ballot::sort_by(
      a.gpu, a.particles, [] __device__(const particle& p) { return p.cell; }, a.moved);
}
#endif
#if MISTAKE == 11
void f(const arguments& a) {
  ballot::sort_by(a.gpu, a.particles, 3, a.moved);
}  // says: a number stands where a function
#endif
#if MISTAKE == 12
// says: the key function's result is no key
void f(const arguments& a) { ballot::sort_by(a.gpu, a.particles, itself{}, a.moved); }
#endif
#if MISTAKE == 13
// says: the key function cannot be called with an item
void f(const arguments& a) { ballot::sort_by(a.gpu, a.particles, of_a_number{}, a.moved); }
#endif
#if MISTAKE == 14
// says: a range stands where a function object is expected
void f(const arguments& a) { ballot::sort_by(a.gpu, a.particles, a.moved, cell_of{}); }
#endif
#if MISTAKE == 15
// says: positions are integers of 4 or 8 bytes
void f(const arguments& a, std::span<u8> order) { ballot::argsort(a.gpu, a.keys, order); }
#endif
#if MISTAKE == 16
// says: segment offsets are integers of 4 or 8 bytes
void f(const arguments& a, std::span<const float> offsets) { ballot::segmented_sort(a.gpu, a.keys, offsets, a.sorted); }
#endif
#if MISTAKE == 17
// says: keys of a sort within segments have up to 8 bytes
void f(const arguments& a, std::span<const unsigned __int128> keys, std::span<unsigned __int128> sorted) {
  ballot::segmented_sort(a.gpu, keys, a.keys, sorted);
}
#endif
#if MISTAKE == 18
// says: Include its header: <cuda_fp16.h> for __half
std::size_t f() { return ballot::sort_scratch_bytes<__half>(9); }
#endif
#if MISTAKE == 19
// says: values between two buffers are words
void f(const arguments& a) { ballot::sort_pairs_ping_pong(a.gpu, a.sorted, a.moved, a.order, a.moved); }
#endif
#if MISTAKE == 20
// says: Sort other items by a key of theirs
void f(const arguments& a) { ballot::argsort_by_columns(a.gpu, a.order, a.keys, a.particles); }
#endif
#if MISTAKE == 21
// says: ballot: the items are no keys
std::size_t f() { return ballot::sort_scratch_bytes<std::string>(9); }
#endif
#if MISTAKE == 22
// says: the output is const
void f(const arguments& a) { ballot::argsort_further(a.gpu, a.order, a.keys); }
#endif
#if MISTAKE == 23
// says: the first argument is no communicator
void f(const arguments& a) { ballot::distributed::sort(a.gpu, a.gpu, a.keys, a.sorted); }
#endif
